import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Inspector, RuleContext } from './rule.ts'

/** What became of the output that a message of hermes-lcm points to; a sentence where something is not right. */
export type Payload = {
  readonly missing: string | null
  readonly elsewhere: string | null
  readonly outside: string | null
}

/** A row that was moved to a file begins with this; a conversation about it quotes it elsewhere. */
const MARKER = /^\[(?:GC'd externalized|Externalized) tool output:([^\n\]]*); ref=([^\];\n]+)\]/
/** Beside the database, or in the folder of an agent beside it. */
const FOLDERS = ['lcm-large-outputs', join('home', 'lcm-large-outputs')]
const FINE: Payload = { missing: null, elsewhere: null, outside: null }
/** Larger than any output that is worth comparing. */
const MAX_BYTES = 64 << 20

/** Looks at every message that points to a file, and says of it what `of` picks. */
export function inspectPayloads({ info }: RuleContext, of: (payload: Payload) => string | null): Inspector | null {
  if (info.system !== 'hermes-lcm') return null
  const folders = FOLDERS.map((name) => join(dirname(info.path), name))
  const isStoreHere = folders.some((folder) => isFolder(folder))
  return ({ content }) => {
    const [, told = '', name] = MARKER.exec(content ?? '') ?? []
    return name === undefined ? null : of(payloadOf(name, told, folders, isStoreHere))
  }
}

function payloadOf(name: string, told: string, folders: readonly string[], isStoreHere: boolean): Payload {
  if (/[\\/\0]/.test(name) || name === '..') return { ...FINE, outside: `its output ${name} is outside the store` }
  if (!isStoreHere) return { ...FINE, elsewhere: `kept in ${name}` }
  const bytes = /bytes=(\d+)/.exec(told)?.[1]
  for (const folder of folders) {
    const held = bytesOf(join(folder, name))
    if (held === null) continue
    if (bytes === undefined || held === Number(bytes)) return FINE
    return { ...FINE, missing: `the file ${name} holds another output: ${held} bytes, not ${bytes}` }
  }
  return { ...FINE, missing: `its output ${name} is not there` }
}

/** Length of the output that a file holds; null when there is no such file. */
function bytesOf(path: string): number | null {
  try {
    if (statSync(path).size > MAX_BYTES) return null
    const payload: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const content =
      typeof payload === 'object' && payload !== null && 'content' in payload ? payload.content : undefined
    return Buffer.byteLength(typeof content === 'string' ? content : '')
  } catch {
    // Not there or not readable: the output cannot be had.
    return null
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
