import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { IndexFile } from '#core/search/side-index/index-file.ts'
import { indexesOf, indexFolder, keyOf, newIndexPath, tidyFolder } from '#core/search/side-index/index-folder.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ClawFile } from './claw-file.ts'
import { Stage, updateElsewhere } from './stage.ts'

const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0).reverse()) one.close()
})
const opened = <T extends { close(): void }>(one: T): T => {
  open.push(one)
  return one
}

/** Texts that take a second or so to index. */
function longFile(messages = 1500): string {
  const file = new ClawFile()
  file.db.transaction(() => {
    for (let n = 0; n < messages; n += 1) {
      file.add(`message ${n} ${Array.from({ length: 150 }, (_, word) => `word${(n * word * 7919) % 9973}`).join(' ')}`)
    }
  })()
  file.close()
  return file.path
}

type Builder = { readonly child: ChildProcess; readonly lines: AsyncIterableIterator<string> }

/** @param steps after so many it waits to be killed */
function startBuilder(path: string, cacheDir: string, ...steps: number[]): Builder {
  const args = [join(import.meta.dirname, 'children/builder.ts'), path, cacheDir, ...steps.map(String)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

async function lastLine({ lines }: Builder): Promise<{ outcome?: string }> {
  let last = '{}'
  for await (const line of lines) last = line
  return JSON.parse(last) as { outcome?: string }
}

function markFormat(path: string): void {
  const db = new Database(path)
  db.exec("UPDATE meta SET value = '0' WHERE key = 'format'")
  db.close()
}

const folderOf = (cacheDir: string): string => indexFolder(cacheDir)

describe('a side index', () => {
  it('continues where a killed process left it, and is not used before it is complete', async () => {
    const cacheDir = temporaryFolder()
    const path = longFile()
    const builder = startBuilder(path, cacheDir, 2)
    await builder.lines.next()
    await builder.lines.next()
    builder.child.kill('SIGKILL')
    await new Promise((done) => builder.child.once('close', done))

    const window = opened(await Stage.open(path, cacheDir))
    const before = window.index.facts().indexedRows
    expect(window.isCurrent).toBe(false)
    expect((await window.grep({ query: 'message' })).ids).toHaveLength(1000)
    const result = await window.update()
    expect(result).toMatchObject({ outcome: 'ready', indexedRows: 1500, changedRows: 1500 - before })
    expect(window.isCurrent).toBe(true)
    const query = { query: 'word7919', match: 'all' as const }
    expect((await window.grep(query)).ids).toEqual((await window.scan(query)).ids)
  })

  it('is built by one of two processes that try at once', async () => {
    const cacheDir = temporaryFolder()
    const path = longFile()
    const builders = [startBuilder(path, cacheDir), startBuilder(path, cacheDir)]
    const outcomes = (await Promise.all(builders.map(lastLine))).map(({ outcome }) => outcome)
    expect(outcomes).toContain('ready')
    expect(['ready', 'busy']).toContain(outcomes[0])
    expect(['ready', 'busy']).toContain(outcomes[1])
    expect(readdirSync(folderOf(cacheDir)).filter((name) => name.endsWith('.db'))).toHaveLength(1)
    const window = opened(await Stage.open(path, cacheDir))
    expect(window.isCurrent).toBe(true)
    expect(window.index.facts()).toMatchObject({ indexedRows: 1500, totalRows: 1500 })
  })

  it('is replaced by a scan with a note when it cannot be stored anywhere', async () => {
    const notAFolder = join(temporaryFolder(), 'cache')
    writeFileSync(notAFolder, '')
    const file = new ClawFile()
    file.add('walrus')
    file.close()
    const window = opened(await Stage.open(file.path, notAFolder))
    await expect(window.update()).rejects.toMatchObject({ name: 'LcmError' })
    const { ids, notes } = await window.grep({ query: 'walrus' })
    expect(ids).toEqual(['msg_1'])
    expect(notes.join(' ')).toContain('none can be kept in')
  })

  it.each([
    ['cut off', (path: string) => truncateSync(path, 5000)],
    ['overwritten', (path: string) => writeFileSync(path, 'not a database at all, for long enough to be seen as such')],
    ['of another version', (path: string) => markFormat(path)],
  ])('is dropped and built again when it is %s', async (_, damage) => {
    const cacheDir = temporaryFolder()
    const file = new ClawFile()
    for (let n = 0; n < 300; n += 1) file.add(`walrus ${n} ${'word '.repeat(100)}`)
    file.close()
    await updateElsewhere(file.path, cacheDir)
    const [path = ''] = indexesOf(folderOf(cacheDir), keyOf(file.path))
    damage(path)
    const window = opened(await Stage.open(file.path, cacheDir))
    expect((await window.grep({ query: 'walrus' })).ids).toHaveLength(300)
    expect(await window.update()).toMatchObject({ outcome: 'ready', indexedRows: 300 })
    expect((await window.grep({ query: 'walrus' })).ids).toHaveLength(300)
    expect(window.isCurrent).toBe(true)
    expect(indexesOf(folderOf(cacheDir), keyOf(file.path))).toHaveLength(1)
  })

  it('is given up for this search and the next when its damage appears during a search', async () => {
    const cacheDir = temporaryFolder()
    const file = new ClawFile()
    for (let n = 0; n < 50; n += 1) file.add(`walrus ${n}`)
    file.close()
    await updateElsewhere(file.path, cacheDir)
    const [path = ''] = indexesOf(folderOf(cacheDir), keyOf(file.path))
    const index = new Database(path).unsafeMode(true)
    for (const table of ['messages_fts', 'messages_trigram']) {
      index.exec(`UPDATE ${table}_data SET block = x'00' WHERE id > 10`)
    }
    index.close()
    const window = opened(await Stage.open(file.path, cacheDir))
    expect(window.isCurrent).toBe(true)
    expect((await window.grep({ query: 'walrus' })).ids).toHaveLength(50)
    expect(window.isCurrent).toBe(false)
    expect((await window.grep({ query: 'walrus' })).ids).toHaveLength(50)
    expect(await updateElsewhere(file.path, cacheDir)).toMatchObject({ outcome: 'ready', indexedRows: 50 })
    expect((await window.grep({ query: 'walrus' })).notes.join(' ')).toContain('search index that this app keeps')
  })

  it('is given up until the file changes when it needs more room than all indexes may take', async () => {
    const cacheDir = temporaryFolder()
    const path = longFile(300)
    expect(await updateElsewhere(path, cacheDir, { limitBytes: 200_000 })).toMatchObject({ outcome: 'too_large' })
    expect(await updateElsewhere(path, cacheDir)).toMatchObject({ outcome: 'too_large', changedRows: 0 })
    const window = opened(await Stage.open(path, cacheDir))
    expect(window.isCurrent).toBe(false)
    expect(window.index.facts().indexedRows).toBe(0)
  })
})

describe('the folder of side indexes', () => {
  const subject = (source: string) => ({ source, views: 'v' })
  const KILOBYTE = 1024

  function makeIndex(folder: string, source: string, usedAt: number, kilobytes = 64): string {
    const path = newIndexPath(folder, keyOf(source))
    const file = IndexFile.create(path, subject(source))
    file.set('state', 's')
    file.db.exec('CREATE TABLE padding (bytes)')
    file.db.run('INSERT INTO padding VALUES (zeroblob(CAST(:n AS INTEGER)))', { n: kilobytes * KILOBYTE })
    file.close()
    utimesSync(path, usedAt, usedAt)
    return path
  }
  const existing = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .map((name) => join(folder, name))
      .sort()
  const sourceFile = (): string => {
    const path = join(temporaryFolder(), 'source.db')
    writeFileSync(path, 'x')
    return path
  }

  it('drops the indexes that were not used for longest when they take too much room', () => {
    const folder = temporaryFolder()
    const [old, middle, fresh] = [100, 200, 300].map((at) => makeIndex(folder, sourceFile(), at))
    tidyFolder(folder, new Set(), 400 * KILOBYTE)
    expect(existing(folder)).toEqual([middle, fresh].sort())
    expect(existing(folder)).not.toContain(old)
  })

  it('drops indexes of missing files, and unfinished and damaged ones, first', () => {
    const folder = temporaryFolder()
    makeIndex(folder, join(folder, 'gone.db'), Date.now() / 1000)
    const damaged = makeIndex(folder, sourceFile(), Date.now() / 1000)
    writeFileSync(damaged, 'no database')
    const source = sourceFile()
    const unfinished = makeIndex(folder, source, 100)
    const kept = makeIndex(folder, sourceFile(), 100)
    const index = IndexFile.open(unfinished, subject(source))
    index?.set('state', null)
    index?.close()
    utimesSync(unfinished, 100, 100)
    tidyFolder(folder, new Set())
    expect(existing(folder)).toEqual([kept])
  })

  it('keeps indexes that are open or being built', () => {
    const folder = temporaryFolder()
    const [one, other] = [sourceFile(), sourceFile()]
    const inUse = makeIndex(folder, one, 100)
    const mine = makeIndex(folder, other, 100)
    opened(IndexFile.open(inUse, subject(one)) as IndexFile)
    tidyFolder(folder, new Set([keyOf(other)]), 0)
    expect(existing(folder)).toEqual([inUse, mine].sort())
  })
})
