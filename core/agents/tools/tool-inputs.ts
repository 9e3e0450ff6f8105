import { z } from 'zod'
import { ExpandQueryInput } from '#core/contract/expand-query.ts'
import { FilePage, FileSearch } from '#core/contract/file.ts'
import { NodeId } from '#core/contract/ids.ts'
import { OutlineInput } from '#core/contract/outline.ts'
import { ExpandInput, GrepInput } from '#core/contract/retrieval.ts'
import { ARGUMENTS } from './tool-texts.ts'

export const MOST_HITS = 50
const MOST_VALUES = 100

const time = z.string().max(40).optional()
const cursor = GrepInput.shape.cursor.unwrap().max(20_000).optional()
const { tokenCap } = ExpandQueryInput.shape

/** The fields of the contract, narrower where an agent is given less, without texts. */
const FIELDS = {
  lcm_grep: GrepInput.pick({
    ...{ query: true, mode: true, caseSensitive: true, match: true, scope: true, roles: true, within: true },
  }).extend({
    conversationIds: GrepInput.shape.conversationIds.unwrap().max(MOST_VALUES).optional(),
    depths: GrepInput.shape.depths.unwrap().max(MOST_VALUES).optional(),
    after: time,
    before: time,
    sort: GrepInput.shape.sort.unwrap().default('relevance'),
    limit: z.int().min(1).max(MOST_HITS).default(20),
    full: z.boolean().default(false),
    cursor,
  }),
  lcm_describe: OutlineInput.pick({ section: true, conversationId: true }).extend({
    id: NodeId.optional(),
    offset: z.int().min(0).default(0),
    page: FilePage.shape.page.optional(),
    lines: z
      .string()
      .regex(/^\d{1,15}(-\d{1,15})?$/)
      .optional(),
    find: FileSearch.shape.query.optional(),
    regex: FileSearch.shape.isRegex,
    fromRow: FileSearch.shape.fromRow,
    tokenCap,
  }),
  lcm_expand: ExpandInput.pick({ summaryId: true, depth: true, includeMessages: true }).extend({ tokenCap, cursor }),
  lcm_expand_query: ExpandQueryInput.omit({ fromMessage: true, toMessage: true }),
  lcm_loss: z.object({
    conversationId: OutlineInput.shape.conversationId,
    since: NodeId.optional(),
    limit: z.int().min(1).max(200).default(40),
  }),
} as const

export type ToolName = keyof typeof FIELDS
export type ToolInput<Name extends ToolName> = z.infer<(typeof FIELDS)[Name]>

/** The inputs of the tools with the texts for agents. They are constant, like all texts about the tools. */
export const INPUTS: Readonly<Record<ToolName, z.ZodObject>> = {
  lcm_grep: withTexts(FIELDS.lcm_grep, ARGUMENTS.lcm_grep),
  lcm_describe: withTexts(FIELDS.lcm_describe, ARGUMENTS.lcm_describe),
  lcm_expand: withTexts(FIELDS.lcm_expand, ARGUMENTS.lcm_expand),
  lcm_expand_query: withTexts(FIELDS.lcm_expand_query, ARGUMENTS.lcm_expand_query),
  lcm_loss: withTexts(FIELDS.lcm_loss, ARGUMENTS.lcm_loss),
}

/** Returns the object with its fields in the order of the texts. */
function withTexts<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  texts: Readonly<Record<keyof Shape & string, string>>,
): z.ZodObject {
  const fields: z.ZodRawShape = shape
  return z.object(
    Object.fromEntries(
      Object.entries<string>(texts).map(([name, text]) => [name, (fields[name] as z.ZodType).describe(text)]),
    ),
  )
}
