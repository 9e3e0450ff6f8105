import { join } from 'node:path'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { userFolders } from '#core/folders.ts'
import { sha256 } from '#core/hashing.ts'
import { memoriesIn } from '../places.ts'
import { NUMBERS_FROM_SOURCES } from '../reading/read-summaries.ts'
import type { System } from '../system.ts'
import { indexTrigger, jsonOfConversation, jsonOfPart, jsonOfSummary, usualFacts } from '../system-facts.ts'

/** Our own files. They are told by a mark in their header, and opened for writing where that is possible. */
export const native: System = {
  id: 'native',
  facts: {
    ...usualFacts,
    sequence: 'kept',
    storedNumbers: NUMBERS_FROM_SOURCES,
    keepsFileStore: true,
    messageHash: {
      column: ['messages', 'content_hash'],
      sql: 'm.content_hash',
      of: ({ content }) => sha256(content ?? ''),
    },
    jsonColumns: [
      jsonOfSummary('file_ids'),
      jsonOfPart('metadata', 'any'),
      { ...jsonOfConversation('compaction_events', 'removed'), id: 't.summary_id', shape: 'array' },
      { ...jsonOfConversation('compaction_events', 'attempts'), id: 't.summary_id', shape: 'array' },
      jsonOfConversation('compaction_runs', 'configuration'),
    ],
    triggers: [
      indexTrigger('messages_index_insert', ['messages_fts']),
      indexTrigger('message_parts_index_insert', ['messages_fts']),
      ...['insert', 'update', 'delete'].map((on) => indexTrigger(`summaries_index_${on}`, ['summaries_fts'])),
      ...['messages_immutable', 'messages_undeletable', 'message_parts_immutable', 'message_parts_undeletable'].map(
        (name) => ({ name, needs: ['message_parts'], why: 'without it messages can be changed' }),
      ),
    ],
  },
  // What the tables of a native file refuse is looked for in what was scanned.
  valueRules: [],
  ownIndexes: [
    {
      name: 'messages_fts',
      of: 'messages',
      rowid: 't.message_id',
      text: 't.content',
      node: `'msg_' || t.message_id`,
      conversation: 't.conversation_id',
    },
    {
      name: 'summaries_fts',
      of: 'summaries',
      rowid: 't.summary_rowid',
      text: 't.content',
      node: 't.summary_id',
      conversation: 't.conversation_id',
    },
  ],
  tokenRules: [],
  knownExceptions: [],
  rules: [],
  preset: null,
  places: ({ env }) => {
    const { data } = userFolders(env)
    return [...memoriesIn(data), ...memoriesIn(join(data, 'memories'))]
  },
  summaries: 'replace',
  ledger: null,
}

/** Whether a file is one of ours: only these are written, and have logs, hashes and ledgers of our making. */
export const isNative = ({ system }: Pick<MemoryInfo, 'system'>): boolean => system === native.id
