import { z } from 'zod'
import { ConversationId, NodeId, Role, SummaryLevel, TimeMs, Visibility } from './ids.ts'
import { Pruned } from './message.ts'

/** A node as a box in the graph, a row in a list, or a crumb. */
export const NodeCard = z.object({
  id: NodeId,
  kind: z.enum(['leaf', 'condensed', 'message', 'missing']),
  conversationId: ConversationId.nullable(),
  /** −1 for a message and for what is missing. */
  depth: z.int(),
  role: Role.nullable(),
  seq: z.int().nullable(),
  tokens: z.int(),
  /** Tokens of the messages that it stands for; null for messages. */
  sourceTokens: z.int().nullable(),
  /** Messages that it stands for; 1 for a message. */
  messages: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  createdAtMs: TimeMs.nullable(),
  sources: z.int(),
  dependents: z.int(),
  visibility: Visibility,
  /** At most 160 characters, one line. */
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

/** What lies around a node, cut to what can be read; `more` says how much was left out, and where. */
export const Neighbourhood = z.object({
  focus: NodeId,
  nodes: z.array(NodeCard),
  edges: z.array(LineageEdge),
  more: z.array(z.object({ id: NodeId, direction: z.enum(['sources', 'dependents']), count: z.int() })),
})
export type Neighbourhood = z.infer<typeof Neighbourhood>

export type LineageTree = {
  id: string
  kind: 'leaf' | 'condensed' | 'message' | 'missing'
  depth: number
  tokens: number
  /** Set on the node where a cycle closes: it is not walked again. */
  cycle?: boolean
  /** Set where a node comes again: what it rests on stands at its first place. */
  repeated?: boolean
  /** Set where the tree is too deep to be sent in one piece: ask for the lineage of this node. */
  cut?: boolean
  /** Messages that it stands for: of a leaf, and wherever `sources` are not listed. */
  messageCount?: number
  /** Seq of the first and last message that it stands for. */
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
  /** The messages of a leaf one by one; further down leaves say how many they stand for. */
  sources: z.array(LineageTree),
  dependents: z.array(LineageTree),
  /** Every summary above it, nearest first. */
  coveredBy: z.array(NodeId),
  /** It is in the window itself. */
  inContext: z.boolean(),
})
export type Lineage = z.infer<typeof Lineage>

/** `lcm tree`: roots are summaries that no other summary has as a source. */
export const Tree = z.object({ roots: z.array(LineageTree) })
export type Tree = z.infer<typeof Tree>

/** A page of the summary tree for the keyboard and screen-reader view. */
export const TreeLevel = z.object({ total: z.int(), nodes: z.array(NodeCard) })
export type TreeLevel = z.infer<typeof TreeLevel>

export const FileInfo = z.object({
  id: NodeId,
  conversationId: ConversationId,
  fileName: z.string().nullable(),
  mimeType: z.string().nullable(),
  bytes: z.int().nullable(),
  /** As stored; never opened without consent. */
  storageUri: z.string(),
  explorationSummary: z.string().nullable(),
  createdAtMs: TimeMs.nullable(),
})
export type FileInfo = z.infer<typeof FileInfo>

/** Everything known of one id. Fields that do not apply to its kind are null. */
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
  /** Tokens of the messages that it stands for; null for messages and files. */
  sourceTokens: z.int().nullable(),
  /** sourceTokens ÷ tokens. */
  compression: z.number().nullable(),
  descendantCount: z.int().nullable(),
  /** Messages that it stands for. */
  messages: z.int().nullable(),
  /** At most 1,000; `sourceCount` is the whole number. */
  sources: z.array(NodeId),
  sourceCount: z.int(),
  dependents: z.array(NodeId),
  sourceRange: z.object({ firstSeq: z.int(), lastSeq: z.int() }).nullable(),
  /** For a message: every summary that reaches it. */
  coveredBy: z.array(NodeId),
  visibility: Visibility,
  inContext: z.boolean(),
  contextOrdinal: z.int().nullable(),
  /** The nearest summary in the window that stands for it, when it is not there itself; of a file the first item that names it. */
  coverInWindow: NodeId.nullable(),
  level: SummaryLevel.nullable(),
  model: z.string().nullable(),
  promptVersion: z.string().nullable(),
  fileIds: z.array(NodeId),
  content: z.string(),
  contentChars: z.int(),
  isCut: z.boolean(),
  file: FileInfo.nullable(),
  /** Of a message: what its agent took out of it without a summary; absent where nothing. */
  pruned: Pruned.optional(),
})
export type Description = z.infer<typeof Description>
