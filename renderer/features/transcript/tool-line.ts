/** Arguments that describe a call, the most informative first. */
const TELLING = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'skill',
  'subject',
  'prompt',
  'message',
  'text',
]
const MAX_CHARS = 240

/**
 * Returns a call in one line without the tool's name: its most informative argument, or all of them when none is known.
 */
export function toolLine(input: string): string {
  if (input.trim() === '') return ''
  const parsed = parsedObject(input)
  if (parsed === null) return oneLine(firstTelling(input) ?? input)
  for (const name of TELLING) {
    const value = parsed[name]
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value)
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'))
      return oneLine(value.join(' '))
  }
  const entries = Object.entries(parsed)
  return oneLine(entries.map(([name, value]) => `${name}=${argumentText(value)}`).join(' '))
}

/** Returns the first informative argument in JSON that was cut, or null. */
function firstTelling(input: string): string | null {
  const names = TELLING.join('|')
  const match = new RegExp(`"(?:${names})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(input.slice(0, MAX_CHARS * 4))
  try {
    const value: unknown = JSON.parse(match?.[1] ?? 'null')
    return typeof value === 'string' ? value : null
  } catch {
    // It is no JSON string, so the caller shows the text itself.
    return null
  }
}

/** Formats JSON for reading. Other text, or JSON that was cut, is returned unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // The input of a tool need not be JSON, so it is shown as stored.
    return text
  }
}

/** Returns `json` for a text that looks like JSON, which may be cut. */
export const jsonIn = (text: string): 'json' | null => (/^\s*(?:\{\s*["}]|\[\s*[[{"\d\]])/.test(text) ? 'json' : null)

/** Returns the object in a JSON text, or null for anything else. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // It is no JSON, so the caller shows the text itself.
    return null
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function argumentText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function oneLine(text: string): string {
  // The text is cut before white space is collapsed, because the argument may be a whole file.
  const line = text
    .slice(0, MAX_CHARS * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line
}
