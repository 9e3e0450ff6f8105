import { createHash, type Hash, hash } from 'node:crypto'

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export const sha256 = (content: string | Uint8Array, encoding: 'hex' | 'base64' = 'hex'): string =>
  hash('sha256', content, encoding)

/** A SHA-256 as contents are stored under it. */
export const isHash = (text: string | null | undefined): text is string => /^[0-9a-f]{64}$/.test(text ?? '')

export const sha256Bytes = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer')

/** Begins a SHA-256 of content that comes in pieces. */
export const startSha256 = (): Hash => createHash('sha256')

/** Begins an MD5, which a server of S3 gives for what it keeps. It is compared only, and proves nothing by itself. */
export const startMd5 = (): Hash => createHash('md5')

/** Begins a SHA-1 for stamps that are compared only while the program runs and are never stored. */
export const startSha1 = (): Hash => createHash('sha1')
