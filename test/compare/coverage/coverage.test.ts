import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type MessageSpec } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { writeJson, writeLines } from '#test/builders/transcript-rows.ts'

type Role = 'user' | 'assistant'
type Word = { readonly role: Role; readonly content: string }
const word = (content: string, role: Role = 'user'): Word => ({ role, content })
const memoryOf = (messages: readonly MessageSpec[]) => {
  const memory = buildMemory()
  memory.conversation({ sessionId: 's-1', messages })
  return memory
}
const story = ['The build fails.', 'Which step of it?', 'The linker.', 'I look at it.'].map((content, index) =>
  word(content, index % 2 === 0 ? 'user' : 'assistant'),
)

describe('the comparison of a conversation with its transcript', () => {
  it('has no findings when every message arrived once and unchanged', async () => {
    using memory = memoryOf(story)
    const report = await compare(memory.path, writeLines(story))
    expect(report).toMatchObject({ ok: true, inTranscript: 4, inDatabase: 4, matched: 4, notes: [], skippedLines: 0 })
    expect(report.counts).toEqual({ missing: 0, duplicated: 0, differing: 0, extra: 0 })
  })

  it('names a missing message by its line and by the message before it', async () => {
    using memory = memoryOf([story[0], story[1], story[3]].flatMap((one) => one ?? []))
    const report = await compare(memory.path, writeLines(story))
    expect(report.ok).toBe(false)
    expect(report.missing).toEqual([
      { line: 3, role: 'user', atMs: null, excerpt: 'The linker.', afterMessageId: 'msg_2' },
    ])
    expect(report.counts).toEqual({ missing: 1, duplicated: 0, differing: 0, extra: 0 })
  })

  it('names a message that arrived twice, beside the right one', async () => {
    using memory = memoryOf([...story.slice(0, 2), ...story.slice(1)])
    const report = await compare(memory.path, writeLines(story))
    expect(report.duplicated).toEqual([
      { line: 2, messageId: 'msg_3', firstMessageId: 'msg_2', role: 'assistant', excerpt: 'Which step of it?' },
    ])
    expect(report.counts).toEqual({ missing: 0, duplicated: 1, differing: 0, extra: 0 })
  })

  it('shows a difference from shortly before its first character', async () => {
    const long = `${'The same words again and again. '.repeat(10)}`
    using memory = memoryOf([word('One.'), word(`${long}Then this.`), word('Two.')])
    const report = await compare(memory.path, writeLines([word('One.'), word(`${long}Then that.`), word('Two.')]))
    expect(report.differing).toMatchObject([{ line: 2, messageId: 'msg_2', differs: 'text' }])
    expect(report.differing[0]?.excerpt).toMatch(/^….*Then that\.$/)
    expect(report.differing[0]?.storedExcerpt).toMatch(/^….*Then this\.$/)
  })

  it('lists messages that only the memory has as extra, which is no fault', async () => {
    using memory = memoryOf([...story, word('Summary of the conversation so far: a linker error.')])
    const report = await compare(memory.path, writeLines(story))
    expect(report).toMatchObject({ ok: true, extra: [{ messageId: 'msg_5', role: 'user' }] })
  })

  it('has no finding when the same words were said as often on both sides', async () => {
    const yes = [word('Go on?', 'assistant'), word('yes'), word('And now?', 'assistant'), word('yes')]
    using memory = memoryOf(yes)
    expect(await compare(memory.path, writeLines(yes))).toMatchObject({ ok: true })
    using less = memoryOf(yes.slice(0, 3))
    expect((await compare(less.path, writeLines(yes))).missing).toMatchObject([{ line: 4, excerpt: 'yes' }])
    using other = memoryOf([yes[0], yes[2], yes[3]].flatMap((one) => one ?? []))
    expect((await compare(other.path, writeLines(yes))).missing).toMatchObject([{ line: 2, excerpt: 'yes' }])
  })

  it('separates a changed message from a duplicate among words that recur', async () => {
    const no = word('no')
    using memory = memoryOf([no, no, word('Stop 1: look at the next file.'), no, word('yes')])
    const report = await compare(memory.path, writeLines([no, word('Step 1: look at the next file.'), no, word('yes')]))
    expect(report.differing).toMatchObject([{ line: 2, messageId: 'msg_3' }])
    expect(report.counts).toEqual({ missing: 0, duplicated: 1, differing: 1, extra: 0 })
  })

  it('finds a change at the end of a long text', async () => {
    const long = 'The same words again and again. '.repeat(1000)
    using memory = memoryOf([word('One.'), word(`${long}Then this.`)])
    const report = await compare(memory.path, writeLines([word('One.'), word(`${long}Then that.`)]))
    expect(report.differing).toMatchObject([{ line: 2, messageId: 'msg_2', differs: 'text' }])
    expect(report.differing[0]?.excerpt).toMatch(/^….*Then that\.$/)
    expect(report.differing[0]?.storedExcerpt).toMatch(/^….*Then this\.$/)
  })

  it('says when so much is left over that not all of it was compared', async () => {
    const lost = Array.from({ length: 401 }, (_, index) => word(`What was said as number ${index}.`))
    using memory = memoryOf([story[0] as Word, word('Something else.', 'assistant'), story[1] as Word])
    const few = await compare(memory.path, writeLines([story[0], ...lost.slice(1), story[1]]))
    expect([few.counts.missing, few.notes]).toEqual([400, []])
    const many = await compare(memory.path, writeLines([story[0], ...lost, story[1]]))
    expect(many.counts.missing).toBe(401)
    expect(many.notes).toEqual([expect.stringMatching(/not all of it was compared: 1 of the missing/)])
  })

  it('says when a message is stored under another role', async () => {
    using memory = memoryOf([word('One.'), word('Two.', 'user')])
    const report = await compare(memory.path, writeLines([word('One.'), word('Two.', 'assistant')]))
    expect(report.differing).toMatchObject([{ line: 2, messageId: 'msg_2', differs: 'role' }])
  })

  it('says when the newest messages are missing, which may still arrive', async () => {
    using memory = memoryOf(story.slice(0, 2))
    const report = await compare(memory.path, writeLines(story))
    expect(report.counts.missing).toBe(2)
    expect(report.notes).toEqual([expect.stringMatching(/^2 of the missing are the newest/)])
  })

  it('says when messages are stored in another order', async () => {
    using memory = memoryOf([story[0], story[2], story[1], story[3]].flatMap((one) => one ?? []))
    const report = await compare(memory.path, writeLines(story))
    expect(report).toMatchObject({ ok: true, matched: 4 })
    expect(report.notes).toEqual([expect.stringMatching(/another order/)])
  })

  it('lists every message as missing when the memory is empty', async () => {
    using memory = memoryOf([])
    expect((await compare(memory.path, writeLines(story))).counts).toMatchObject({ missing: 4, extra: 0 })
  })

  it.each([
    ['a conversation that is not there', 7, 'not_found'],
    ['a file that is not there', 1, 'file_missing'],
    ['a file that is no transcript', 1, 'transcript_unreadable'],
  ])('refuses %s', async (what, conversationId, code) => {
    using memory = memoryOf(story)
    const path = what.includes('no transcript') ? writeJson({ name: 'shop' }) : '/nowhere/session.jsonl'
    await expect(compare(memory.path, path, { conversationId })).rejects.toMatchObject({ code })
  })

  it('stops when it is cancelled', async () => {
    using memory = memoryOf(story)
    const signal = AbortSignal.abort()
    await expect(compare(memory.path, writeLines(story), { signal })).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('the comparison with a system that rewrites messages', () => {
  it.each([
    ['trimmed and wrapped lines', 'A long line\n  and another.  ', 'A long line and another.'],
    ['tags around it', 'Do it.', '<user_message from="Ann">\nDo it.\n</user_message>'],
    ['a reminder of the program taken out', 'Do it.<system-reminder>Be brief.</system-reminder>', 'Do it.'],
    ['a time in front of it', 'Do it.', '[2026-03-02 09:00] Do it.'],
  ])('has no difference for %s', async (_, said, stored) => {
    using memory = memoryOf([story[0] as Word, word(stored), story[1] as Word])
    const transcript = writeLines([story[0], word(said), story[1]])
    expect(await compare(memory.path, transcript)).toMatchObject({ ok: true, counts: { extra: 0 } })
  })

  it('has no difference for one answer cut into several, or several joined to one', async () => {
    const whole = word('First I look.\n\nThen I change it.', 'assistant')
    const pieces = [word('First I look.', 'assistant'), word('Then I change it.', 'assistant')]
    using cut = memoryOf([story[0] as Word, ...pieces, story[2] as Word])
    expect(await compare(cut.path, writeLines([story[0], whole, story[2]]))).toMatchObject({
      ok: true,
      counts: { extra: 0 },
    })
    using one = memoryOf([story[0] as Word, whole, story[2] as Word])
    expect(await compare(one.path, writeLines([story[0], ...pieces, story[2]]))).toMatchObject({ ok: true, matched: 4 })
  })

  it('has a note for a long text that became a file', async () => {
    const long = 'row of a log\n'.repeat(500)
    using memory = memoryOf([
      story[0] as Word,
      word('[Large file: file_0123456789abcdef, 500 lines]'),
      story[1] as Word,
    ])
    const report = await compare(memory.path, writeLines([story[0], word(long), story[1]]))
    expect(report).toMatchObject({ ok: true })
    expect(report.notes).toEqual([expect.stringMatching(/^1 long texts are files/)])
  })

  it('takes the longest text for the one that became a file when another one never arrived', async () => {
    const long = 'row of a log\n'.repeat(500)
    using memory = memoryOf([story[0] as Word, word('[Large file: file_0123456789abcdef]'), story[1] as Word])
    const lost = word('This is somewhat longer than a reference to a file, and it never arrived.')
    const report = await compare(memory.path, writeLines([story[0], lost, word(long), story[1]]))
    expect(report.missing).toMatchObject([{ line: 2, excerpt: lost.content }])
    expect(report.counts).toEqual({ missing: 1, duplicated: 0, differing: 0, extra: 0 })
  })

  it('has a difference when a call has other arguments', async () => {
    const call = (path: string) => ({
      role: 'assistant',
      content: 'I read it.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } }],
    })
    using memory = buildMemory()
    await importOne(memory.db, writeLines([word('Read it.'), call('a.txt')]))
    expect((await compare(memory.path, writeLines([word('Read it.'), call('a.txt')]))).ok).toBe(true)
    const report = await compare(memory.path, writeLines([word('Read it.'), call('b.txt')]))
    expect(report.differing).toMatchObject([
      { line: 2, differs: 'tool_calls', excerpt: 'read {"path":"b.txt"}', storedExcerpt: 'read {"path":"a.txt"}' },
    ])
  })

  it('keeps calls apart that differ only by their arguments', async () => {
    const call = (id: string, path: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } }],
    })
    const calls = [call('c1', 'a'), call('c2', 'b'), call('c3', 'c')]
    using memory = buildMemory()
    await importOne(memory.db, writeLines([word('Read them.'), calls[0], calls[2]]))
    const report = await compare(memory.path, writeLines([word('Read them.'), ...calls]))
    expect(report.missing).toMatchObject([{ line: 3, role: 'assistant', excerpt: 'read {"path":"b"}' }])
  })
})

// Exactly the dropped are missing, the doubled duplicated, the changed differing.
describe('random faults of a conversation', () => {
  const fate = fc.oneof(
    { weight: 12, arbitrary: fc.constant('kept' as const) },
    { weight: 1, arbitrary: fc.constant('dropped' as const) },
    { weight: 1, arbitrary: fc.constant('doubled' as const) },
    { weight: 1, arbitrary: fc.constant('changed' as const) },
  )
  const message = fc.record({
    role: fc.constantFrom<Role>('user', 'assistant'),
    short: fc.constantFrom('yes', 'no', 'go on', null, null, null, null),
    fate,
  })

  it('are found and named by their kind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 40 }), async (given) => {
        const said = given.map(({ role, short }, index) =>
          word(
            short ?? `Step ${index}: ${'look at the next file and tell what is in it. '.repeat(3)}${index * 7919}`,
            // It cannot be decided whether a word was lost by one and doubled by the other, or assigned to the wrong
            // one.
            short === null ? role : 'user',
          ),
        )
        const stored: Word[] = []
        const wanted = { missing: [] as string[], duplicated: [] as string[], differing: [] as number[] }
        for (const [index, one] of said.entries()) {
          // A changed short word is another word, which cannot be distinguished from a lost one.
          const isShort = given[index]?.short !== null
          const fateOf = given[index]?.fate === 'changed' && isShort ? 'kept' : given[index]?.fate
          if (fateOf === 'dropped') wanted.missing.push(one.content)
          else if (fateOf === 'changed') {
            wanted.differing.push(index + 1)
            stored.push({ ...one, content: one.content.replace('Step', 'Stop') })
          } else stored.push(one)
          if (fateOf === 'doubled') {
            wanted.duplicated.push(one.content)
            stored.push(one)
          }
        }
        // A short word lost here and doubled there, by the same person, is a word that moved.
        const balance = new Map<string, number>()
        for (const [list, sign] of [
          [said, 1],
          [stored, -1],
        ] as const) {
          for (const { role, content } of list) {
            if (content.length < 10) balance.set(`${role} ${content}`, (balance.get(`${role} ${content}`) ?? 0) + sign)
          }
        }
        const shortOf = (sign: number) =>
          [...balance].flatMap(([key, n]) => Array(Math.max(0, n * sign)).fill(key.replace(/^\w+ /, '')))
        const long = (list: readonly string[]) => list.filter((content) => content.length >= 10)
        using memory = memoryOf(stored)
        const report = await compare(memory.path, writeLines(said))
        const start = (content: string): string => content.trim().slice(0, 40)
        const sorted = (list: readonly string[]) => list.map(start).toSorted()
        expect(sorted(report.missing.map(({ excerpt }) => excerpt))).toEqual(
          sorted([...long(wanted.missing), ...shortOf(1)]),
        )
        expect(sorted(report.duplicated.map(({ excerpt }) => excerpt))).toEqual(
          sorted([...long(wanted.duplicated), ...shortOf(-1)]),
        )
        expect(report.differing.map(({ line }) => line)).toEqual(wanted.differing)
        expect(report.counts.extra).toBe(0)
      }),
      { numRuns: runs(15) },
    )
  })
})
