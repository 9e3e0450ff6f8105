import { expect, it } from 'vitest'
import type { MessagePart } from '#core/contract/message.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readMessages } from '#core/systems/reading/message-reader.ts'
import { buildMemory, STORY_BEGINS_MS } from '#test/builders/memory.ts'

/** How a column is written, and what a reader is given of it. */
const columns: Readonly<Record<string, { readonly put: Partial<NewPart>; readonly read: Partial<MessagePart> }>> = {
  text_content: { put: { text: 'said' }, read: { text: 'said' } },
  is_ignored: { put: { isIgnored: true }, read: { details: { ignored: true } } },
  is_synthetic: { put: { isSynthetic: true }, read: { isSynthetic: true } },
  tool_call_id: { put: { toolCallId: 'call_1' }, read: { toolCallId: 'call_1' } },
  tool_name: { put: { toolName: 'bash' }, read: { toolName: 'bash' } },
  tool_status: { put: { toolStatus: 'error' }, read: { toolStatus: 'error' } },
  tool_title: { put: { toolTitle: 'List' }, read: { details: { toolTitle: 'List' } } },
  tool_input: { put: { toolInput: '{"a":1}' }, read: { toolInput: '{"a":1}' } },
  tool_output: { put: { toolOutput: 'out' }, read: { toolOutput: 'out' } },
  tool_error: { put: { toolError: 'wrong' }, read: { toolError: 'wrong' } },
  patch_hash: { put: { patchHash: 'abc' }, read: { details: { patchHash: 'abc' } } },
  patch_files: { put: { patchFiles: '["a"]' }, read: { details: { patchFiles: '["a"]' } } },
  file_mime: { put: { fileMime: 'text/csv' }, read: { fileMime: 'text/csv' } },
  file_name: { put: { fileName: 'a.csv' }, read: { fileName: 'a.csv' } },
  file_url: { put: { fileUrl: 'file:///a' }, read: { fileUrl: 'file:///a' } },
  subtask_prompt: { put: { subtaskPrompt: 'find' }, read: { details: { subtaskPrompt: 'find' } } },
  subtask_desc: { put: { subtaskDesc: 'callers' }, read: { details: { subtaskDesc: 'callers' } } },
  subtask_agent: { put: { subtaskAgent: 'explore' }, read: { details: { subtaskAgent: 'explore' } } },
  step_reason: { put: { stepReason: 'stop' }, read: { details: { stepReason: 'stop' } } },
  step_cost: { put: { stepCost: 0.0125 }, read: { details: { stepCost: 0.0125 } } },
  step_tokens_in: { put: { stepTokensIn: 12 }, read: { details: { stepTokensIn: 12 } } },
  step_tokens_out: { put: { stepTokensOut: 5 }, read: { details: { stepTokensOut: 5 } } },
  snapshot_hash: { put: { snapshotHash: 'def' }, read: { details: { snapshotHash: 'def' } } },
  compaction_auto: { put: { compactionAuto: false }, read: { details: { compactionAuto: false } } },
  metadata: { put: { metadata: '{"b":2}' }, read: { metadata: '{"b":2}' } },
}
/** What the store itself decides: keys, the type, and where a text is that is stored once. */
const OF_THE_STORE = ['part_id', 'message_id', 'session_id', 'part_type', 'ordinal', 'is_content']
/** Written by a working copy, which leaves out text that the message has (test/doctor/working-copy/text-once.test.ts). */
const OF_COPIES = ['text_is_content', 'metadata_has_text']

it('every column of message_parts is written from a part and read back with it', () => {
  using memory = buildMemory()
  const stored = memory.db.column<string>(`SELECT name FROM pragma_table_info('message_parts')`)
  expect([...Object.keys(columns), ...OF_THE_STORE, ...OF_COPIES].toSorted()).toEqual(stored.toSorted())
  const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
  const conversation = store.ensureConversation({ importer: 'test', sessionId: 's' })
  const parts = Object.values(columns).map(({ put }): NewPart => ({ type: 'retry', ...put }))
  store.append(conversation, [{ externalId: 'a', role: 'assistant', content: 'other', createdAtMs: 1, parts }])
  const id = memory.db.value<number>('SELECT max(message_id) FROM messages') ?? 0
  const read = readMessages(memory.db, [id], 1000).get(id)?.parts ?? []
  for (const [at, [column, { read: expected }]] of Object.entries(columns).entries()) {
    expect(read[at], column).toMatchObject(expected)
    expect(read[at]?.details, column).toEqual(expected.details)
  }
})
