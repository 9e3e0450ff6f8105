import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'

/** A write that this process is about to make. */
export type Write =
  | { readonly kind: 'statement' }
  | { readonly kind: 'create' | 'write' | 'sync' | 'remove'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }

type Listener = (write: Write) => void
let listener: Listener | null = null

/** Calls `onWrite` before every write that `body` makes through SQLite or `node:fs`. What it throws becomes the error of the write. */
export async function watchingWrites<T>(onWrite: Listener, body: () => Promise<T>): Promise<T> {
  watch()
  listener = onWrite
  try {
    return await body()
  } finally {
    listener = null
  }
}

/** The listener may write as well, which is not watched. */
function tell(write: Write): void {
  const told = listener
  if (told === null) return
  listener = null
  try {
    told(write)
  } finally {
    listener = told
  }
}

let isWatched = false
function watch(): void {
  if (isWatched) return
  isWatched = true
  watchFiles()
  watchStatements()
}

/** Replaces a method by one that calls `before` first. */
function precede(target: object, name: string, before: (...args: never[]) => void): void {
  const methods = target as Record<string, (...args: unknown[]) => unknown>
  const method = methods[name]
  if (method === undefined) throw new Error(`no method ${name}`)
  methods[name] = function (this: unknown, ...args: unknown[]) {
    before(...(args as never[]))
    return method.apply(this, args)
  }
}

function watchFiles(): void {
  const names = new Map<number, string>()
  const nameOf = (file: number | string): string => (typeof file === 'number' ? (names.get(file) ?? '') : resolve(file))
  const { openSync } = fs
  fs.openSync = (path, flags, mode) => {
    const name = resolve(String(path))
    if (/[wax]/.test(String(flags)) && !fs.existsSync(name)) tell({ kind: 'create', path: name })
    const file = openSync(path, flags, mode)
    names.set(file, name)
    return file
  }
  const one = (kind: 'write' | 'sync' | 'remove') => (file: number | string) => tell({ kind, path: nameOf(file) })
  const two = (kind: 'rename' | 'link') => (path: string, to: string) =>
    tell({ kind, path: resolve(path), to: resolve(to) })
  for (const name of ['writeSync', 'writeFileSync', 'appendFileSync']) precede(fs, name, one('write'))
  precede(fs, 'fsyncSync', one('sync'))
  precede(fs, 'unlinkSync', one('remove'))
  precede(fs, 'renameSync', two('rename'))
  precede(fs, 'linkSync', two('link'))
  syncBuiltinESMExports()
}

function watchStatements(): void {
  const any = new Database(':memory:')
  const statement = Object.getPrototypeOf(any.prepare('SELECT 1'))
  any.close()
  const before = (): void => tell({ kind: 'statement' })
  precede(statement, 'run', before)
  precede(Database.prototype, 'exec', before)
}
