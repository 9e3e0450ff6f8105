/**
 * A part often says what its message says, and other systems keep the original block of a part in its metadata, text
 * included. A working copy stores such a text once. What reads parts puts it back with what is here.
 * See docs/decisions/0038-size-of-native-files.md.
 */

/** How JSON writes U+001A, "substitute": it stands in metadata for the text of the part. */
export const STAND_IN = '\\u001a'

/** A shorter text is stored again: little is saved, and it may stand there by chance. */
const SHORTEST = 32

/** What JSON escapes in a text without other control characters; the same list in JavaScript and in SQL. */
const ESCAPES: readonly (readonly [character: string, point: number, code: string])[] = [
  ['\\', 92, '\\\\'],
  ['"', 34, '\\"'],
  ['\n', 10, '\\n'],
  ['\r', 13, '\\r'],
  ['\t', 9, '\\t'],
]

const inJson = (text: string): string =>
  ESCAPES.reduce((escaped, [character, , code]) => escaped.replaceAll(character, code), text)

const inJsonSql = (text: string): string =>
  ESCAPES.reduce((escaped, [, point, code]) => `replace(${escaped}, char(${point}), '${code}')`, text)

/** The metadata of a part without the part's text; null where it is to be stored as it is. */
export function metadataWithoutText(metadata: string, text: string): string | null {
  if (text.length < SHORTEST || metadata.length < text.length) return null
  // SQLite's text functions stop at NUL. Metadata that is cut off has to stay no JSON, and its beginning is shown.
  if (metadata.includes(STAND_IN) || metadata.includes('\0') || !metadata.startsWith('{') || !metadata.endsWith('}')) {
    return null
  }
  const value = `"${inJson(text)}"`
  const at = metadata.indexOf(value)
  return at === -1 ? null : `${metadata.slice(0, at)}"${STAND_IN}"${metadata.slice(at + value.length)}`
}

/** The metadata of a part as it came, given what is stored of it and the part's text. */
export function wholeMetadata(stored: string, text: string): string {
  const at = stored.indexOf(STAND_IN)
  return at === -1 ? stored : stored.slice(0, at) + inJson(text) + stored.slice(at + STAND_IN.length)
}

/** SQL for the text of a part, or NULL where `is_content` says that the message has it. `part`: the alias of the row. */
export const partText = (part: string): string =>
  `iif(${part}.text_is_content = 1, ${contentOf(part)}, ${part}.text_content)`

/** SQL for the metadata of a part. */
export const partMetadata = (part: string): string => {
  const [stored, at] = [`${part}.metadata`, `instr(${part}.metadata, '${STAND_IN}')`]
  const text = `iif(${part}.is_content = 1 OR ${part}.text_is_content = 1, ${contentOf(part)}, ${part}.text_content)`
  return `iif(${part}.metadata_has_text = 1 AND ${at} > 0, substr(${stored}, 1, ${at} - 1) || coalesce(${inJsonSql(text)}, '')
    || substr(${stored}, ${at} + ${STAND_IN.length}), ${stored})`
}

const contentOf = (part: string): string =>
  `(SELECT said.content FROM messages AS said WHERE said.message_id = ${part}.message_id)`
