import { parsedJson } from '../parsed-json.ts'

/** Arguments that name a file, and those that may name a folder or a page as well. */
const FILE_KEYS = [
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'absolutePath',
  'target_file',
  'notebook_path',
  'file_name',
  'filename',
]
const PLACE_KEYS = ['path', 'file', 'uri', 'url']
/** With one of these arguments, the result is what was found and not what stands in the file. */
const SEARCH_KEYS = ['pattern', 'query', 'regex', 'glob', 'search', 'search_term', 'searchTerm', 'content_pattern']
/** An editor with several commands says by which one it shows a file. */
const READING_COMMANDS = new Set(['view', 'read', 'open', 'cat', 'show'])
/** Longer arguments are those of a tool that writes. */
const LONGEST_INPUT = 16_384
const LONGEST_NAME = 255

/**
 * Returns the name of the file that a tool was called to read, without its folders, or null when the call names none.
 * @param toolInput the arguments as JSON text
 */
export function fileOfCall(toolInput: string): string | null {
  const given = argumentsIn(toolInput)
  if (given === null || SEARCH_KEYS.some((key) => given[key] != null)) return null
  const { command } = given
  if (command != null && !(typeof command === 'string' && READING_COMMANDS.has(command))) return null
  for (const key of FILE_KEYS) {
    const name = nameIn(given[key])
    if (name !== null) return name
  }
  for (const key of PLACE_KEYS) {
    const name = nameIn(given[key])
    if (name !== null && /\.[A-Za-z0-9]{1,10}$/.test(name)) return name
  }
  return null
}

/** Most calls name no file, and their arguments need not be parsed. */
const NAMES_A_FILE = new RegExp(`"(?:${[...FILE_KEYS, ...PLACE_KEYS].join('|')})"`)

function argumentsIn(toolInput: string): Readonly<Record<string, unknown>> | null {
  if (toolInput.length > LONGEST_INPUT || !/^\s*\{/.test(toolInput) || !NAMES_A_FILE.test(toolInput)) return null
  // A call that was cut off is no JSON.
  return (parsedJson(toolInput) as Readonly<Record<string, unknown>> | undefined) ?? null
}

function nameIn(path: unknown): string | null {
  if (typeof path !== 'string') return null
  const [, afterHost = path] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(path) ?? []
  const name = afterHost.split(/[\\/]/).at(-1)?.trim() ?? ''
  return name === '' || name === '.' || name === '..' || name.length > LONGEST_NAME ? null : name
}
