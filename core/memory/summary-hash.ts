import { sha256 } from '../hashing.ts'

/**
 * What a native file stores with a summary: SHA-256 of the hashes of its sources in their order, joined by commas, a bar,
 * and its text. So it proves which sources and which text a summary was made with.
 */
export const summaryHash = (sourceHashes: readonly string[], text: string): string =>
  sha256(`${sourceHashes.join(',')}|${text}`)
