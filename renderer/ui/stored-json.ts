/** Parses JSON that this page stored. A text that is missing, or that another program wrote, gives null. */
export function parseStored(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
