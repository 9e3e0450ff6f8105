/**
 * A part often has the same text as its message, and other systems also keep the original block of a part, with the
 * text, in its metadata. A working copy stores such a text once. The functions here restore it for readers. See
 * docs/decisions/0003-native-schema.md.
 */

/** The JSON escape of U+001A, "substitute". In metadata it stands for the text of the part. */
export const STAND_IN = '\\u001a'

/** Shorter texts are stored again: they save little and may occur by chance. */
const SHORTEST = 32

/** The escapes of JSON for texts without other control characters. JavaScript and SQL use the same list. */
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

/** Returns the metadata of a part without the text of the part, or null when it has to be stored unchanged. */
export function metadataWithoutText(metadata: string, text: string): string | null {
  if (text.length < SHORTEST || metadata.length < text.length) return null
  // SQLite's text functions stop at NUL. Metadata that is cut off must stay invalid JSON, whose beginning is shown.
  if (metadata.includes(STAND_IN) || metadata.includes('\0') || !metadata.startsWith('{') || !metadata.endsWith('}')) {
    return null
  }
  const value = `"${inJson(text)}"`
  const at = metadata.indexOf(value)
  return at === -1 ? null : `${metadata.slice(0, at)}"${STAND_IN}"${metadata.slice(at + value.length)}`
}

/** Restores the metadata of a part from its stored form and the text of the part. */
export function wholeMetadata(stored: string, text: string): string {
  const at = stored.indexOf(STAND_IN)
  return at === -1 ? stored : stored.slice(0, at) + inJson(text) + stored.slice(at + STAND_IN.length)
}

/**
 * SQL for the text of a part, or NULL where `is_content` says that the message holds it.
 * @param part the alias of the row
 */
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
