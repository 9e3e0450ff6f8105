/**
 * Makes characters visible with which hostile text could move the cursor, change colours or reverse lines of a
 * terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => (c === '\n' || c === '\t' ? c : escaped(c)))
}

/** Writes a character as JSON and JavaScript do. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
