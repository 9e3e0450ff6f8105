import { z } from 'zod'
import { ConversationId, NodeId } from './ids.ts'

/** What a program lets another read. */
export const GrantIssueInput = z.object({
  conversationIds: z.array(ConversationId).max(100).optional().describe('this conversation'),
  rootIds: z.array(NodeId).max(100).optional().describe('only this summary or message and what is below it'),
  depth: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('levels below these, or below the topmost summaries (default: all)'),
  tokenCap: z.int().min(1).max(100_000_000).optional().describe('tokens to read in all (default: 40,000)'),
  mostCalls: z.int().min(1).max(1_000_000).optional().describe('calls in all (default: 1,000)'),
  ttlMs: z
    .int()
    .min(1_000)
    .max(31_536_000_000)
    .optional()
    .describe('milliseconds for which it may be used (default: an hour)'),
  under: z.string().max(100).optional().describe('never more than this grant allows, and no longer'),
})
export type GrantIssueInput = z.infer<typeof GrantIssueInput>

/** A call of one of the tools for agents, as they are offered over MCP. */
export const ToolCallInput = z.object({
  name: z.string().max(80).describe('the tool'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('what the tool is asked'),
  grant: z.string().max(100).optional().describe('the permission that says what may be read; without it everything'),
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
