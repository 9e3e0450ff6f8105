import { z } from 'zod'
import { FileExploration } from './file.ts'
import { ById, ConversationId, InConversation, NodeId, Role, SummaryLevel, TimeMs, Visibility } from './ids.ts'
import { Pruned } from './message.ts'

/** A node as a box in the graph, a row in a list, or a crumb. */
export const NodeCard = z.object({
  id: NodeId,
  kind: z.enum(['leaf', 'condensed', 'message', 'missing']),
  conversationId: ConversationId.nullable(),
  /** −1 for a message and for a missing node. */
  depth: z.int(),
  role: Role.nullable(),
  seq: z.int().nullable(),
  tokens: z.int(),
  /** The tokens of the messages that it covers, or null for messages. */
  sourceTokens: z.int().nullable(),
  /** The number of messages that it covers, 1 for a message. */
  messages: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  sources: z.int(),
  dependents: z.int(),
  visibility: Visibility,
  /** At most 160 characters in one line. */
  excerpt: z.string(),
})
export type NodeCard = z.infer<typeof NodeCard>

export const LineageEdge = z.object({
  /** The summary. */
  from: NodeId,
  /** One of its sources. */
  to: NodeId,
  ordinal: z.int(),
  /** `cycle`: both ends reach each other; `dangling`: one end is not in the file. */
  state: z.enum(['sound', 'dangling', 'cycle']),
})
export type LineageEdge = z.infer<typeof LineageEdge>

export const NeighbourhoodInput = ById.extend({
  up: z.int().min(0).max(8).default(2).describe('levels of dependents'),
  down: z.int().min(0).max(8).default(1).describe('levels of sources'),
  maxPerNode: z.int().min(1).max(200).default(12).describe('sources or dependents of a node'),
  /** For these nodes, up to 200 sources are returned, regardless of `down` and `maxPerNode`. */
  expanded: z.array(NodeId).max(200).default([]).describe('a node of which all are returned'),
})
export type NeighbourhoodInput = z.infer<typeof NeighbourhoodInput>

/** The neighbourhood of a node, cut to what can be read. `more` says how much was left out, and where. */
export const Neighbourhood = z.object({
  focus: NodeId,
  nodes: z.array(NodeCard),
  edges: z.array(LineageEdge),
  more: z.array(z.object({ id: NodeId, direction: z.enum(['sources', 'dependents']), count: z.int() })),
})
export type Neighbourhood = z.infer<typeof Neighbourhood>

/** All summaries of a conversation as a graph, in columns. All arrays of `nodes` have one length, and so have those of `links`. */
export const LineageGraph = z.object({
  /**
   * In the order of the history. Summaries of other conversations that are linked with these are among them, and ids
   * that a link names and that are not in the file.
   */
  nodes: z.object({
    id: z.array(NodeId),
    /** −1 for an id that is not in the file. */
    depth: z.array(z.int()),
    tokens: z.array(z.int()),
    /** The number of messages that it covers. */
    messages: z.array(z.int()),
    /** The seq of the first and last message that it covers; null where it covers none. */
    firstSeq: z.array(z.int().nullable()),
    lastSeq: z.array(z.int().nullable()),
    /** 1 when the summary itself is in the window. */
    inWindow: z.array(z.int()),
  }),
  /** Each link leads from a summary to one of its sources, both as indexes of nodes. Links to messages are not listed. */
  links: z.object({
    from: z.array(z.int()),
    to: z.array(z.int()),
    /** 1 when both ends reach each other. */
    isCycle: z.array(z.int()),
  }),
})
export type LineageGraph = z.infer<typeof LineageGraph>

export type LineageTree = {
  id: string
  kind: 'leaf' | 'condensed' | 'message' | 'missing'
  depth: number
  tokens: number
  /** True for the node where a cycle closes. It is not walked again. */
  cycle?: boolean
  /** True for a repeated node. Its sources are at its first place. */
  repeated?: boolean
  /** True where the tree is too deep to be sent at once. Ask for the lineage of this node. */
  cut?: boolean
  /** The number of messages that it covers, for a leaf and wherever `sources` are not listed. */
  messageCount?: number
  /** The seq of the first and last message that it covers. */
  firstSeq?: number
  lastSeq?: number
  sources?: LineageTree[]
  dependents?: LineageTree[]
}
export const LineageTree: z.ZodType<LineageTree> = z.lazy(() =>
  z.object({
    id: NodeId,
    kind: z.enum(['leaf', 'condensed', 'message', 'missing']),
    depth: z.int(),
    tokens: z.int(),
    cycle: z.boolean().optional(),
    repeated: z.boolean().optional(),
    cut: z.boolean().optional(),
    messageCount: z.int().optional(),
    firstSeq: z.int().optional(),
    lastSeq: z.int().optional(),
    sources: z.array(LineageTree).optional(),
    dependents: z.array(LineageTree).optional(),
  }),
)

export const Lineage = z.object({
  id: NodeId,
  /** The messages of a leaf one by one. Further down, leaves have their number only. */
  sources: z.array(LineageTree),
  dependents: z.array(LineageTree),
  /** Every summary above it, nearest first. */
  coveredBy: z.array(NodeId),
  /** True when it is in the window itself. */
  inContext: z.boolean(),
})
export type Lineage = z.infer<typeof Lineage>

export const NamesInput = z.object({ ids: z.array(NodeId).max(500).describe('messages and summaries') })
export type NamesInput = z.infer<typeof NamesInput>

/** What messages and summaries are called. Ids that are not in the file, and summaries without words, are left out. */
export const Names = z.object({
  names: z.array(
    z.object({
      id: NodeId,
      /** Null for a text without words. */
      name: z.string().nullable(),
      /** The place of a message in its conversation, from 1 on. Null for a summary. */
      number: z.int().nullable(),
    }),
  ),
})
export type Names = z.infer<typeof Names>

/** `lcm tree`: roots are summaries that no other summary has as a source. */
export const Tree = z.object({ roots: z.array(LineageTree) })
export type Tree = z.infer<typeof Tree>

export const TreeLevelInput = InConversation.extend({
  of: NodeId.nullable().describe('the summary; null for the roots'),
  offset: z.int().min(0).default(0).describe('nodes to leave out'),
  limit: z.int().min(1).max(1000).default(200).describe('nodes a page'),
})
export type TreeLevelInput = z.infer<typeof TreeLevelInput>

/** A page of the summary tree for the keyboard and screen-reader view. */
export const TreeLevel = z.object({ total: z.int(), nodes: z.array(NodeCard) })
export type TreeLevel = z.infer<typeof TreeLevel>

export const FileInfo = z.object({
  id: NodeId,
  conversationId: ConversationId,
  fileName: z.string().nullable(),
  mimeType: z.string().nullable(),
  bytes: z.int().nullable(),
  /** The stored address, which is never opened without consent. */
  storageUri: z.string(),
  explorationSummary: z.string().nullable(),
  createdAtMs: TimeMs.nullable(),
  /** What a model has said of it, in the answer about one file. Absent when none was asked. */
  byModel: FileExploration.optional(),
})
export type FileInfo = z.infer<typeof FileInfo>

export const DescribeInput = ById.extend({
  contentChars: z.int().min(0).default(100_000).describe('characters of the content to return at most'),
})

/** Everything known about one id. Fields that do not apply to its kind are null. */
export const Description = z.object({
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed', 'file']),
  conversationId: ConversationId,
  depth: z.int().nullable(),
  role: Role.nullable(),
  seq: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  earliestAtMs: TimeMs.nullable(),
  latestAtMs: TimeMs.nullable(),
  tokens: z.int(),
  /** The tokens of the messages that it covers, or null for messages and files. */
  sourceTokens: z.int().nullable(),
  /** `sourceTokens` ÷ `tokens`. */
  compression: z.number().nullable(),
  descendantCount: z.int().nullable(),
  /** The number of messages that it covers. */
  messages: z.int().nullable(),
  /** At most 1,000 are listed. `sourceCount` is the whole number. */
  sources: z.array(NodeId),
  sourceCount: z.int(),
  dependents: z.array(NodeId),
  /**
   * The first and the last message that it covers: their seq, and their numbers in the conversation, from 1 on, by which
   * people call them.
   */
  sourceRange: z.object({ firstSeq: z.int(), lastSeq: z.int(), first: z.int(), last: z.int() }).nullable(),
  /** For a message, every summary that covers it. */
  coveredBy: z.array(NodeId),
  visibility: Visibility,
  inContext: z.boolean(),
  contextOrdinal: z.int().nullable(),
  /**
   * The nearest summary in the window that covers it when it is not there itself. For a file, the first item that names
   * it.
   */
  coverInWindow: NodeId.nullable(),
  level: SummaryLevel.nullable(),
  model: z.string().nullable(),
  promptVersion: z.string().nullable(),
  fileIds: z.array(NodeId),
  content: z.string(),
  contentChars: z.int(),
  isCut: z.boolean(),
  file: FileInfo.nullable(),
  /** What the agent of a message removed from it without a summary. Absent when there is nothing. */
  pruned: Pruned.optional(),
})
export type Description = z.infer<typeof Description>
