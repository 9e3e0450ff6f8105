import { createHash, type Hash, hash } from 'node:crypto'

/** SHA-256 of bytes, or of a text in UTF-8. */
export const sha256 = (content: string | Uint8Array, encoding: 'hex' | 'base64' = 'hex'): string =>
  hash('sha256', content, encoding)

export const sha256Bytes = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer')

/** For what comes piece by piece. */
export const startSha256 = (): Hash => createHash('sha256')

/** For stamps that are compared while the program runs and never stored. */
export const startSha1 = (): Hash => createHash('sha1')
