import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** An old build of SQLite as WebAssembly, on the bytes of a file. */
export type OldSqlite = {
  readonly version: string
  /** Rows of the last statement, as arrays. */
  query(sql: string): unknown[][]
  /** The file as it is now. */
  bytes(): Uint8Array
}

type SqlJs = {
  Database: new (bytes: Uint8Array) => { exec(sql: string): { values: unknown[][] }[]; export(): Uint8Array }
}

/** 3.38 without FTS5: the oldest available build close to 3.37, the first version with STRICT tables. */
export async function openIn338(file: string): Promise<OldSqlite> {
  const load = require('sqlite-3-38') as (options: object) => Promise<SqlJs>
  const wasmBinary = readFileSync(require.resolve('sqlite-3-38').replace(/\.js$/, '.wasm'))
  const { Database } = await load({ wasmBinary })
  const db = new Database(withoutLog(file))
  const query = (sql: string): unknown[][] => db.exec(sql).at(-1)?.values ?? []
  return { version: String(query('SELECT sqlite_version()')[0]?.[0]), query, bytes: () => db.export() }
}

type Wasm = {
  readonly wasm: { allocFromTypedArray(bytes: Uint8Array): number }
  readonly capi: {
    sqlite3_deserialize(db: number, schema: string, data: number, size: number, capacity: number, flags: number): number
    sqlite3_js_db_export(db: number): Uint8Array
    readonly SQLITE_DESERIALIZE_RESIZEABLE: number
    readonly SQLITE_DESERIALIZE_FREEONCLOSE: number
  }
  readonly oo1: {
    DB: new (name: string) => { readonly pointer: number; exec(options: object): unknown[][] }
  }
}

/** 3.41, with FTS5. */
export async function openIn341(file: string): Promise<OldSqlite> {
  const { wasm, capi, oo1 } = await load341()
  const bytes = withoutLog(file)
  const db = new oo1.DB(':memory:')
  const { SQLITE_DESERIALIZE_FREEONCLOSE: free, SQLITE_DESERIALIZE_RESIZEABLE: grow } = capi
  const data = wasm.allocFromTypedArray(bytes)
  const code = capi.sqlite3_deserialize(db.pointer, 'main', data, bytes.length, bytes.length, free | grow)
  if (code !== 0) throw new Error(`the file could not be taken over: ${code}`)
  const query = (sql: string): unknown[][] => db.exec({ sql, rowMode: 'array', returnValue: 'resultRows' })
  return {
    version: String(query('SELECT sqlite_version()')[0]?.[0]),
    query,
    bytes: () => capi.sqlite3_js_db_export(db.pointer),
  }
}

let loaded: Promise<Wasm> | null = null

/** The build was made for browsers and reads the address of its page. */
function load341(): Promise<Wasm> {
  const name = 'sqlite-3-41'
  loaded ??= (async () => {
    const folder = join(dirname(require.resolve('sqlite-3-41/package.json')), 'sqlite-wasm/jswasm')
    Object.assign(globalThis, { self: globalThis, location: new URL('file:///page.html') })
    const { default: load } = (await import(name)) as { default: (options: object) => Promise<Wasm> }
    const silent = (): void => {}
    const wasmBinary = readFileSync(join(folder, 'sqlite3.wasm'))
    return await load({ wasmBinary, print: silent, printErr: silent })
  })()
  return loaded
}

/**
 * A database in memory has no log, so the file is marked as one without a log.
 * https://www.sqlite.org/fileformat2.html#file_format_version_numbers
 */
function withoutLog(file: string): Uint8Array {
  const bytes = new Uint8Array(readFileSync(file))
  bytes[18] = 1
  bytes[19] = 1
  return bytes
}
