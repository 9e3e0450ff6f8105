import { closeSync, openSync, readSync } from 'node:fs'
import { jsonElements } from '#core/parsed-json.ts'
import { fileIds } from '#core/systems/records/files.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, findIn, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { storedFiles } from './file-store.ts'
import { rowRanges } from './row-ranges.ts'

const queries = {
  unexplored: /* sql */ `
    SELECT file_id AS id, conversation_id AS conversationId, 'nothing tells what is in it' AS detail
    FROM large_files
    WHERE trim(coalesce(exploration_summary, '')) = ''
      AND (:conversation IS NULL OR conversation_id = :conversation)`,
}

const CHUNK_BYTES = 1 << 20
const NEWLINE = 10

/** Counts lines as the system does: one more than line breaks. */
function* countLines(path: string): Generator<null, number> {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  const handle = openSync(path, 'r')
  let lines = 1
  try {
    for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer)) {
      for (let at = buffer.indexOf(NEWLINE); at >= 0 && at < read; at = buffer.indexOf(NEWLINE, at + 1)) lines += 1
      yield null
    }
  } finally {
    closeSync(handle)
  }
  return lines
}

function* findWrongLines(context: RuleContext): Iterable<Finding | null> {
  const { fileDetails } = context.system.facts
  if (!fileDetails) return
  const stored = new Map(context.db.rows<[string, number]>(fileDetails.lines))
  for (const { id, conversationId, found, bytes } of storedFiles(context)) {
    const expected = stored.get(id)
    if (!found || found.bytes === 0 || found.bytes !== bytes || expected === undefined) continue
    if (!isAsked(context, conversationId)) continue
    const lines = yield* countLines(found.path)
    // A break at the end may or may not count as another line.
    if (lines === expected || lines - 1 === expected) yield null
    else yield { id, conversationId, detail: `${lines} lines on disk, ${expected} stored` }
  }
}

/** Matches the reference that replaces a text: [LCM File: file_…], [LCM Tool Output: file_…]. */
const REFERENCE = /\[LCM [A-Za-z ]{1,40}: (file_[0-9a-f]{16})\b/g

/** Returns ids of files by the position of the message that refers to them. */
function* referencesOf({ db, memory, system }: RuleContext): Generator<null, Map<number, string[]>> {
  const known = fileIds(db)
  const references = new Map<number, string[]>()
  const { fileDetails } = system.facts
  if (known.size === 0 || !fileDetails) return references
  for (const range of rowRanges(db, 'messages')) {
    for (const { messageId, content } of db.iterate<{ messageId: number; content: unknown }>(
      fileDetails.mentions,
      range,
    )) {
      const ids = [...String(content).matchAll(REFERENCE)].flatMap(([, id]) => (id && known.has(id) ? [id] : []))
      if (ids.length > 0) references.set(memory.messages.positionOf(messageId), ids)
    }
    yield null
  }
  return references
}

/** What is neither a text nor a number names no file. */
const idIn = (element: unknown): string[] => (typeof element === 'object' ? [] : [String(element)])

function* findLost(context: RuleContext): Iterable<Finding | null> {
  const { memory } = context
  const { summaries, links } = memory
  const known = fileIds(context.db)
  const references = yield* referencesOf(context)
  const own = summaries.rows.map((row) => new Set(jsonElements(row.fileIds ?? '').flatMap(idIn)))
  for (const { index, id, conversationId } of summaries.rows) {
    const below = new Map<string, string>()
    for (const position of links.messagesOf(index)) {
      for (const file of references.get(position) ?? []) below.set(file, memory.messageId(position))
    }
    for (const source of links.sources[index] ?? []) {
      for (const file of own[source] ?? []) if (known.has(file)) below.set(file, summaries.at(source).id)
    }
    for (const [file, source] of below) {
      if (own[index]?.has(file) || !isAsked(context, conversationId)) continue
      yield { id, conversationId, detail: `does not carry on ${file} of its source ${source}` }
    }
    yield null
  }
}

const ifRecorded =
  (table: string, column: string, what: string) =>
  ({ info, probe, system }: RuleContext): string | null =>
    system.facts.fileDetails !== null && probe.has(table, column)
      ? null
      : `${info.systemLabel} does not record ${what}.`

export const fileContentRules = [
  {
    id: 'exploration_missing',
    group: 'files',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A large file has a text that tells what is in it.',
    explanation: 'An agent sees that text in place of the file: without it nobody knows whether to read the file.',
    advice: 'Open the file itself: an agent that is told what is in it can ask for it.',
    notApplicable: ({ info, system }) =>
      system.facts.exploresEveryFile ? null : `${info.systemLabel} does not write such a text for every file.`,
    find: (context) => findIn(context, ['large_files'], queries.unexplored),
  },
  {
    id: 'file_lines',
    group: 'files',
    severity: 'warning',
    phase: 'files',
    invariant: 'A stored file has the number of lines that was stored with it.',
    explanation: 'The file, or the note about it, was changed after it was stored.',
    advice: 'Compare the file with the transcript before relying on it.',
    notApplicable: ifRecorded('large_files', 'line_count', 'the lines of files'),
    find: findWrongLines,
  },
  {
    id: 'file_reference_lost',
    group: 'files',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary carries on the files that its sources refer to.',
    explanation: 'An agent that reads the summary is not told that there is a file, and cannot ask for it.',
    advice: 'Expand the summary: its sources name the file.',
    consequenceOf: [
      'malformed_json',
      'file_reference_unknown',
      'dangling_edge',
      'kind_mismatch',
      'lineage_cycle',
      'double_coverage',
      'cross_conversation_edge',
      'invalid_value',
    ],
    notApplicable: ifRecorded('summaries', 'file_ids', 'which files a summary carries on'),
    find: findLost,
  },
] as const satisfies readonly Rule[]
