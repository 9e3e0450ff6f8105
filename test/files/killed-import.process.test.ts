import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { runImport } from '../builders/import.ts'
import { filesBeside, largeFiles } from '../builders/large-files.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const FILES = 400

function longStory(): string {
  const story = new TranscriptBuilder()
  for (let turn = 0; turn < FILES; turn += 1) {
    const rows = Array.from({ length: 150 }, (_, row) => `${turn},${row},value ${turn * row}`).join('\n')
    story.user(`Number ${turn}: <file name="table-${turn}.csv">a,b,c\n${rows}</file>`)
    story.answer(`msg_${turn}`, [text(`answer ${turn}`)])
  }
  return story.write()
}

type Row = { id: string; path: string; hash: string }

const filesIn = (db: WriteDb): Row[] =>
  db.all<Row>('SELECT file_id AS id, storage_uri AS path, content_hash AS hash FROM large_files')

/** Every row has its file, every reference its row, and every row a message that refers to it. */
function expectNothingHalf(db: WriteDb): void {
  const rows = filesIn(db)
  for (const { path, hash } of rows) {
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(hash)
  }
  const texts = db.column<string>('SELECT content FROM messages')
  const named = texts.flatMap((content) =>
    Array.from(content.matchAll(/\[LCM File: (file_[0-9a-f]{16})/g), ([, id]) => id),
  )
  expect([...named].sort()).toEqual(rows.map(({ id }) => id).sort())
  expect(texts.some((content) => content.includes('<file'))).toBe(false)
}

/** Files that have their names, whether a row names them or not. */
function placedFiles(path: string): number {
  const root = filesBeside(path)
  const conversations = existsSync(root) ? readdirSync(root).filter((name) => name !== '.incoming') : []
  return conversations.reduce((count, name) => count + readdirSync(join(root, name)).length, 0)
}

it('leaves no row without its file when an import is killed while it gives files their places, and the next import completes it', async () => {
  const transcript = longStory()
  const path = join(temporaryFolder(), 'lcm.db')
  let stored = 0
  for (const placed of [1, 45, 130, 170]) {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'children', 'import-with-files.ts'),
      ...[path, transcript, String(placed)],
    ])
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    using db = openNative(path)
    expectNothingHalf(db)
    const now = filesIn(db).length
    expect(now).toBeGreaterThanOrEqual(stored)
    expect(placedFiles(path)).toBeGreaterThan(now)
    stored = now
  }
  expect(stored).toBeGreaterThan(0)
  using db = openNative(path)
  await runImport(db, [transcript], { files: largeFiles(path, 300) })
  expectNothingHalf(db)
  expect(filesIn(db)).toHaveLength(FILES)
  expect(placedFiles(path)).toBe(FILES)
})
