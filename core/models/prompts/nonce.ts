import { randomBytes } from 'node:crypto'
import { sha256 } from '#core/hashing.ts'

/** Gives the code of one call. It is random, except where a prompt has to be the same every time. */
export type NewNonce = () => string

/** Returns 128 random bits in hexadecimal. */
export const randomNonce: NewNonce = () => randomBytes(16).toString('hex')

/** Returns the short form of a code, which begins an entry. */
export const entryMark = (nonce: string): string => `#${nonce.slice(0, 8)}`

/**
 * Returns a code that occurs in none of the texts, in full or in its short form, so that even one who guessed it could
 * not close the record. It ends because the texts hold finitely many codes.
 */
export function unusedNonce(newNonce: NewNonce, texts: readonly string[]): string {
  let nonce = newNonce()
  while (texts.some((text) => text.toLowerCase().includes(nonce.slice(0, 8).toLowerCase()))) {
    nonce = sha256(nonce).slice(0, 32)
  }
  return nonce
}
