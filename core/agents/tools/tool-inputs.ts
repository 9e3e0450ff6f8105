import { z } from 'zod'
import { MOST_AGENT_TOKENS } from '../../contract/expand-query.ts'
import { ROLES } from '../../contract/lists.ts'
import { OutlineInput } from '../../contract/outline.ts'
import { ARGUMENTS as TOLD } from './tool-texts.ts'

export const MOST_HITS = 50

const id = (told: string) => z.string().min(1).max(512).describe(told)
const conversation = z.int().min(0)
const time = (told: string) => z.string().max(40).describe(told)
const tokenCap = (told: string) => z.int().min(1).max(MOST_AGENT_TOKENS).optional().describe(told)

/** The inputs of the tools. They are constant, like all texts about them. */
export const INPUTS = {
  lcm_grep: z.object({
    query: z.string().max(10_000).describe(TOLD.query),
    mode: z.enum(['full_text', 'literal', 'regex']).optional().describe(TOLD.mode),
    match: z.enum(['auto', 'all', 'any']).optional().describe(TOLD.match),
    scope: z.enum(['messages', 'summaries', 'both', 'files']).optional().describe(TOLD.scope),
    conversationIds: z.array(conversation).max(100).optional().describe(TOLD.conversationIds),
    roles: z.array(z.enum(ROLES)).optional().describe(TOLD.roles),
    depths: z.array(z.int()).max(100).optional().describe(TOLD.depths),
    after: time(TOLD.after).optional(),
    before: time(TOLD.before).optional(),
    within: id(TOLD.within).optional(),
    sort: z.enum(['relevance', 'newest', 'oldest']).optional().describe(TOLD.sort),
    limit: z.int().min(1).max(MOST_HITS).optional().describe(TOLD.limit),
    full: z.boolean().optional().describe(TOLD.full),
    cursor: z.string().max(4_000).optional().describe(TOLD.cursor),
  }),
  lcm_describe: z.object({
    id: id(TOLD.id).optional(),
    section: OutlineInput.shape.section.unwrap().optional().describe(TOLD.section),
    conversationId: conversation.optional().describe(TOLD.outlinedConversation),
    offset: z.int().min(0).optional().describe(TOLD.offset),
    page: z.int().min(1).optional().describe(TOLD.page),
    lines: z
      .string()
      .regex(/^\d{1,15}(-\d{1,15})?$/)
      .optional()
      .describe(TOLD.lines),
    find: z.string().min(1).max(1000).optional().describe(TOLD.find),
    regex: z.boolean().optional().describe(TOLD.findRegex),
    fromRow: z.int().min(0).optional().describe(TOLD.fromRow),
    tokenCap: tokenCap(TOLD.tokenCap),
  }),
  lcm_expand: z.object({
    summaryId: id(TOLD.summaryId),
    depth: z.int().min(1).max(1000).optional().describe(TOLD.depth),
    includeMessages: z.boolean().optional().describe(TOLD.includeMessages),
    tokenCap: tokenCap(TOLD.tokenCap),
    cursor: z.string().max(4_000).optional().describe(TOLD.expandCursor),
  }),
  lcm_expand_query: z.object({
    prompt: z.string().min(1).max(10_000).describe(TOLD.prompt),
    summaryIds: z.array(id(TOLD.summaryId)).max(50).optional().describe(TOLD.summaryIds),
    query: z.string().max(10_000).optional().describe(TOLD.searchQuery),
    conversationId: conversation.optional().describe(TOLD.conversationId),
    depth: z.int().min(1).max(1000).optional().describe(TOLD.readDepth),
    tokenCap: tokenCap(TOLD.readTokenCap),
    summarizer: z.string().max(80).optional().describe(TOLD.summarizer),
  }),
} as const

export type ToolName = keyof typeof INPUTS
export type ToolInput<Name extends ToolName> = z.infer<(typeof INPUTS)[Name]>
