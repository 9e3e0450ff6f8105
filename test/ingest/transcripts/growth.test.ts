import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const long = (what: string): string => `${what} ${'with many words about it '.repeat(12)}`.trim()

/** The window as one sees it: of each item the first line, without the name of a run that a text may carry. */
const seen = (memory: TestMemory): readonly string[] => sentWindow(memory).texts

class ClaudeStory extends TranscriptBuilder {
  turn(n: number | string, parentUuid: string | null = this.lastUuid): string {
    const asked = this.user(long(`question ${n}`), { parentUuid })
    this.answer(`msg_${n}`, [text(long(`answer ${n}`))])
    return asked
  }

  compact(summary: string): void {
    this.record({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      parentUuid: null,
      logicalParentUuid: this.lastUuid,
      compactMetadata: { trigger: 'auto', preTokens: 155_000 },
    })
    this.user(summary, { isCompactSummary: true })
  }
}

/** A session with two compactions, after which the person goes back to the place that `back` names. */
function claudeCode(back: 1 | 2 | 3 | 5): string[] {
  const story = new ClaudeStory()
  const before: Record<number, string | null> = {}
  for (const n of [1, 2, 3, 4, 5]) {
    before[n] = story.lastUuid
    if (n === 3 || n === 5) story.compact(`What was done before ${n}.`)
    if (n === 5) before[n] = story.lastUuid
    story.turn(n)
  }
  story.turn('anew', before[back] ?? null)
  return story.lines
}

const at = '2026-03-02T09:00:00.000Z'
const json = (records: readonly unknown[]): string[] => records.map((record) => JSON.stringify(record))

function pi(back: string): string[] {
  const entry = (id: string, parentId: string | null) => ({
    type: 'message',
    id,
    parentId,
    timestamp: at,
    message: { role: 'user', content: long(`entry ${id}`) },
  })
  const compaction = { type: 'compaction', id: 'k', parentId: 'c', timestamp: at, summary: 'So far.', tokensBefore: 9 }
  return json([
    { type: 'session', version: 3, id: 'pi-1', timestamp: at, cwd: '/' },
    ...[entry('a', null), entry('b', 'a'), entry('c', 'b'), { ...compaction, firstKeptEntryId: 'c' }, entry('d', 'k')],
    entry('e', back),
  ])
}

function gemini(back: string): string[] {
  const record = (id: string) => ({ id, type: 'user', timestamp: at, content: long(`record ${id}`) })
  const snapshot = { ...record('s'), content: '<state_snapshot>So far.</state_snapshot>' }
  return json([
    { sessionId: 'g-1', projectHash: 'p', startTime: at },
    ...[record('a'), record('b'), record('c'), { $set: { messages: [snapshot, record('c')] } }, record('d')],
    ...[{ $rewindTo: back }, record('e')],
  ])
}

const stories: Record<string, readonly string[]> = {
  'Claude Code, back to the beginning': claudeCode(1),
  'Claude Code, back to before two compactions': claudeCode(2),
  'Claude Code, back between two compactions': claudeCode(3),
  'Claude Code, back to right after a compaction': claudeCode(5),
  'Pi, back to before a compaction': pi('a'),
  'Pi, back to the last entry before a compaction': pi('c'),
  'Pi, back to right after a compaction': pi('k'),
  'Gemini, back to the snapshot': gemini('s'),
  'Gemini, back to right after the snapshot': gemini('d'),
}

describe('the window of a session in which the person went back', () => {
  it.each(Object.entries(stories))(
    'is what its agent sees, in however many pieces it was imported: %s',
    async (_, lines) => {
      const path = join(temporaryFolder(), 'session.jsonl')
      const write = (count: number): void =>
        writeFileSync(
          path,
          lines
            .slice(0, count)
            .map((line) => `${line}\n`)
            .join(''),
        )
      using atOnce = buildMemory()
      write(lines.length)
      await importOne(atOnce.db, path)
      // Before and after what the person went back over; never between a boundary and its summary, where an import cannot
      // know yet what the boundary is.
      const cuts = [3, Math.ceil(lines.length / 2), lines.length - 2].filter(
        (cut) => !lines[cut - 1]?.includes('compact_boundary'),
      )
      for (const cut of cuts) {
        using memory = buildMemory()
        for (const count of [cut, lines.length]) {
          write(count)
          expect((await importOne(memory.db, path)).conflicts).toBe(0)
        }
        expect(seen(memory), `imported before at line ${cut}`).toEqual(seen(atOnce))
        if (cut === cuts.at(-1)) expect(await findings(memory.path)).toEqual([])
      }
    },
  )

  it('has its compaction again when the person returns to what the compaction replaced', async () => {
    const story = new ClaudeStory()
    story.lines.push(...claudeCode(2))
    const [answer5, ...anew] = story.lines.splice(-3)
    story.raw(answer5)
    using memory = buildMemory()
    await importOne(memory.db, story.write())
    expect(seen(memory)[0]).toContain('What was done before 5.')
    for (const line of anew) story.raw(line)
    await importOne(memory.db, story.write())
    expect(seen(memory).join()).not.toContain('What was done')
    const { uuid } = JSON.parse(answer5 ?? '') as { uuid: string }
    story.record({ uuid: 'again', type: 'user', parentUuid: uuid, message: { role: 'user', content: long('again') } })
    await importOne(memory.db, story.write())
    using atOnce = buildMemory()
    await importOne(atOnce.db, story.write())
    expect(seen(memory)).toEqual(seen(atOnce))
    expect(seen(memory)[0]).toContain('What was done before 5.')
    expect(await findings(memory.path)).toEqual([])
  })
})
