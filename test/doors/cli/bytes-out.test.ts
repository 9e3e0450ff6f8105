import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { commandList } from '#core/doors/cli/commands.ts'
import { filesBeside } from '#test/builders/large-files.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere, onTerminal, startLcm } from './lcm.ts'

const HOSTILE = 'one\r\ntwo\rthree\u0000\u001b[31mred\u009b31m\u202eesrever \ufeffend'

/** What a program of its own writes on its standard output. */
async function bytesOf(args: readonly string[]): Promise<Buffer> {
  const child = startLcm(args)
  if (child.stdout === null) throw new Error('a pipe is read')
  return buffer(child.stdout)
}

function memory(content = HOSTILE): string {
  const built = buildMemory()
  built.message(built.conversation(), content)
  onTestFinished(() => built.close())
  return built.path
}

function memoryWithFile(content: Buffer): { readonly db: string; readonly id: string } {
  const built = buildMemory()
  const conversation = built.conversation()
  const id = built.largeFile(conversation)
  const path = join(filesBeside(built.path), String(conversation), `${id}.txt`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  onTestFinished(() => built.close())
  return { db: built.path, id }
}

describe('text that goes into a pipe or a file', () => {
  it('has rows as CSV whose lines end with CR LF, and -o writes the same', async () => {
    const db = memory()
    const statement = 'SELECT 1 AS a, content AS b FROM messages'
    const to = join(temporaryFolder(), 'rows.csv')
    const said = await bytesOf(['sql', statement, '--csv', '--db', db])
    expect(said.toString()).toBe(`a,b\r\n1,"${HOSTILE}"\r\n`)
    await bytesOf(['sql', statement, '--db', db, '-o', to])
    expect(readFileSync(to).equals(said)).toBe(true)
    expect((await lcmHere(['sql', statement, '--db', db, '-o', '-'])).stdout).toBe(said.toString())
  })

  it.each(['json', 'markdown'])('an export goes as %s with the bytes that -o writes', async (format) => {
    const db = memory()
    const to = join(temporaryFolder(), 'out')
    await bytesOf(['export', '--db', db, '--format', format, '-o', to])
    const file = readFileSync(to)
    expect(file.includes(format === 'json' ? '\\r\\ntwo\\rthree' : '\r\ntwo\rthree')).toBe(true)
    expect((await bytesOf(['export', '--db', db, '--format', format])).equals(file)).toBe(true)
  })

  it('a ledger says beside it that the contents of large files are not in it', async () => {
    const { db } = memoryWithFile(Buffer.from('a boat'))
    const { stdout, stderr } = await lcmHere(['ledger', 'export', '--db', db, '-o', '-'])
    expect(stderr).toContain('1 large file is named')
    for (const line of stdout.trimEnd().split('\n')) JSON.parse(line)
  })

  it('a large file goes byte by byte, whatever its bytes are', async () => {
    const noText = [0xff, 0xfe, 0xed, 0xa0, 0x80, 0x0d]
    const content = Buffer.concat([Buffer.from(HOSTILE), Buffer.from(noText), Buffer.alloc(99_999, 0xe2)])
    const { db, id } = memoryWithFile(content)
    const to = join(temporaryFolder(), 'content')
    expect((await bytesOf(['file', id, '--db', db, '-o', '-'])).equals(content)).toBe(true)
    await bytesOf(['file', id, '--db', db, '-o', to])
    expect(readFileSync(to).equals(content)).toBe(true)
    expect((await lcmHere(['file', id, '--db', db, '-o', to])).code).toBe(2)
    expect((await lcmHere(['file', id, '--db', db, '-o', to, '--force'])).code).toBe(0)
    expect((await lcmHere(['file', id, '--db', db, '-o', '-', '--lines', '1'])).code).toBe(2)
  })

  it.each([
    ['a payload', ['context', '--render', 'anthropic'], true],
    ['the schemas', ['schema'], false],
    ['a script', ['completion', 'bash'], false],
    ['figures', ['metrics', '--no-integrity'], true],
    ['roles', ['pg', 'roles'], false],
  ] as const)(
    'writes %s to a file with the bytes that standard output has, also by -o -',
    async (_what, args, isOnDb) => {
      const asked = [...args, ...(isOnDb ? ['--db', memory('one\r\ntwo')] : [])]
      const to = join(temporaryFolder(), 'out')
      const { stdout } = await lcmHere(asked)
      expect((await lcmHere([...asked, '-o', '-'])).stdout).toBe(stdout)
      const ran = await lcmHere([...asked, '-o', to, '--json'])
      expect(readFileSync(to, 'utf8')).toBe(stdout)
      expect(JSON.parse(ran.stdout)).toMatchObject({ path: to })
      expect(await lcmHere([...asked, '-o', to])).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
      expect((await lcmHere([...asked, '-o', to, '--force'])).code).toBe(0)
    },
  )

  it.each([
    ['an export', ['export', '--format', 'ledger']],
    ['an export without secrets', ['export', '--format', 'ledger', '--sanitize']],
    ['a ledger', ['ledger', 'export']],
  ])('writes the lines of %s as a ledger to standard output with -o -', async (_what, args) => {
    const asked = [...args, '--db', memory('one\r\ntwo'), '-o']
    const to = join(temporaryFolder(), 'out')
    expect((await lcmHere([...asked, to])).code).toBe(0)
    const { code, stdout } = await lcmHere([...asked, '-'])
    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).content)
    expect([code, lines(stdout)]).toEqual([0, lines(readFileSync(to, 'utf8'))])
    writeFileSync(to, stdout)
    expect((await lcmHere(['ledger', 'verify', to])).code).toBe(0)
    expect(existsSync('-')).toBe(false)
  })

  it('says of every command with -o that - is standard output, and writes no memory there', async () => {
    const options = (await (await commandList(false)).all()).flatMap(({ fields }) =>
      fields instanceof z.ZodObject && fields.shape.output ? [fields.shape.output as z.ZodType] : [],
    )
    expect(options.length).toBeGreaterThan(10)
    for (const { description } of options) expect(description).toContain('- is standard output')
    for (const args of [
      ['ledger', 'rebuild', 'a.jsonl', '-o', '-'],
      ['salvage', '--from', 'a.db', '--to', '-'],
      ['copy', '--from', memory(), '--to', '-'],
    ])
      expect(await lcmHere(args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('A memory goes into a file'),
      })
  })

  it('refuses -o where no document is printed', async () => {
    const to = join(temporaryFolder(), 'out')
    expect(await lcmHere(['context', '--db', memory(), '-o', to])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--render'),
    })
    expect((await lcmHere(['pg', 'status', 'postgres://a@b/c', '-o', to])).code).toBe(2)
    expect(existsSync(to)).toBe(false)
  })

  it('the text of a large file keeps its line endings', async () => {
    const { db, id } = memoryWithFile(Buffer.from('first\r\nsecond\r\n'))
    expect((await lcmHere(['file', id, '--db', db])).stdout).toContain('first\r\nsecond\r\n')
  })
})

it('a terminal is shown escapes, also of a document', async () => {
  onTerminal()
  const db = memory()
  const csv = await lcmHere(['sql', 'SELECT content FROM messages', '--csv', '--db', db])
  expect(csv.stdout).toContain('\\u001b[31mred\\u009b31m\\u202eesrever')
  const { id, db: other } = memoryWithFile(Buffer.from('\u001b[2J'))
  expect((await lcmHere(['file', id, '--db', other, '-o', '-'])).stdout).toBe('\\u001b[2J')
})
