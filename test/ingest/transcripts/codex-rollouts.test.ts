import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { dump, told, writeLines } from '#test/builders/transcript-rows.ts'

/** Ids begin with their time: 28 November 2026. */
const SESSION = '01a21fc7-f280-7000-8000-000000000001'
const SECOND = '01a21fc7-f280-7000-8000-000000000002'
const THIRD = '01a21fc7-f280-7000-8000-000000000003'

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 28, 23, minute)).toISOString()

type Base = { readonly thread_id: string; readonly end_ordinal_exclusive: number }

/** Writes one file of the session, whose records are numbered on from where it begins. */
class RolloutBuilder {
  readonly #lines: unknown[] = []
  readonly #name: string
  readonly #minute: number
  #ordinal: number

  constructor(minute: number, id: string, base?: Base) {
    this.#minute = minute
    this.#ordinal = base?.end_ordinal_exclusive ?? 0
    const time = at(minute).slice(0, 19).replaceAll(':', '-')
    this.#name = `rollout-${time}-${SESSION}${id === SESSION ? '' : `_${id}`}.jsonl`
    this.add('session_meta', { id: SESSION, session_id: SESSION, ...(base ? { history_base: base } : {}) })
  }

  /** The number of the next record. */
  get next(): number {
    return this.#ordinal
  }

  add(type: string, payload: unknown): this {
    this.#lines.push({ timestamp: at(this.#minute), ordinal: this.#ordinal, type, payload })
    this.#ordinal += 1
    return this
  }

  said(role: 'user' | 'assistant', words: string): this {
    return this.add('response_item', { type: 'message', role, content: [{ type: 'text', text: words }] })
  }

  turn(words: string): this {
    return this.said('user', words).said('assistant', `answer to ${words}`)
  }

  write(root: string, day = '28'): string {
    const folder = join(root, '2026', '11', day)
    mkdirSync(folder, { recursive: true })
    return writeLines(this.#lines, this.#name, folder)
  }
}

/** One and two, back to before two, two again and three, back to before two, four. */
function files(days: readonly [string, string, string]): string[] {
  const root = join(temporaryFolder(), 'sessions')
  const first = new RolloutBuilder(0, SESSION).turn('one')
  const base = { thread_id: SESSION, end_ordinal_exclusive: first.next }
  first.turn('two')
  const second = new RolloutBuilder(1, SECOND, base).turn('two').turn('three')
  const third = new RolloutBuilder(2, THIRD, base).turn('four')
  return [first, second, third].map((one, number) => one.write(root, days[number]))
}

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const

it.each(orders)(
  'a session of Codex in which a person went back is what it is, with its files in the order %i, %i, %i',
  async (...order) => {
    using memory = buildMemory()
    const paths = files(['28', '28', '28'])
    for (const number of order) expect(await importOne(memory.db, paths[number] ?? '')).toMatchObject({ conflicts: 0 })
    const before = dump(memory)
    for (const path of paths) expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    expect(dump(memory)).toEqual(before)
    const words = ['one', 'two', 'two', 'three', 'four']
    expect(told(memory, SESSION)).toEqual(words.flatMap((one) => [`user: ${one}`, `assistant: answer to ${one}`]))
    expect(sentWindow(memory, SESSION).texts).toEqual(['one', 'answer to one', 'four', 'answer to four'])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('one')
    expect(await findings(memory.path)).toEqual([])
  },
)

it('a session of Codex is read with its files in the folders of other days', async () => {
  using memory = buildMemory()
  const paths = files(['28', '29', '30'])
  await importOne(memory.db, paths[2] ?? '')
  expect(told(memory, SESSION)).toHaveLength(10)
  expect(sentWindow(memory, SESSION).texts).toEqual(['one', 'answer to one', 'four', 'answer to four'])
})

it('a file of a session of Codex is read with those of later days, which take back what it says', async () => {
  using memory = buildMemory()
  const paths = files(['28', '29', '30'])
  await importOne(memory.db, paths[1] ?? '')
  expect(told(memory, SESSION)).toHaveLength(10)
  expect(sentWindow(memory, SESSION).texts).toEqual(['one', 'answer to one', 'four', 'answer to four'])
})

it('a compaction of Codex behind which a person went back is taken back', async () => {
  using memory = buildMemory()
  const root = join(temporaryFolder(), 'sessions')
  const first = new RolloutBuilder(0, SESSION).turn('one')
  const base = { thread_id: SESSION, end_ordinal_exclusive: first.next }
  first.turn('two').add('compacted', { message: 'Told so far.', replacement_history: [] }).turn('after it')
  await importOne(memory.db, first.write(root))
  expect(sentWindow(memory, SESSION).texts.at(-2)).toBe('after it')
  expect(sentWindow(memory, SESSION).texts).not.toContain('one')
  await importOne(memory.db, new RolloutBuilder(1, SECOND, base).turn('three').write(root))
  expect(sentWindow(memory, SESSION).texts).toEqual(['one', 'answer to one', 'three', 'answer to three'])
  expect(await findings(memory.path)).toEqual([])
})

it('a session of Codex begins anew when a person goes back to before its first prompt', async () => {
  using memory = buildMemory()
  const root = join(temporaryFolder(), 'sessions')
  const paths = [new RolloutBuilder(0, SESSION).turn('one'), new RolloutBuilder(1, SECOND).turn('two')]
  for (const path of paths) await importOne(memory.db, path.write(root))
  expect(told(memory, SESSION)).toHaveLength(4)
  expect(sentWindow(memory, SESSION).texts).toEqual(['two', 'answer to two'])
})

it('a file of Codex whose earlier file is not there is a session by itself', async () => {
  using memory = buildMemory()
  const base = { thread_id: SESSION, end_ordinal_exclusive: 40 }
  const path = new RolloutBuilder(1, SECOND, base).turn('three').write(join(temporaryFolder(), 'sessions'))
  expect(await importOne(memory.db, path)).toMatchObject({ added: 2, error: null })
  expect(sentWindow(memory, SESSION).texts).toEqual(['three', 'answer to three'])
})

// Invariant: going on where the last reading ended gives the same memory as reading the whole.
it('a session of Codex with several files goes on where the reading of its newest file ended', async () => {
  using going = buildMemory()
  using whole = buildMemory()
  const root = join(temporaryFolder(), 'sessions')
  const first = new RolloutBuilder(0, SESSION).turn('one')
  const base = { thread_id: SESSION, end_ordinal_exclusive: first.next }
  first.turn('two').write(root)
  const second = new RolloutBuilder(1, SECOND, base).turn('three')
  for (const [words, isWhole] of [
    ['four', true],
    ['five', false],
    ['six', false],
  ] as const) {
    const path = second.turn(words).write(root)
    const { files: grown } = await runImport(going.db, [path], { goesOn: true })
    await runImport(whole.db, [path], { goesOn: false })
    expect(grown[0]).toMatchObject(isWhole ? { added: 8, alreadyThere: 0 } : { added: 2, alreadyThere: 0 })
    expect(dump(going)).toEqual(dump(whole))
  }
  const back = new RolloutBuilder(2, THIRD, { thread_id: SECOND, end_ordinal_exclusive: base.end_ordinal_exclusive })
  back.turn('seven').write(root)
  const late = second.turn('late').write(root)
  for (const [memory, goesOn] of [
    [going, true],
    [whole, false],
  ] as const)
    await runImport(memory.db, [late], { goesOn })
  expect(dump(going)).toEqual(dump(whole))
  expect(sentWindow(going, SESSION).texts).toEqual(['one', 'answer to one', 'seven', 'answer to seven'])
})
