import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { changeSchema, HOSTILE_CHANGES, type HostileChange, tablesOf } from '../builders/hostile-schemas.ts'
import { Random } from '../builders/random.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Proves that nothing that a file computes (views, generated columns, checks, triggers, virtual tables, columns that hide
// row numbers) is run in place of a table: every service and the plan of a repair end on every such file, with an answer
// or a typed error.

type Said = { readonly path: string; readonly said: string }

/** One process reads all files: it can be ended where a statement is not. */
class Reader {
  readonly #child = spawn(process.execPath, [join(import.meta.dirname, 'children/read-files.ts'), temporaryFolder()], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()

  /** What came of reading it. A statement without end is killed, and told by. */
  async read(path: string): Promise<string> {
    this.#child.stdin.write(`${path}\n`)
    const timer = setTimeout(() => this.close(), 200_000)
    const line = await this.#lines.next()
    clearTimeout(timer)
    return line.done ? 'it does not end' : (JSON.parse(line.value) as Said).said
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}

const reader = new Reader()
afterAll(() => reader.close())

// A number that JavaScript cannot hold names no row that is there: not_found.
const TYPED = /^read$|^(file_corrupt|not_a_memory|unsupported_system|not_found): /
/** Of the changes of every table of every system, as many as a test has time for; all of them come in turn. */
const FILES_PER_SYSTEM = 6

function soundFile(writer: SystemWriter): string {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 3 })))
  return path
}

/** A copy with the change; null where it cannot be made of this table. */
function changed(sound: string, change: HostileChange, table: string): string | null {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(sound, path)
  try {
    changeSchema(path, change, table)
    return path
  } catch {
    return null
  }
}

describe.each([nativeWriter, ...WRITERS].map((writer) => ({ name: writer.name, writer })))(
  'a file of $name with a hostile structure',
  ({ name, writer }) => {
    it('answers every service, or fails with a typed error', async () => {
      const sound = soundFile(writer)
      const random = new Random([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_003)
      const tables = tablesOf(sound)
      for (let made = 0; made < FILES_PER_SYSTEM; ) {
        const [change, table] = [random.pick(HOSTILE_CHANGES), random.pick(tables)]
        const path = changed(sound, change, table)
        if (path === null) continue
        made += 1
        expect(await reader.read(path), `${table}: ${change.name}`).toMatch(TYPED)
      }
    })
  },
)

describe('a table of messages', () => {
  it.each(HOSTILE_CHANGES.map((change) => ({ name: change.name, change })))(
    'never hangs a reader when it is replaced by $name',
    async ({ change }) => {
      const lossless = WRITERS.find(({ name }) => name.startsWith('lossless-claw')) as SystemWriter
      for (const writer of [lossless, nativeWriter]) {
        const path = changed(soundFile(writer), change, 'messages')
        if (path !== null) expect(await reader.read(path), writer.name).toMatch(TYPED)
      }
    },
  )
})

// `max(rowid)` of such a table is a text: a range that went up to it never ended, in `integrity` and in `repair --plan`.
it('a text column named rowid in any table ends the scan and the plan of a repair', async () => {
  const writer = WRITERS.find(({ name }) => name.startsWith('lossless-claw')) as SystemWriter
  const change = HOSTILE_CHANGES.find(({ name }) => name === 'a column named rowid that holds a text') as HostileChange
  const sound = soundFile(writer)
  const said: string[] = []
  for (const table of tablesOf(sound)) {
    const path = changed(sound, change, table)
    if (path !== null) said.push(await reader.read(path))
  }
  for (const one of said) expect(one).toMatch(TYPED)
  expect(said).toContain('read')
})
