import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openSideIndex } from '#core/search/side-index/open-side-index.ts'
import { stampAtRest } from '#core/search/side-index/source-state.ts'
import { updateIndex } from '#core/search/side-index/update-index.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { inTurn } from '../statistics.ts'

/** Milliseconds of processor time, the middle of several rounds. */
export type SideIndexMeasure = { readonly productMs: number; readonly bareMs: number }

const BATCH = 2000
const ROUNDS = 5

const queries = {
  tables: /* sql */ `
    CREATE VIRTUAL TABLE words USING fts5 (content, tool_input, tool_output, reasoning, content = '',
      tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE characters USING fts5 (content, tool_input, tool_output, reasoning, content = '',
      tokenize = 'trigram', detail = none)`,
  /** The texts of messages with those of their parts, and of summaries. */
  texts: /* sql */ `
    SELECT m.message_id, m.content, group_concat(p.tool_input), group_concat(p.tool_output),
      group_concat(p.text_content) FILTER (WHERE p.part_type = 'reasoning')
    FROM messages AS m LEFT JOIN message_parts AS p ON p.message_id = m.message_id GROUP BY 1
    UNION ALL SELECT NULL, content, NULL, NULL, NULL FROM summaries`,
  insert: (table: string) => /* sql */ `
    INSERT INTO ${table} (rowid, content, tool_input, tool_output, reasoning) VALUES (?, ?, ?, ?, ?)`,
}

/** Makes the index of a file of another system, and the same two FTS5 tables of the same texts by bare statements, in turn. */
export async function measureSideIndex(path: string): Promise<SideIndexMeasure> {
  const folder = temporaryFolder()
  const stamp = await stampAtRest(path)
  const inFolder = (name: string) => async (round: number) => {
    const cacheDir = join(folder, `${name}-${round}`)
    mkdirSync(cacheDir)
    const memory = openMemory(path, { cacheDir })
    if (name === 'bare') writeBare(memory.read, join(cacheDir, 'bare.db'))
    else {
      const index = openSideIndex(memory, stamp, cacheDir)
      if (!index) throw new Error('the file has its own index')
      await runToEnd(updateIndex({ read: memory.read, info: memory.info, index }, NEVER))
      index.close()
    }
    memory.close()
    rmSync(cacheDir, { recursive: true, force: true })
  }
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
  const [product, bare] = await inTurn(rounds, inFolder('product'), inFolder('bare'))
  return { productMs: product.cpuP50, bareMs: bare.cpuP50 }
}

function writeBare(read: ReadDb, path: string): void {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = OFF')
  db.exec(queries.tables)
  const inserts = ['words', 'characters'].map((table) => db.prepare(queries.insert(table)))
  let rows = 0
  db.exec('BEGIN')
  for (const row of read.iterateRows(queries.texts)) {
    for (const insert of inserts) insert.run(...row)
    rows += 1
    if (rows % BATCH === 0) db.exec('COMMIT; BEGIN')
  }
  db.exec('COMMIT')
  db.close()
}

const NEVER = new AbortController().signal

if (import.meta.main) console.log(JSON.stringify(await measureSideIndex(process.argv[2] ?? '')))
