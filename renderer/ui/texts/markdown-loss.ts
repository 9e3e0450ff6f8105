/** The part of a Markdown node that is read here (mdast). */
export type MarkdownNode = {
  type: string
  value?: string
  children?: MarkdownNode[]
  position?: { readonly start: Place; readonly end: Place } | undefined
  ordered?: boolean | null
  start?: number | null
  checked?: boolean | null
  lang?: string | null
  meta?: string | null
  url?: string
  title?: string | null
  alt?: string | null
}

type Place = { readonly offset?: number | undefined; readonly column: number }

/** What rendering draws in another form than it is written: the marks of emphasis, lists, quotes, headings and tables. */
const MARKS = /[\s*_~`#>+\-|()[\]!:]/g
/** Longer addresses of pictures are shown cut. */
export const MOST_ADDRESS_CHARS = 200

/**
 * Decides whether rendering a text as Markdown would change or swallow some of its characters: those of `-*- mode -*-`,
 * of `__init__`, of a link's title, of a number in a list, of an escape. The marks of what is drawn in another form
 * (bold, code, headings, lists, quotes, tables) are not missed.
 * @param root the text as the parser read it
 * @returns what would change, in words, or null when the rendered text says everything
 */
export function renderingLoss(root: MarkdownNode, source: string): string | null {
  // The parser drops a byte order mark.
  if (source.startsWith('\ufeff')) return 'the byte order mark'
  const said: string[] = []
  const loss = lossIn(root, { source, said, isInList: false })
  if (loss !== null) return loss
  return bare(said.join('')) === bare(source) ? null : 'characters that are not drawn'
}

const bare = (text: string): string => text.replace(MARKS, '')

type Context = {
  readonly source: string
  /** What is drawn, in order. */
  readonly said: string[]
  readonly isInList: boolean
}

function lossIn(node: MarkdownNode, context: Context): string | null {
  const own = OWN_LOSS[node.type]
  if (own === undefined) return `a ${node.type}`
  const loss = own(node, sliceOf(node, context.source), context)
  if (loss !== null) return loss
  const isInList = context.isInList || node.type === 'listItem'
  for (const child of node.children ?? []) {
    const inner = lossIn(child, { ...context, isInList })
    if (inner !== null) return inner
  }
  // The address is drawn behind the words of the link.
  if (node.type === 'link' && sliceOf(node, context.source)?.startsWith('[')) context.said.push(node.url ?? '')
  return null
}

/** The source of a node, or null for a node that the parser made up (an address in running text). */
function sliceOf({ position }: MarkdownNode, source: string): string | null {
  const from = position?.start.offset
  const to = position?.end.offset
  return from === undefined || to === undefined ? null : source.slice(from, to)
}

type OwnLoss = (node: MarkdownNode, slice: string | null, context: Context) => string | null

const none: OwnLoss = () => null

/** What would be lost of a node itself, by its type. A type that is not listed is not drawn faithfully. */
const OWN_LOSS: Readonly<Record<string, OwnLoss>> = {
  root: none,
  paragraph: (node, slice) => (slice !== null && isAligned(slice, node) ? 'the indentation of lines' : null),
  text: (node, slice, { said, isInList }) => {
    const value = node.value ?? ''
    said.push(value)
    if (slice !== null && unwrapped(value) !== unwrapped(slice)) return 'escapes and entities'
    return isInList && / {3}/.test(value) ? 'the spaces between words' : null
  },
  emphasis: markedLoss,
  strong: markedLoss,
  delete: markedLoss,
  inlineCode: (node, _, { said }) => saidWhole(said, node.value),
  code: (node, _, { said }) => {
    said.push(node.lang ?? '', node.value ?? '')
    return node.meta ? 'the details of a code block' : null
  },
  // It is drawn as text.
  html: (node, _, { said }) => saidWhole(said, node.value),
  break: (_, slice) => (slice?.startsWith('\\') ? 'escapes and entities' : null),
  heading: (_, slice) =>
    slice !== null && (!slice.startsWith('#') || /\s#+\s*$/.test(slice)) ? 'the lines of a heading' : null,
  thematicBreak: (_, slice) => (slice !== null && !/^(?:-{3,}|\*{3}|_{3})\s*$/.test(slice) ? 'a line of signs' : null),
  blockquote: (_, slice) =>
    slice?.split('\n').every((line) => line.trimStart().startsWith('>')) === false ? 'the end of a quote' : null,
  list: (node, _, { source }) => listLoss(node, source),
  listItem: (node, slice, { said }) => {
    said.push(/^\d+\.|/.exec(slice ?? '')?.[0] ?? '', node.checked ? 'x' : '')
    const [first] = node.children ?? []
    return first?.type === 'list' ? 'the signs of a list' : null
  },
  link: (node, slice) => {
    if (node.title) return 'the title of a link'
    if (slice?.startsWith('<')) return 'the brackets of an address'
    return isPlainAddress(node.url) ? null : 'the address of a link'
  },
  image: (node, _, { said }) => {
    if (node.title) return 'the title of a picture'
    said.push(node.alt ?? '', node.url ?? '')
    return isPlainAddress(node.url) && (node.url ?? '').length <= MOST_ADDRESS_CHARS ? null : 'the address of a picture'
  },
  table: (node) => {
    const [head, ...rows] = node.children ?? []
    const columns = head?.children?.length ?? 0
    return rows.some((row) => (row.children?.length ?? 0) > columns) ? 'the cells of a table' : null
  },
  tableRow: none,
  tableCell: none,
}

function saidWhole(said: string[], value: string | undefined): null {
  said.push(value ?? '')
  return null
}

/** Any other character would be drawn as a code of its bytes. */
const isPlainAddress = (url: string | undefined): boolean => /^[\w\-.~:/?#@!$&'()*+,;=]*$/.test(url ?? '')

/** The lines of a text without what the containers around it begin each of them with. */
const unwrapped = (text: string): string => text.replace(/[ \t]*(?:\r\n|\r|\n)[ \t>]*/g, '\n').trimEnd()

/** A line that is indented further than its paragraph begins was put there on purpose: a drawing, a column, code. */
function isAligned(slice: string, { position }: MarkdownNode): boolean {
  const column = (position?.start.column ?? 1) - 1
  return slice
    .split('\n')
    .slice(1)
    .some(
      (line) => (/^[ \t]*/.exec(line.replace(/^(?:[ \t]*>)+/, ''))?.[0].replaceAll('\t', '    ') ?? '').length > column,
    )
}

function listLoss(list: MarkdownNode, source: string): string | null {
  for (const [index, item] of (list.children ?? []).entries()) {
    const slice = sliceOf(item, source) ?? ''
    if (list.ordered) {
      if (!slice.startsWith(`${(list.start ?? 1) + index}.`)) return 'the numbers of a list'
    } else if (slice.startsWith('+')) return 'the signs of a list'
  }
  return null
}

/**
 * Asterisks, underscores and tildes around a word are emphasis when they stand as a writer puts them. Within words, and
 * around what no writer emphasises, they are a product (2*3*4), a name (`__init__`), a pattern (*.ts) or a drawing.
 */
function markedLoss(node: MarkdownNode, slice: string | null, { source }: Context): string | null {
  if (slice === null) return 'emphasis'
  const from = node.position?.start.offset ?? 0
  const mark = /^(\*\*|__|~~|\*|_|~)/.exec(slice)?.[0] ?? ''
  const inner = slice.slice(mark.length, slice.length - mark.length)
  const isWithinWord = /\w/.test(source.charAt(from - 1)) || /\w/.test(source.charAt(from + slice.length))
  const isName = mark.startsWith('_') && /^\w*$/.test(inner) && (mark === '__' || /[\d_]/.test(inner))
  const isPattern =
    mark.length === 1 && (!/^[\p{L}\p{N}"'“‘«([`*_@.]/u.test(inner) || !/[\p{L}\p{N}"'”’»)\]`*_.,!?:;…%]$/u.test(inner))
  const hasOwnMark = (node.children ?? []).some(({ type, value }) => type === 'text' && value?.includes(mark.charAt(0)))
  return mark === '~' || isWithinWord || isName || isPattern || hasOwnMark ? 'asterisks, underscores or tildes' : null
}
