import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { call, TranscriptBuilder, text, thinking } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

type Told = { readonly lines: string[]; readonly blocks: readonly string[] }

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((s) => s.trim() !== '')
const turn = fc.record({
  ask: words,
  said: fc.array(fc.tuple(fc.constantFrom('text', 'thinking', 'call'), words), { minLength: 1, maxLength: 5 }),
  /** How the blocks are spread over records: true ends a record after this block. */
  cuts: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  noise: fc.array(fc.constantFrom('progress', 'snapshot', 'broken', 'bare', 'blank', 'repeat'), { maxLength: 3 }),
  /** Results come at once, between the blocks, or after them. */
  late: fc.boolean(),
})

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** Writes turns as Claude Code would, and says which blocks the answers have. */
function tell(turns: readonly Turn[]): Told {
  const story = new TranscriptBuilder()
  const blocks: string[] = []
  turns.forEach(({ ask, said, cuts, noise, late }, number) => {
    story.user(ask)
    const apiId = `msg_${number}`
    const unanswered: [string, string][] = []
    let open: unknown[] = []
    said.forEach(([kind, words], index) => {
      const callId = `call_${number}_${index}`
      blocks.push(`${apiId}:${kind}:${words}`)
      if (kind === 'text') open.push(text(words))
      else if (kind === 'thinking') open.push(thinking(words))
      else open.push(call(callId, 'Do', { content: words }))
      if (kind === 'call') unanswered.push([callId, words])
      if (!cuts[index] && index < said.length - 1) return
      story.answer(apiId, open)
      open = []
      if (!late) for (const [id, output] of unanswered.splice(0)) story.result(id, output)
    })
    for (const [id, output] of unanswered) story.result(id, output)
    for (const kind of noise) addNoise(story, kind)
  })
  return { lines: story.lines, blocks }
}

function addNoise(story: TranscriptBuilder, kind: string): void {
  if (kind === 'progress') story.record({ type: 'progress', data: {} })
  else if (kind === 'snapshot') story.raw({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} })
  else if (kind === 'broken') story.raw('{"type":"user","message":{"content":"lost')
  else if (kind === 'bare') story.raw('"bare"')
  else if (kind === 'blank') story.raw('')
  else story.raw(story.lines.findLast((line) => line.includes('"assistant"')) ?? '')
}

const stored = ({ db }: TestMemory): string[] =>
  db.column<string>("SELECT role || ':' || content FROM messages ORDER BY message_id")

const storedBlocks = ({ db }: TestMemory): string[] =>
  db.column<string>(
    `SELECT CASE WHEN instr(m.external_id, '#') > 0 THEN substr(m.external_id, 1, instr(m.external_id, '#') - 1)
       ELSE m.external_id END || ':' || CASE p.part_type WHEN 'tool' THEN 'call:' || (p.tool_input ->> 'content')
       WHEN 'reasoning' THEN 'thinking:' || p.text_content ELSE 'text:' || iif(p.is_content, m.content, p.text_content) END
     FROM messages AS m JOIN message_parts AS p USING (message_id)
     WHERE m.role = 'assistant' AND p.part_type <> 'step_finish' ORDER BY m.message_id, p.ordinal`,
  )

const byMessage = (blocks: readonly string[]): string[] =>
  blocks.toSorted((a, b) => Number(/^msg_(\d+)/.exec(a)?.[1]) - Number(/^msg_(\d+)/.exec(b)?.[1]))

const unusable = (lines: readonly string[]): number[] =>
  lines.flatMap((line, index) => (line === '"bare"' || line.endsWith('lost') ? [index + 1] : []))

// Invariant: however the blocks of an answer are spread over records, it is one message with these blocks in this order;
// noise and broken lines change nothing; a second import adds nothing.
it('stores every block once and in order, however the answers are split into records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
      using memory = buildMemory()
      const { lines, blocks } = tell(turns)
      const path = join(temporaryFolder(), 's.jsonl')
      writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
      const file = await importOne(memory.db, path)
      expect(storedBlocks(memory)).toEqual(blocks)
      expect(file.skipped.map(({ line }) => line)).toEqual(unusable(lines))
      expect(stored(memory).filter((line) => line.startsWith('user:'))).toEqual(turns.map(({ ask }) => `user:${ask}`))
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
      expect(storedBlocks(memory)).toEqual(blocks)
    }),
    { numRuns: runs(25) },
  )
})

// Invariant: importing a transcript while it grows loses nothing and doubles nothing, wherever it was cut, even within a
// line. The last import then finds everything there.
it('loses and doubles nothing when the transcript grows between imports', async () => {
  const cutsAt = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), cutsAt, async (turns, cuts) => {
      using memory = buildMemory()
      const { lines, blocks } = tell(turns)
      const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const path = join(temporaryFolder(), 's.jsonl')
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        writeFileSync(path, whole.subarray(0, Math.floor(cut * whole.length)))
        await importOne(memory.db, path).catch((error: { code?: string }) =>
          expect(error.code).toBe('transcript_unreadable'),
        )
      }
      writeFileSync(path, whole)
      expect(await importOne(memory.db, path)).toMatchObject({ conflicts: 0 })
      expect(byMessage(storedBlocks(memory))).toEqual(byMessage(blocks))
      const results = lines.filter((line) => line.includes('"tool_result"')).length
      expect(stored(memory).filter((line) => line.startsWith('tool:'))).toHaveLength(results)
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    }),
    { numRuns: runs(25) },
  )
})

// Invariant: at most one of the records of an answer is needed to know its place: the order of messages is that of their
// first records.
it('orders messages by their first record', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
      using memory = buildMemory()
      const { lines } = tell(turns)
      const path = join(temporaryFolder(), 's.jsonl')
      writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
      await importOne(memory.db, path)
      const ids = memory.db.column<string>('SELECT external_id FROM messages ORDER BY seq')
      const places = ids.map((id) =>
        lines.findIndex((line) => line.includes(`"id":"${id}"`) || line.includes(`"uuid":"${id}"`)),
      )
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    }),
    { numRuns: runs(20) },
  )
})
