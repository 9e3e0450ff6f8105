import { z } from 'zod'
import { ConversationId, NodeId } from './ids.ts'

/** What a program lets another read. */
export const GrantIssueInput = z.object({
  /** Everything in these conversations may be read, unless `rootIds` name less. */
  conversationIds: z.array(ConversationId).max(100).optional(),
  /** Only these summaries and messages may be read, and what lies below them. */
  rootIds: z.array(NodeId).max(100).optional(),
  /** The number of levels below the roots, or below the topmost summaries. The default is all. */
  depth: z.int().min(0).max(1000).optional(),
  /** The tokens of the memory that may be read in all. The default is 40,000. */
  tokenCap: z.int().min(1).max(100_000_000).optional(),
  /** The number of calls. The default is 1,000. */
  mostCalls: z.int().min(1).max(1_000_000).optional(),
  /** How long it may be used. The default is an hour, and the most a year. */
  ttlMs: z.int().min(1_000).max(31_536_000_000).optional(),
  /** The grant of whoever issues it, which it must not exceed. */
  under: z.string().max(100).optional(),
})
export type GrantIssueInput = z.infer<typeof GrantIssueInput>

/** A call of one of the tools for agents, as they are offered over MCP. */
export const ToolCallInput = z.object({
  name: z.string().max(80),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** What may be read. Without it everything may. */
  grant: z.string().max(100).optional(),
})
export type ToolCallInput = z.infer<typeof ToolCallInput>

export const AgentTool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** A JSON Schema. */
  inputSchema: z.record(z.string(), z.unknown()),
})
export type AgentTool = z.infer<typeof AgentTool>
