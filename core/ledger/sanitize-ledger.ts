import { sha256 } from '../hashing.ts'
import { type Sanitizer, sanitizeValue, withoutSecrets } from '../sanitize.ts'
import { afterLine, lineHash } from './ledger-chain.ts'
import { parseLine, toLine } from './ledger-line.ts'

/**
 * Takes the lines of a ledger one after the other and returns each without what must not leave the machine. Every line
 * stays an event, with the hash of its new content and of the line before it.
 */
export function ledgerSanitizer(sanitize: Sanitizer): (line: string) => string {
  let previous: string | null = null
  return (line) => {
    const event = parseLine(line)
    if (typeof event === 'string') return ''
    const content = cleanContent(event.content, sanitize)
    const metadata = sanitizeValue(event.metadata, sanitize) as typeof event.metadata
    const clean = { ...event, actor: withoutSecrets(event.actor), content, content_hash: sha256(content), metadata }
    const made = toLine(afterLine(clean, previous))
    previous = lineHash(made)
    return made
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
