import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { codeToTokensBase, createShikiPrimitive, type LanguageRegistration } from '@shikijs/primitive'
import type { CodeLanguage } from './code-languages.ts'

/** A piece of a line in one colour; `look` is null for plain text. */
export type CodeToken = { readonly text: string; readonly look: CodeLook | null }
export type CodeLines = readonly (readonly CodeToken[])[]

/** What is told apart by colour, and the scopes of grammars that belong to it. */
const SCOPES = {
  comment: ['comment', 'punctuation.definition.comment', 'meta.diff.header', 'meta.diff.range', 'markup.quote'],
  keyword: ['keyword', 'storage', 'entity.name.tag', 'variable.language', 'punctuation.definition.heading'],
  string: ['string', 'markup.inline.raw', 'markup.fenced_code', 'markup.inserted'],
  number: ['constant', 'constant.character.escape', 'punctuation.definition.list'],
  title: ['entity.name.function', 'support.function', 'entity.name.section', 'markup.heading'],
  type: ['entity.name.type', 'entity.name.class', 'entity.other.inherited-class', 'support.class', 'support.type'],
  attribute: [
    'entity.other.attribute-name',
    'support.type.property-name',
    'entity.name.tag.yaml',
    'meta.object-literal.key',
    'variable.other.key',
    'keyword.key',
    'keyword.other.definition.ini',
  ],
  removed: ['markup.deleted'],
} as const
type CodeLook = keyof typeof SCOPES
const LOOKS = Object.keys(SCOPES) as CodeLook[]

/** Operators and interpolated code are not coloured. */
const PLAIN = ['keyword.operator', 'meta.embedded', 'meta.template.expression', 'storage.type.function.arrow']

/** A theme gives each scope a colour. The colours here are numbers of looks, for which the style sheet has colours. */
const colourOf = (number: number): string => `#${number.toString(16).padStart(6, '0').toUpperCase()}`
const THEME = {
  name: 'looks',
  type: 'dark',
  fg: colourOf(0),
  bg: '#FFFFFF',
  settings: [
    { settings: { foreground: colourOf(0) } },
    ...LOOKS.map((look, index) => ({ scope: [...SCOPES[look]], settings: { foreground: colourOf(index + 1) } })),
    { scope: PLAIN, settings: { foreground: colourOf(0) } },
  ],
} as const
const LOOK_OF: ReadonlyMap<string, CodeLook> = new Map(LOOKS.map((look, index) => [colourOf(index + 1), look]))

const GRAMMARS: Readonly<Record<CodeLanguage, () => Promise<{ readonly default: LanguageRegistration[] }>>> = {
  typescript: () => import('@shikijs/langs/typescript'),
  tsx: () => import('@shikijs/langs/tsx'),
  json: () => import('@shikijs/langs/json'),
  jsonc: () => import('@shikijs/langs/jsonc'),
  python: () => import('@shikijs/langs/python'),
  shellscript: () => import('@shikijs/langs/shellscript'),
  go: () => import('@shikijs/langs/go'),
  rust: () => import('@shikijs/langs/rust'),
  java: () => import('@shikijs/langs/java'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  c: () => import('@shikijs/langs/c'),
  cpp: () => import('@shikijs/langs/cpp'),
  csharp: () => import('@shikijs/langs/csharp'),
  ruby: () => import('@shikijs/langs/ruby'),
  php: () => import('@shikijs/langs/php'),
  swift: () => import('@shikijs/langs/swift'),
  sql: () => import('@shikijs/langs/sql'),
  html: () => import('@shikijs/langs/html'),
  css: () => import('@shikijs/langs/css'),
  scss: () => import('@shikijs/langs/scss'),
  yaml: () => import('@shikijs/langs/yaml'),
  toml: () => import('@shikijs/langs/toml'),
  xml: () => import('@shikijs/langs/xml'),
  markdown: () => import('@shikijs/langs/markdown'),
  diff: () => import('@shikijs/langs/diff'),
  docker: () => import('@shikijs/langs/docker'),
  make: () => import('@shikijs/langs/make'),
  lua: () => import('@shikijs/langs/lua'),
  graphql: () => import('@shikijs/langs/graphql'),
  ini: () => import('@shikijs/langs/ini'),
  powershell: () => import('@shikijs/langs/powershell'),
  r: () => import('@shikijs/langs/r'),
  terraform: () => import('@shikijs/langs/terraform'),
  elixir: () => import('@shikijs/langs/elixir'),
  dart: () => import('@shikijs/langs/dart'),
  proto: () => import('@shikijs/langs/proto'),
}

const shiki = createShikiPrimitive({
  langs: [],
  themes: [{ ...THEME, settings: [...THEME.settings] }],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
  warnings: false,
})
const loaded = new Map<CodeLanguage, Promise<void>>()

/** Divides code into tokens, line by line. Joined, they are the code. Returns null when a grammar changes the code. */
export async function codeTokens(code: string, language: CodeLanguage): Promise<CodeLines | null> {
  const loading =
    loaded.get(language) ?? GRAMMARS[language]().then((grammar) => shiki.loadLanguageSync(grammar.default))
  loaded.set(language, loading)
  await loading
  // A limit of time would end in the middle of a line when a grammar is compiled for the first time, and everything
  // after it would be coloured wrong. Who asks for tokens limits the time.
  const lines = codeToTokensBase(shiki, code, { lang: language, theme: THEME.name, tokenizeTimeLimit: 0 })
  const coloured = lines.map((tokens) => {
    const merged: { text: string; look: CodeLook | null }[] = []
    for (const { content, color = '' } of tokens) {
      const look = LOOK_OF.get(color.toUpperCase()) ?? null
      const last = merged.at(-1)
      if (last?.look === look) last.text += content
      else merged.push({ text: content, look })
    }
    return merged
  })
  return coloured.map((line) => line.map(({ text }) => text).join('')).join('\n') === code ? coloured : null
}
