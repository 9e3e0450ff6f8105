import { createHash } from 'node:crypto'

const BYTES = 6

/** 48 bits of a hash over texts and where each of them ends: enough to tell a change, and exact as a number. */
export function signatureOf(texts: readonly (string | Uint8Array)[]): number {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length} `).update(text)
  return hash.digest().readUIntBE(0, BYTES)
}
