import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { codeLanguage } from '#renderer/ui/texts/code-languages.ts'
import { codeTokens } from '#renderer/ui/texts/code-tokens.ts'
import { addressOf, nameOf, type Page } from './pages.ts'

/** A heading of a page that its own list of contents names. */
export type Heading = { readonly id: string; readonly text: string }
export type Rendered = { readonly html: string; readonly headings: readonly Heading[] }

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The id that GitHub gives a heading, so that a link to it works there and here. */
export function idsOfHeadings(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const id = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(id) ?? 0
    seen.set(id, times + 1)
    return times === 0 ? id : `${id}-${times}`
  }
}

/** The way from one page to a file that another page of the project links to. */
export function linkFrom({ source, address }: Pick<Page, 'source' | 'address'>, href: string): string {
  if (/^(?:[a-z]+:|#)/.test(href)) return href
  const [path = '', fragment] = href.split('#')
  const target = posix.join(posix.dirname(source), path)
  const there = target.endsWith('.md') ? addressOf(target) : target
  const from = posix.relative(posix.dirname(address), there)
  return fragment === undefined ? from : `${from}#${fragment}`
}

/** A link that is called by its file is called by its page here. */
const FILE_NAME = /^[\w/-]+\.md$/
const sourceOf = ({ source }: Page, href: string): string => posix.join(posix.dirname(source), href.split('#')[0] ?? '')

/** The pictures and links of a piece of HTML in Markdown. */
const linked = (html: string, page: Page): string =>
  html.replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (_, name, href) => `${name}="${linkFrom(page, href)}"`)

/** Code with a class for what each piece is. Code of unknown languages stays plain. */
async function highlighted(code: string, language: string): Promise<string> {
  const known = codeLanguage(language)
  const lines = known === null ? null : await codeTokens(code, known)
  if (lines === null) return escaped(code)
  const pieces = lines.map((tokens) =>
    tokens.map(({ text, look }) => (look === null ? escaped(text) : `<span class="${look}">${escaped(text)}</span>`)),
  )
  return pieces.map((line) => line.join('')).join('\n')
}

/** A flow chart of arrows as a table: a page without scripts draws none. */
function arrowTable(chart: string): string {
  const rows = [...chart.matchAll(/^ *(.+) --> (.+)$/gm)].map(
    ([, from = '', to = '']) => `<tr><td>${namesIn(from)}</td><td>${namesIn(to)}</td></tr>`,
  )
  return scrolled(`<thead><tr><th>imports</th><th>from</th></tr></thead><tbody>${rows.join('')}</tbody>`)
}
const namesIn = (list: string): string =>
  list
    .split(' & ')
    .map((name) => `<code>${escaped(name)}</code>`)
    .join(' ')

const scrolled = (rows: string): string => `<div class="table" tabindex="0"><table>${rows}</table></div>`

/** Code block: a file that it belongs to may stand behind its language. */
async function codeBlock({ text, lang = '' }: Tokens.Code): Promise<string> {
  const [language = '', file] = lang.split(' ')
  if (language === 'mermaid') return arrowTable(text)
  const caption = file?.includes('/') ? `<figcaption>${escaped(file)}</figcaption>` : ''
  return `<figure class="code">${caption}<pre tabindex="0"><code>${await highlighted(text, language)}</code></pre></figure>`
}

/** The HTML of one of the pages, with links that work on the site. */
export async function renderMarkdown(page: Page, pages: readonly Page[]): Promise<Rendered> {
  const headings: Heading[] = []
  const blocks = new Map<Tokens.Code, string>()
  const idOf = idsOfHeadings()
  const marked = new Marked({
    async: true,
    walkTokens: async (token) => {
      if (token.type === 'code') blocks.set(token as Tokens.Code, await codeBlock(token as Tokens.Code))
    },
    renderer: {
      code: (token) => blocks.get(token) ?? '',
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = html.replaceAll(/<[^>]+>/g, '')
        const id = idOf(text.replaceAll(/&\w+;|&#\d+;/g, ''))
        if (depth === 2) headings.push({ id, text })
        if (depth === 1) return `<h1>${html}</h1>\n`
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const target = pages.find(({ source }) => source === sourceOf(page, href))
        return `<a href="${escaped(linkFrom(page, href))}">${target && FILE_NAME.test(html) ? escaped(nameOf(target)) : html}</a>`
      },
      image: ({ href, text }) =>
        `<img src="${escaped(linkFrom(page, href))}" alt="${escaped(text)}" width="1440" height="900" loading="lazy">`,
      html: ({ text }) => linked(text, page),
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th'): string => {
          const cell = ({ tokens, text }: Tokens.TableCell): string => {
            // A head that says nothing heads nothing.
            const name = text === '' ? 'td' : tag
            return `<${name}>${this.parser.parseInline(tokens)}</${name}>`
          }
          return `<tr>${row.map(cell).join('')}</tr>`
        }
        const head = header.some(({ text }) => text !== '') ? `<thead>${cells(header, 'th')}</thead>` : ''
        return scrolled(`${head}<tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody>`)
      },
    },
  })
  return { html: await marked.parse(page.markdown), headings }
}
