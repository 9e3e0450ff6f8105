import { describe, expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { windowOf, writeLines } from '#test/builders/transcript-rows.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 28, 4, 0, second)).toISOString()
const line = (type: string, payload: unknown, second: number) => ({ timestamp: at(second), type, payload })
const said = (id: string, role: string, ...texts: readonly string[]) => ({
  type: 'message',
  id,
  role,
  content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
})
const usage = (input: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: 100,
  cache_write_input_tokens: 7,
  output_tokens: output,
})

describe('the usage of a request that Codex records', () => {
  it('is taken once, and is no line that was left out', async () => {
    using memory = buildMemory()
    const count = {
      type: 'token_count',
      info: { total_token_usage: { total_tokens: 1 }, last_token_usage: usage(9, 9) },
    }
    const path = writeLines([
      line('session_meta', { id: 's-1' }, 0),
      line('response_item', said('m1', 'user', 'question'), 1),
      line('response_item', said('m2', 'assistant', 'answer'), 2),
      line('token_usage_record', { response_id: 'r1', usage: usage(1220, 37) }, 3),
      line('event_msg', count, 4),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2, skipped: [], skippedCount: 0 })
    expect(
      memory.db.all(
        `SELECT step_tokens_in AS input, step_tokens_out AS output, metadata FROM message_parts
         WHERE part_type = 'step_finish'`,
      ),
    ).toEqual([{ input: 1220, output: 37, metadata: JSON.stringify({ cacheReadTokens: 100, cacheWriteTokens: 7 }) }])
  })
})

describe('a compaction of Codex whose message is in the clear', () => {
  it('stands in the window once, beside the prompts that it kept, also one that lost its picture', async () => {
    using memory = buildMemory()
    const picture = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
    const asked = said('m1', 'user', '<image name=[Image #1]>', 'look at this')
    const summary = 'Another language model started. Its summary: the work is half done.'
    const path = writeLines([
      line('session_meta', { id: 's-1' }, 0),
      line('response_item', { ...asked, content: [asked.content[0], picture, asked.content[1]] }, 1),
      line('response_item', said('m2', 'assistant', 'a dot, as far as I can see in this picture'), 2),
      line('response_item', said('m3', 'assistant', 'the work is half done, said at length and in many words'), 3),
      line(
        'compacted',
        {
          message: summary,
          replacement_history: [
            said('m1', 'user', 'look at this'),
            said('m9', 'developer', 'new rules'),
            said('m10', 'user', summary),
          ],
        },
        4,
      ),
      line('response_item', said('m11', 'user', 'go on'), 5),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ compactions: 1, skippedCount: 0 })
    expect(windowOf(memory)).toEqual([
      'user: <image name=[Image #1]>\n\n[image image/png 8 bytes]\n\nlook at this',
      `leaf(unknown): ${summary}`,
      'system: new rules',
      'user: go on',
    ])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('look at this')
    expect(await findings(memory.path)).toEqual([])
  })
})
