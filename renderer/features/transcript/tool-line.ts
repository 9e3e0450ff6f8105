/** Arguments that say best what a call does, most telling first. */
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

/** A call in one line, without the tool's name: its most telling argument, or all of them when none is known. */
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

/** The first telling argument in JSON that was cut; null when there is none. */
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

/** JSON for reading, or the text as it is when it is no JSON (or was cut). */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Shown as stored: what a tool was given need not be JSON.
    return text
  }
}

/** The object that a JSON text holds; null when it holds something else. */
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
  // Cut before collapsing: the argument may be a whole file.
  const line = text
    .slice(0, MAX_CHARS * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line
}
