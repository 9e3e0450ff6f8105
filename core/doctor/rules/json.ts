import { parsedJson } from '#core/parsed-json.ts'
import { contentsOfMessages } from '#core/systems/reading/texts.ts'
import { type Fix, type FixContext, namedSummaries } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import type { JsonColumn } from '#core/systems/system-facts.ts'
import { plural } from '#core/text.ts'
import { isMalformed, rangesWith } from './row-conditions.ts'

/** Tables with as many rows as there are messages. */
const isLong = (table: string): boolean => table === 'messages' || table === 'message_parts'

/** Names come from the system, never from the file. */
function sqlOf(json: JsonColumn): string {
  const { table, column, id, conversation, shape } = json
  return /* sql */ `
    SELECT ${id} AS id, ${conversation} AS conversationId,
      '${table}.${column} is no ${shape === 'array' ? 'list in JSON' : 'JSON'}: ' || substr(t.${column}, 1, 40) AS detail
    FROM main.${table} AS t
    WHERE ${isMalformed(json)}
      AND (:conversation IS NULL OR ${conversation} IS :conversation)
      ${isLong(table) ? 'AND t.rowid > :after AND t.rowid <= :upTo' : ''}`
}

function* findMalformed(context: RuleContext): Iterable<Finding | null> {
  const { db, system, probe, conversationId } = context
  for (const column of system.facts.jsonColumns) {
    const { table } = column
    if (!probe.has(table, column.column)) continue
    const sql = sqlOf(column)
    const ranges = isLong(table) ? yield* rangesWith(context, { table, condition: isMalformed(column) }) : [{}]
    for (const range of ranges) {
      for (const finding of db.iterate<Finding>(sql, { conversation: conversationId, ...range })) yield finding
      yield null
    }
  }
}

const setFileIds: Fix = {
  name: 'malformed_json',
  stage: 'file lists',
  reads: ['edges', 'fileIds', 'summaries'],
  *apply(context) {
    const { draft } = context
    const nodes = namedSummaries(context).filter((id) => !isList(draft.summaries.get(id)?.fileIds ?? null))
    for (const id of nodes) draft.set(id, { fileIds: JSON.stringify(fileIdsUnder(context, id)) })
    if (nodes.length === 0) return
    yield {
      title: `Write the file lists of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule: 'Every file that the sources refer to, in the order of first mention.',
      risk: 'safe',
      nodes,
    }
  },
}

const isList = (json: string | null): boolean => Array.isArray(parsedJson(json ?? ''))

const FILE_ID = /\bfile_[0-9a-f]{16}\b/g

function fileIdsUnder({ draft, db }: FixContext, id: string): string[] {
  const messages = draft.messageLinks(id).map((edge) => edge.to)
  const seqOf = (message: number): number => draft.messages.seqOf(message) ?? 0
  const texts = [...contentsOfMessages(db, messages)]
    .sort(([a], [b]) => seqOf(a) - seqOf(b))
    .map(([, content]) => content ?? '')
  const lists = draft.sources(id).map((source) => source.fileIds ?? '')
  return [...new Set([...texts, ...lists].flatMap((text) => text.match(FILE_ID) ?? []))]
}

export const jsonRules = [
  {
    id: 'malformed_json',
    group: 'json',
    severity: 'error',
    phase: 'text',
    invariant: 'Every text that should be JSON is.',
    explanation: 'What this row says cannot be read by a program. Other rows are read as if nothing was.',
    fixes: [setFileIds],
    advice: 'The damaged field belongs to a message and is never changed; everything else of its row is read.',
    cannotRestore: 'What the field said is only in a backup or the transcript.',
    notApplicable: ({ info, system }) =>
      system.facts.jsonColumns.length > 0 ? null : `${info.systemLabel} keeps nothing as JSON.`,
    find: findMalformed,
  },
] as const satisfies readonly Rule[]
