import { sha256Bytes, startSha256 } from '#core/hashing.ts'

const BYTES = 6

/** Returns 48 bits of a hash over texts and their ends. This is enough to notice a change, and exact as a number. */
export function signatureOf(texts: readonly (string | Uint8Array)[]): number {
  return digestOf(texts).readUIntBE(0, BYTES)
}

function digestOf(texts: readonly (string | Uint8Array)[]): Buffer {
  // Objects for hashing in pieces stay in memory until the next full garbage collection, and there may be a million
  // rows, so texts are hashed at once.
  if (texts.every((text) => typeof text === 'string')) {
    return sha256Bytes(texts.map((text) => `${text.length} ${text}`).join(''))
  }
  const pieces = startSha256()
  for (const text of texts) pieces.update(`${text.length} `).update(text)
  return pieces.digest()
}
