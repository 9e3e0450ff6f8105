import { join } from 'node:path'
import { PartType, Role, SummaryKind } from '#core/contract/ids.ts'
import type { Preset } from '#core/contract/settings.ts'
import { sha256 } from '#core/hashing.ts'
import { isWide } from '#core/models/wide-characters.ts'
import { setIn } from '../places.ts'
import type { KnownException } from '../rules/known-exceptions.ts'
import { oncePerScan, type ScanContext } from '../rules/scanned-memory.ts'
import { count, countOrNone, id, named, number, oneOf, text, type ValueRule } from '../rules/value-rules.ts'
import type { OwnSettings } from '../system.ts'
import {
  jsonOfConversation,
  jsonOfPart,
  jsonOfSummary,
  type OwnIndex,
  type SystemFacts,
  usualFacts,
} from '../system-facts.ts'
import { lostTables } from './lost-tables.ts'
import { clawStructure } from './releases.ts'
import { storedParts } from './stored-parts.ts'
import { ownBudgets, workNotes } from './work-notes.ts'

const queries = {
  softResets: /* sql */ `
    SELECT conversation_id, unixepoch(soft_reset_pruned_at) * 1000
    FROM main.conversation_bootstrap_state
    WHERE unixepoch(soft_reset_pruned_at) IS NOT NULL`,
  largeContent: /* sql */ `
    SELECT 'msg_' || message_id AS id, conversation_id AS conversationId, large_content AS fileId
    FROM main.messages
    WHERE large_content IS NOT NULL AND large_content <> '' AND message_id > :after AND message_id <= :upTo`,
  /** Two messages with one key of the transcript, which an index of the file should have refused. */
  sameKey: (column: string) => /* sql */ `
    SELECT 'msg_' || max(message_id) AS id, conversation_id AS conversationId,
      'has the same ${column} as msg_' || min(message_id) AS detail
    FROM main.messages
    WHERE ${column} IS NOT NULL AND (:conversation IS NULL OR conversation_id = :conversation)
    GROUP BY conversation_id, ${column}
    HAVING count(*) > 1`,
  tokenSums: /* sql */ `
    SELECT summary_id AS id, descendant_token_count AS descendantTokens, source_message_token_count AS messageTokens
    FROM main.summaries`,
  fileLines: /* sql */ `SELECT file_id, line_count FROM main.large_files WHERE line_count IS NOT NULL`,
  fileMentions: /* sql */ `
    SELECT message_id AS messageId, content
    FROM main.messages
    WHERE message_id > :after AND message_id <= :upTo AND instr(content, '[LCM ') > 0`,
  /** Ids that are noted with the part whose text it moved to a file. */
  externalized: /* sql */ `
    SELECT 'msg_' || p.message_id AS id, m.conversation_id AS conversationId, j.value AS fileId
    FROM main.message_parts AS p
    JOIN main.messages AS m ON m.message_id = p.message_id
    JOIN json_each(json_array(
      json_extract(p.metadata, '$.externalizedFileId'), json_extract(p.metadata, '$.externalizedFileIds[0]'),
      json_extract(p.metadata, '$.externalizedFileIds[1]'), json_extract(p.metadata, '$.externalizedFileIds[2]'))) AS j
    WHERE instr(p.metadata, 'externalizedFileId') > 0 AND json_valid(p.metadata) AND j.value IS NOT NULL
      AND p.rowid > :after AND p.rowid <= :upTo`,
}

/** The family of lossless-claw shares its tables. */
export const familyFacts: SystemFacts = {
  ...usualFacts,
  hasDenseWindow: true,
  hasDenseLinks: true,
  sequence: 'pruned',
  storedNumbers: ['descendants', 'ranges'],
  recordsMaking: true,
  keepsFileStore: true,
  lostTables,
  work: workNotes,
  ownBudgets,
  tokenSums: {
    needs: [
      ['summaries', 'descendant_token_count'],
      ['summaries', 'source_message_token_count'],
      ['summaries', 'summary_id'],
    ],
    sql: queries.tokenSums,
  },
  jsonColumns: [
    jsonOfPart('metadata', 'any'),
    jsonOfPart('tool_input', 'document'),
    jsonOfPart('patch_files', 'document'),
    jsonOfSummary('file_ids'),
    { ...jsonOfConversation('messages', 'openclaw_sender_metadata'), id: `'msg_' || t.message_id`, shape: 'document' },
    { ...jsonOfConversation('focus_briefs', 'raw_result_json'), shape: 'document' },
    jsonOfConversation('conversation_transcript_epochs', 'metadata_json'),
    jsonOfConversation('pending_compaction_batches', 'session_target_json'),
  ],
}

/** When a conversation was begun anew and its window emptied by its own system. */
const softResets = oncePerScan(({ db, probe }: ScanContext): ReadonlyMap<number, number> => {
  if (!probe.has('conversation_bootstrap_state', 'soft_reset_pruned_at')) return new Map()
  return new Map(db.rows<[number, number]>(queries.softResets))
})

export const clawFacts: SystemFacts = {
  ...familyFacts,
  entryKeys: ['transcript_entry_id', 'stable_event_key'].map((column) => ({ column, sql: queries.sameKey(column) })),
  partRows: storedParts,
  exploresEveryFile: true,
  fileDetails: { lines: queries.fileLines, mentions: queries.fileMentions },
  fileReferences: [
    {
      needs: ['messages', 'large_content'],
      condition: `t.large_content IS NOT NULL AND t.large_content <> ''`,
      sql: queries.largeContent,
    },
    {
      needs: ['message_parts', 'metadata'],
      condition: `instr(t.metadata, 'externalizedFileId') > 0`,
      sql: queries.externalized,
    },
  ],
  structure: clawStructure,
  isUncoveredByDesign: (context, message) => {
    const { messages } = context.memory
    const resetAtMs = softResets(context).get(messages.conversationAt(message))
    return resetAtMs !== undefined && (messages.createdAtMs[message] as number) <= resetAtMs
  },
  isOrphanByDesign: (context, summary) => {
    const { summaries, extents } = context.memory
    const resetAtMs = softResets(context).get(summaries.at(summary).conversationId)
    return resetAtMs !== undefined && (extents.latestAtMs[summary] as number) <= resetAtMs
  },
  messageHash: {
    column: ['messages', 'identity_hash'],
    sql: '(SELECT x.identity_hash FROM main.messages AS x WHERE x.message_id = m.message_id)',
    of: ({ kind, content }) => sha256(`${kind}\0${content ?? ''}`),
  },
}

export const familyValueRules: readonly ValueRule[] = [
  oneOf('messages', 'role', Role.options, 'its role is'),
  count('messages', 'token_count', 'its number of tokens is'),
  number('messages', 'seq', 'its position in the sequence is'),
  number('messages', 'conversation_id', 'its conversation is'),
  text('messages', 'content', 'its text is'),
  id('summaries', 'summary_id'),
  id('large_files', 'file_id'),
  oneOf('summaries', 'kind', SummaryKind.options, 'its kind is'),
  count('summaries', 'depth', 'its depth is'),
  count('summaries', 'token_count', 'its number of tokens is'),
  text('summaries', 'content', 'its text is'),
  oneOf('message_parts', 'part_type', PartType.options, 'the type of a part of it is'),
  number('message_parts', 'message_id', 'the message of a part is'),
  oneOf('context_items', 'item_type', ['message', 'summary'], 'the type of an item of the window is'),
  number('context_items', 'ordinal', 'the place of an item of the window is'),
  named('conversations', 'session_id', 'the session of the conversation is'),
  countOrNone('large_files', 'byte_size', 'its size is'),
  countOrNone('large_files', 'line_count', 'its number of lines is'),
]

export const familyIndexes: readonly OwnIndex[] = [
  {
    name: 'messages_fts',
    of: 'messages',
    rowid: 't.message_id',
    text: 't.content',
    node: `'msg_' || t.message_id`,
    conversation: 't.conversation_id',
    copy: { text: 'c0' },
    // Boilerplate of references to files is left out of the index.
    isRewritten: `instr(t.content, '[LCM ') > 0`,
  },
  ...['summaries_fts', 'summaries_fts_cjk'].map(
    (name): OwnIndex => ({
      name,
      of: 'summaries',
      rowid: 't.rowid',
      text: 't.content',
      node: 't.summary_id',
      conversation: 't.conversation_id',
      copy: { text: 'c1', id: 'c0' },
      ...(name === 'summaries_fts_cjk' ? { since: ['conversations', 'active'] as const } : {}),
    }),
  ),
]

/** Four characters a token, whatever the script. */
export const fourCharacters = (of: string): number => Math.ceil(of.length / 4)

/** From the first wide character on. Most texts have none, which this tells ten times faster than a look at each. */
const MAY_BE_WIDE = /[\u1100-\uffff]/

/** A quarter a code point, CJK 1.5, beyond the basic plane 2, rounded up over the sum. */
export function weightedTokens(of: string): number {
  if (!MAY_BE_WIDE.test(of)) return fourCharacters(of)
  let quarters = 0
  for (let index = 0; index < of.length; index += 1) {
    const unit = of.charCodeAt(index)
    const isPair = (unit & 0xfc00) === 0xd800 && (of.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    quarters += isPair ? 8 : isWide(unit) ? 6 : 1
    if (isPair) index += 1
  }
  return Math.ceil(quarters / 4)
}

export const familyExceptions: readonly KnownException[] = [
  {
    rule: 'sequence_gap',
    why: (label) =>
      `${label} takes single turns out of a conversation by itself, such as a heartbeat without an answer. Nothing that was said to anybody is missing.`,
  },
]

const afterReset = (label: string): string =>
  `The session was begun anew in ${label}, which emptied its window: what was said before is kept, and is not shown any more.`

export const clawExceptions: readonly KnownException[] = [
  ...familyExceptions,
  { rule: 'coverage_gap', why: afterReset },
  { rule: 'orphan_summary', why: afterReset },
]

/** Its defaults, from its code and documentation. */
export const clawPreset: Preset = {
  name: 'lossless-claw',
  label: 'lossless-claw',
  settings: {
    softThreshold: 0.75,
    freshTailCount: 64,
    leafChunkTokens: 20_000,
    leafTargetTokens: 2_400,
    condensedTargetTokens: 2_000,
    condensedMinFanout: 4,
    maxDepth: 1,
    minMessagesToCompact: 8,
    maxActiveMessages: 0,
  },
  note: 'The budget is the window of the model in use. Under pressure it condenses from 2 summaries on; a sweep ends after 12 passes or 120 seconds and goes on later. Characters outside the Latin scripts count for more tokens.',
}

export const ownSettings: OwnSettings = {
  files: ({ home, env }) => [
    setIn(env, 'OPENCLAW_CONFIG_PATH') ??
      join(setIn(env, 'OPENCLAW_STATE_DIR') ?? join(home, '.openclaw'), 'openclaw.json'),
  ],
  format: 'json',
  sections: [
    {
      at: ['plugins', 'entries', 'lossless-claw', 'config'],
      names: {
        maxAssemblyTokenBudget: 'LCM_TOKEN_BUDGET',
        contextThreshold: 'LCM_CONTEXT_THRESHOLD',
        freshTailCount: 'LCM_FRESH_TAIL_COUNT',
        leafMinFanout: 'LCM_MIN_MESSAGES_TO_COMPACT',
        leafChunkTokens: 'LCM_LEAF_CHUNK_TOKENS',
        leafTargetTokens: 'LCM_LEAF_TARGET_TOKENS',
        condensedMinFanout: 'LCM_CONDENSED_MIN_FANOUT',
        condensedTargetTokens: 'LCM_CONDENSED_TARGET_TOKENS',
        incrementalMaxDepth: 'LCM_MAX_DEPTH',
        maxExpandTokens: 'LCM_MAX_EXPAND_TOKENS',
        autocompactDisabled: 'LCM_AUTOCOMPACT_DISABLED',
        largeFileThresholdTokens: 'LCM_LARGE_FILE_TOKEN_THRESHOLD',
        largeFileTokenThreshold: 'LCM_LARGE_FILE_TOKEN_THRESHOLD',
      },
    },
  ],
}
