import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openNative } from '#core/sqlite/native.ts'
import { metadataWithoutText, partMetadata, partText, wholeMetadata } from '#core/sqlite/repeated-texts.ts'
import { readMessages } from '#core/systems/reading/message-reader.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { losslessClawWriters } from '#test/builders/systems/lossless.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copied } from './copying.ts'

const LONG = 'The lease of the billing worker "A\\B" is gone.\n\tIt was taken twice, once by each host.'
const SHORT = 'Too short to be left out'

/** A file of lossless-claw whose messages have one part each, the original block of which is kept. */
function fileWith(
  parts: readonly { role: string; callId: string | null; content: string; text: string; metadata: string }[],
) {
  const path = join(temporaryFolder(), 'lcm.db')
  const file = losslessClawWriters[1]?.open(path)
  if (!file) throw new Error('no writer')
  file.db.exec(`INSERT INTO conversations (conversation_id, session_id) VALUES (1, 's')`)
  for (const [at, { role, callId, content, text, metadata }] of parts.entries()) {
    file.db
      .prepare(
        `INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count) VALUES (?, 1, ?, ?, ?, 20)`,
      )
      .run(at + 1, at + 1, role, content)
    file.db
      .prepare(
        `INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content, tool_call_id, metadata)
        VALUES (?, ?, 's', 'text', 0, ?, ?, ?)`,
      )
      .run(`p${at}`, at + 1, text, callId, metadata)
  }
  file.db.pragma('wal_checkpoint(TRUNCATE)')
  file.db.close()
  return path
}

const block = (text: string): string => JSON.stringify({ originalRole: 'user', raw: { type: 'text', text } })

const STORED = `
  SELECT is_content AS isContent, text_is_content AS textIsContent, metadata_has_text AS metadataHasText,
    text_content AS text, metadata
  FROM message_parts ORDER BY message_id`

describe('a working copy of a file that stores texts more than once', () => {
  const parts = [
    { role: 'user', callId: null, content: LONG, text: LONG, metadata: block(LONG) },
    { role: 'tool', callId: 'call_1', content: LONG, text: LONG, metadata: block(LONG) },
    { role: 'assistant', callId: null, content: `${LONG} And more.`, text: LONG, metadata: block(LONG) },
    { role: 'user', callId: null, content: SHORT, text: SHORT, metadata: block(SHORT) },
    { role: 'user', callId: null, content: LONG, text: LONG, metadata: `${block(LONG)} cut o` },
  ]

  it('stores the text of a message once, and the text of a part once', async () => {
    const { path } = await copied(fileWith(parts))
    using copy = openMemory(path, { readOnly: true })
    const without = block('\u001a')
    expect(copy.read.all(STORED)).toEqual([
      { isContent: 1, textIsContent: null, metadataHasText: 1, text: null, metadata: without },
      { isContent: 0, textIsContent: 1, metadataHasText: 1, text: null, metadata: without },
      { isContent: 0, textIsContent: null, metadataHasText: 1, text: LONG, metadata: without },
      { isContent: 1, textIsContent: null, metadataHasText: null, text: null, metadata: block(SHORT) },
      { isContent: 1, textIsContent: null, metadataHasText: null, text: null, metadata: `${block(LONG)} cut o` },
    ])
  })

  it('shows every part as the original does, complete and cut to any length', async () => {
    const from = fileWith(parts)
    const { path, report } = await copied(from)
    expect(report).toMatchObject({ messages: 5, adjusted: [] })
    const [original, copy] = [openMemory(from, { readOnly: true }), openMemory(path, { readOnly: true })]
    const ids = parts.map((_, at) => at + 1)
    for (const chars of [...Array.from({ length: 200 }, (_, at) => at + 1), 20_000]) {
      const shown = [original, copy].map(({ read }) => {
        const messages = [...readMessages(read, ids, chars).values()]
        return messages.map(({ isCut, parts: of }) => ({ isCut, of }))
      })
      expect(shown[1]).toEqual(shown[0])
    }
    original.close()
    copy.close()
  })

  it('is copied again unchanged', async () => {
    const first = await copied(fileWith(parts))
    const second = await copied(first.path)
    expect(second.report).toMatchObject({ messages: 5, adjusted: [] })
    const stored = [first, second].map(({ path }) => {
      const memory = openMemory(path, { readOnly: true })
      const rows = memory.read.all(STORED)
      memory.close()
      return rows
    })
    expect(stored[1]).toEqual(stored[0])
  })
})

describe('metadata that is stored without the text of its part', () => {
  const db = openNative(join(temporaryFolder(), 'lcm.db'))
  afterAll(() => db.close())
  const inSql = (metadata: string, text: string): unknown =>
    db.get(
      /* sql */ `
      SELECT ${partMetadata('p')} AS metadata, ${partText('p')} AS text
      FROM (SELECT 0 AS is_content, NULL AS text_is_content, 1 AS metadata_has_text, 0 AS message_id,
        :text AS text_content, :metadata AS metadata) AS p`,
      { metadata, text },
    )

  it('is restored byte by byte, in the program and in SQL', () => {
    const character = fc.constantFrom(...'ab"\\\n\r\t\u0001\u001aé🙃u0{}', '\\u001a')
    const text = fc.array(character, { minLength: 20, maxLength: 80 }).map((all) => all.join(''))
    fc.assert(
      fc.property(text, text, fc.boolean(), (said, other, isNested) => {
        const given = JSON.stringify({
          other,
          raw: isNested ? { text: JSON.stringify({ said }) } : { said },
          again: said,
        })
        const stored = metadataWithoutText(given, said)
        if (stored === null) return
        expect(stored.length).toBeLessThan(given.length)
        expect(JSON.parse(stored)).toBeTypeOf('object')
        expect(wholeMetadata(stored, said)).toBe(given)
        expect(inSql(stored, said)).toEqual({ metadata: given, text: said })
      }),
    )
  })

  it('is at most as long as itself and the text together, for any content', () => {
    const stored = JSON.stringify(Array.from({ length: 1000 }, () => '\u001a'))
    const text = 'x'.repeat(10_000)
    expect(wholeMetadata(stored, text).length).toBeLessThan(stored.length + text.length)
    expect(inSql(stored, text)).toEqual({ metadata: wholeMetadata(stored, text), text })
  })
})
