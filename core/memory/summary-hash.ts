import { sha256 } from '../hashing.ts'

/**
 * The hash that a native file stores with a summary: SHA-256 of the hashes of its sources in their order, joined by
 * commas, then a bar and its text. It proves with which sources and which text a summary was made.
 */
export const summaryHash = (sourceHashes: readonly string[], text: string): string =>
  sha256(`${sourceHashes.join(',')}|${text}`)
