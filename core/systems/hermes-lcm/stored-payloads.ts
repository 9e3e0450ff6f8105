import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Payload } from '../system-facts.ts'
import { FOLDERS } from './payloads.ts'

/** A row that was moved to a file begins with this; a conversation about it quotes it elsewhere. */
const MARKER = /^\[(?:GC'd externalized|Externalized) tool output:([^\n\]]*); ref=([^\];\n]+)\]/
const FINE: Payload = { missing: null, elsewhere: null, outside: null }
/** A larger file is not compared. */
const MAX_BYTES = 64 << 20

/** Says what became of the output that the text of a message points to. */
export function payloadsBeside(memoryPath: string): (text: string) => Payload | null {
  const folders = FOLDERS.map((name) => join(dirname(memoryPath), name))
  const isStoreHere = folders.some((folder) => isFolder(folder))
  return (text) => {
    const [, told = '', name] = MARKER.exec(text) ?? []
    return name === undefined ? null : payloadOf(name, told, folders, isStoreHere)
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

/** Returns the length of the output that a file holds; null when it holds none. */
function bytesOf(path: string): number | null {
  try {
    if (statSync(path).size > MAX_BYTES) return null
    const payload: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const content =
      typeof payload === 'object' && payload !== null && 'content' in payload ? payload.content : undefined
    return Buffer.byteLength(typeof content === 'string' ? content : '')
  } catch {
    // The file is not there, or is no JSON: the output is lost.
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
