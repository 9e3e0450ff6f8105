/** The names under which texts and files call the languages that are coloured. */
const NAMES = {
  typescript: 'typescript ts mts cts javascript js mjs cjs',
  tsx: 'tsx jsx',
  json: 'json webmanifest',
  jsonc: 'jsonc json5 jsonl ndjson',
  python: 'python py pyi py3',
  shellscript: 'shellscript shell sh bash zsh console',
  go: 'go golang',
  rust: 'rust rs',
  java: 'java',
  kotlin: 'kotlin kt kts',
  c: 'c h',
  cpp: 'cpp c++ cc cxx hpp hh hxx',
  csharp: 'csharp cs c#',
  ruby: 'ruby rb',
  php: 'php',
  swift: 'swift',
  sql: 'sql psql sqlite',
  html: 'html htm',
  css: 'css',
  scss: 'scss',
  yaml: 'yaml yml',
  toml: 'toml',
  xml: 'xml svg xsd xsl plist',
  markdown: 'markdown md mdx',
  diff: 'diff patch',
  docker: 'docker dockerfile',
  make: 'make makefile mk',
  lua: 'lua',
  graphql: 'graphql gql',
  ini: 'ini properties cfg conf',
  powershell: 'powershell ps1',
  r: 'r',
  terraform: 'terraform tf hcl',
  elixir: 'elixir ex exs',
  dart: 'dart',
  proto: 'proto protobuf',
} as const

export type CodeLanguage = keyof typeof NAMES

const BY_NAME: ReadonlyMap<string, CodeLanguage> = new Map(
  (Object.keys(NAMES) as CodeLanguage[]).flatMap((language) =>
    NAMES[language].split(' ').map((name) => [name, language] as const),
  ),
)

/** Returns the language of a name, such as what a fence says or the ending of a file, or null when it is not coloured. */
export const codeLanguage = (name: string): CodeLanguage | null => BY_NAME.get(name.toLowerCase()) ?? null

/** More than this stays plain: nobody reads it by its colours. */
const MOST_CHARS = 24_000
const LONGEST_LINE = 500

/** Whether a text is short enough to be coloured. */
export const isColourable = (text: string): boolean =>
  text.length <= MOST_CHARS && text.split('\n').every((line) => line.length <= LONGEST_LINE)
