/** Hostile text must not move the cursor, change colours or reverse lines of a terminal: such characters become visible. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => (c === '\n' || c === '\t' ? c : escaped(c)))
}

/** As it is written in JSON and JavaScript. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
