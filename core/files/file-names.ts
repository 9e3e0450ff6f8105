/** Endings by type, for content whose name has none. */
const BY_MIME: ReadonlyMap<string, string> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'jsonl'],
  ['application/jsonl', 'jsonl'],
  ['application/pdf', 'txt'],
  ['application/sql', 'sql'],
  ['application/toml', 'toml'],
  ['application/xml', 'xml'],
  ['application/yaml', 'yaml'],
  ['application/x-yaml', 'yaml'],
  ['application/javascript', 'js'],
  ['application/typescript', 'ts'],
  ['application/x-sh', 'sh'],
  ['application/x-ipynb+json', 'ipynb'],
  ['text/css', 'css'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/javascript', 'js'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['text/tab-separated-values', 'tsv'],
  ['text/x-diff', 'diff'],
  ['text/x-log', 'log'],
  ['text/x-python', 'py'],
  ['text/xml', 'xml'],
  ['text/yaml', 'yaml'],
])

/** The words that fences use where a file would have another ending. */
const BY_LANGUAGE: ReadonlyMap<string, string> = new Map([
  ['bash', 'sh'],
  ['c#', 'cs'],
  ['c++', 'cpp'],
  ['csharp', 'cs'],
  ['golang', 'go'],
  ['javascript', 'js'],
  ['kotlin', 'kt'],
  ['markdown', 'md'],
  ['ndjson', 'jsonl'],
  ['patch', 'diff'],
  ['python', 'py'],
  ['ruby', 'rb'],
  ['rust', 'rs'],
  ['shell', 'sh'],
  ['text', 'txt'],
  ['typescript', 'ts'],
  ['yml', 'yaml'],
])

type Named = { readonly name: string; readonly mime: string | null; readonly language: string | null }

/** The ending under which content is stored: letters and digits only, whatever a name claims. */
export function extensionOf({ name, mime, language }: Named): string {
  const [, own] = /\.([A-Za-z0-9]{1,10})$/.exec(name.slice(-64)) ?? []
  if (own !== undefined) return own.toLowerCase()
  const spoken = language?.toLowerCase() ?? ''
  if (BY_LANGUAGE.has(spoken)) return BY_LANGUAGE.get(spoken) ?? 'txt'
  if (/^[a-z0-9]{1,10}$/.test(spoken)) return spoken
  return BY_MIME.get(mime?.split(';')[0]?.trim().toLowerCase() ?? '') ?? 'txt'
}

// Control characters, marks that have no width or change the direction of writing, and what separates the fields of a
// reference.
const UNSHOWN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff|[\]]+/gu
const LONGEST_SHOWN = 200

/** A name or type as a reference shows it: one short line that cannot pass for anything else. */
export function shownName(name: string): string {
  const shown = name
    .slice(0, LONGEST_SHOWN * 4)
    .replace(UNSHOWN, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  const characters = [...shown]
  return characters.length <= LONGEST_SHOWN ? shown : `${characters.slice(0, LONGEST_SHOWN - 1).join('')}…`
}
