import { sha256Bytes, startSha256 } from '../../hashing.ts'

const BYTES = 6

/** 48 bits of a hash over texts and where each of them ends: enough to tell a change, and exact as a number. */
export function signatureOf(texts: readonly (string | Uint8Array)[]): number {
  return digestOf(texts).readUIntBE(0, BYTES)
}

function digestOf(texts: readonly (string | Uint8Array)[]): Buffer {
  // What is made for hashing piece by piece stays until the next great collection: one for each of a million rows.
  if (texts.every((text) => typeof text === 'string')) {
    return sha256Bytes(texts.map((text) => `${text.length} ${text}`).join(''))
  }
  const pieces = startSha256()
  for (const text of texts) pieces.update(`${text.length} `).update(text)
  return pieces.digest()
}
