import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A page of the site, made of one Markdown file. */
export type Page = {
  /** Of the file, from the project. */
  readonly source: string
  /** Of the page, from the site. */
  readonly address: string
  readonly title: string
  readonly markdown: string
}
export type Group = { readonly title: string; readonly pages: readonly Page[]; readonly isFolded: boolean }

/** What the menu lists, in its order: files, and folders with all files in them. */
const MENU: readonly { readonly title: string; readonly sources: readonly string[]; readonly isFolded?: true }[] = [
  { title: 'Begin', sources: ['README.md', 'docs/replay.md', 'docs/why-it-forgot.md'] },
  { title: 'Inside agents', sources: ['docs/hosts', 'docs/mcp.md', 'docs/agents.md'] },
  {
    title: 'Use it',
    sources: ['reference', 'configuration', 'desktop', 'models', 'map', 'ledger', 'observability', 'scale', 'volt'].map(
      (name) => `docs/${name}.md`,
    ),
  },
  {
    title: 'Understand it',
    sources: ['trace', 'provenance', 'glossary', 'schema', 'schema-postgresql'].map((name) => `docs/${name}.md`),
  },
  {
    title: 'Build on it',
    sources: ['library', 'engine', 'compatibility', 'library-types'].map((name) => `docs/${name}.md`),
  },
  { title: 'Extend it', sources: ['ARCHITECTURE.md', 'docs/extend', 'CONTRIBUTING.md'] },
  { title: 'The project', sources: ['CHANGELOG.md', 'SECURITY.md', 'docs/reliability.md', 'docs/benchmarks.md'] },
  { title: 'What was measured', sources: ['docs/measured'], isFolded: true },
  { title: 'Why it is so', sources: ['docs/decisions'], isFolded: true },
]

/** The menu with all its pages, read from a project. */
export const readMenu = (root: string): readonly Group[] =>
  MENU.map(({ title, sources, isFolded = false }) => ({
    title,
    isFolded,
    pages: sources.flatMap((source) => filesOf(root, source)).map((source) => readPage(root, source)),
  }))

function filesOf(root: string, source: string): readonly string[] {
  if (source.endsWith('.md')) return [source]
  const names = readdirSync(join(root, source)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => posix.join(source, name))
}

function readPage(root: string, source: string): Page {
  const markdown = readFileSync(join(root, source), 'utf8').replaceAll(/<!--[\s\S]*?-->\n*/g, '')
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`${source} has no title.`)
  return { source, address: addressOf(source), title, markdown }
}

/** The address of a page: the README is the first page, and everything else keeps its place. */
export const addressOf = (source: string): string =>
  source === 'README.md' ? 'index.html' : source.toLowerCase().replace(/\.md$/, '.html')

/** Titles that say what a page is about are longer than a menu is wide. */
const NAMES: Readonly<Record<string, string>> = {
  'README.md': 'What it is',
  'docs/replay.md': 'Two minutes',
  'docs/why-it-forgot.md': 'Why did it forget?',
  'docs/agents.md': 'Sessions that are read',
  'docs/library.md': 'Library',
  'docs/engine.md': 'Engine',
  'docs/map.md': 'Batches',
  'docs/schema-postgresql.md': 'Tables in PostgreSQL',
  'docs/schema.md': 'Native schema',
  'docs/trace.md': 'Traces',
  'docs/provenance.md': 'Provenance',
}
/** What the menu calls a page. */
export const nameOf = ({ source, title }: Page): string =>
  NAMES[source] ?? title.replace(/ with a lossless memory$/, '')
