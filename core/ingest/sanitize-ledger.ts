import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { sha256 } from '../hashing.ts'
import { type Sanitizer, sanitizeValue, withoutSecrets } from '../sanitize.ts'
import { afterLine, lineHash } from './ledger/ledger-chain.ts'
import { parseLine, toLine } from './ledger/ledger-line.ts'

/**
 * Copies a ledger without what must not leave the machine. Every line stays an event, with the hash of its new content
 * and of the line before it.
 */
export async function sanitizeLedger(from: string, to: string, sanitize: Sanitizer): Promise<void> {
  await pipeline(cleanLines(from, sanitize), createWriteStream(to, { flush: true }))
}

async function* cleanLines(from: string, sanitize: Sanitizer): AsyncGenerator<string> {
  let previous: string | null = null
  const lines = createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    const event = parseLine(line)
    if (typeof event === 'string') continue
    const content = cleanContent(event.content, sanitize)
    const metadata = sanitizeValue(event.metadata, sanitize) as typeof event.metadata
    const clean = { ...event, actor: withoutSecrets(event.actor), content, content_hash: sha256(content), metadata }
    const made: string = toLine(afterLine(clean, previous))
    previous = lineHash(made)
    yield made
  }
}

/**
 * Changes of rows are JSON and are sanitized value by value. In the text as a whole, a path could take the end of a
 * string with it.
 */
function cleanContent(content: string, sanitize: Sanitizer): string {
  if (!content.startsWith('{"changes":')) return sanitize(content)
  try {
    return JSON.stringify(sanitizeValue(JSON.parse(content), sanitize))
  } catch {
    return sanitize(content)
  }
}
