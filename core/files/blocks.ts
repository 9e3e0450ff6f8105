/** A piece of a text that could stand in a file of its own. */
export type Block = {
  /** The place of `content` in the text, in UTF-16 units, or of all that the reference replaces. */
  readonly start: number
  readonly end: number
  readonly content: string
  readonly name: string
  readonly mime: string | null
  /** What a fence says about its language. */
  readonly language: string | null
}

/** Whose text it is decides what in it may be moved: an agent's own words stay, a pasted text does not. */
export type TextKind =
  | { readonly of: 'user' }
  | { readonly of: 'agent' }
  /** `file` is what its call asked to read, if it says so. */
  | { readonly of: 'tool'; readonly name: string | null; readonly file: string | null }

/** Attributes of a tag are read up to here: a longer tag is no tag. */
const LONGEST_TAG = 4096

export const PASTED = 'pasted text'

/** Judges the content of a block alone. */
export type IsLarge = (content: string) => boolean

/**
 * Cuts a text into what could stand in files: `<file>` blocks, fenced blocks, and what is between them. `isLarge` judges
 * each alone. It takes time in proportion to the length of the text, whatever stands in it.
 */
export function largeBlocksOf(text: string, kind: TextKind, isLarge: IsLarge): Block[] {
  if (kind.of === 'tool') {
    const name = kind.file ?? (kind.name === null ? 'tool result' : `${kind.name} result`)
    return isLarge(text) ? [wholeOf(text, 0, text.length, name)] : []
  }
  const blocks: Block[] = []
  let from = 0
  for (const file of [...fileBlocks(text), null]) {
    blocks.push(...withinRun(text, from, file?.outerStart ?? text.length, kind, isLarge))
    if (file === null) break
    if (isLarge(file.content)) blocks.push(file)
    from = file.outerEnd
  }
  return blocks
}

/** What stands between two `<file>` blocks: fenced blocks, and the text around the large ones of them. */
function withinRun(text: string, start: number, end: number, kind: TextKind, isLarge: IsLarge): Block[] {
  const run = text.slice(start, end)
  const blocks: Block[] = []
  let from = start
  const around = (to: number): void => {
    if (kind.of === 'user' && isLarge(text.slice(from, to))) blocks.push(wholeOf(text, from, to, PASTED))
  }
  for (const fence of fencedBlocks(run, start)) {
    if (!isLarge(fence.content)) continue
    around(fence.start)
    blocks.push(fence)
    from = fence.end
  }
  around(end)
  return blocks
}

const wholeOf = (text: string, start: number, end: number, name: string): Block => ({
  start,
  end,
  content: text.slice(start, end),
  name,
  mime: null,
  language: null,
})

type FileBlock = Block & { readonly outerStart: number; readonly outerEnd: number }

const CLOSING = '</file>'

function* fileBlocks(text: string): Generator<FileBlock> {
  for (let at = text.indexOf('<file'); at >= 0; ) {
    const tag = fileTag(text, at)
    if (tag === null) {
      at = text.indexOf('<file', at + 1)
      continue
    }
    const close = text.indexOf(CLOSING, tag.end)
    if (close < 0) return
    const outerEnd = close + CLOSING.length
    yield {
      // A tag that says more than name and type stays around the reference, so that nothing of it is lost.
      start: tag.isPlain ? at : tag.end,
      end: tag.isPlain ? outerEnd : close,
      outerStart: at,
      outerEnd,
      content: text.slice(tag.end, close),
      name: tag.name,
      mime: tag.mime,
      language: null,
    }
    at = text.indexOf('<file', outerEnd)
  }
}

type Tag = {
  readonly end: number
  readonly name: string
  readonly mime: string | null
  /** It says its name, perhaps its type, and nothing else. */
  readonly isPlain: boolean
}

function fileTag(text: string, at: number): Tag | null {
  const head = text.slice(at, at + LONGEST_TAG)
  const [tag, attributes = ''] = /^<file((?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))+)\s*>/.exec(head) ?? []
  if (tag === undefined) return null
  const values = new Map<string, string>()
  for (const [, key = '', double, single] of attributes.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (!values.has(key)) values.set(key, double ?? single ?? '')
  }
  const name = values.get('name')
  const mime = values.get('mime') ?? null
  const plain = `<file name="${name}"${mime === null ? '' : ` mime="${mime}"`}>`
  return { end: at + tag.length, name: name ?? 'file', mime, isPlain: name !== undefined && tag === plain }
}

const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})([^\n`]*)$/gm

/** Blocks between fences; the fences stay in the text. A fence that nothing closes is none. */
function* fencedBlocks(run: string, offset: number): Generator<Block> {
  let opening: { readonly mark: string; readonly contentStart: number; readonly info: string } | null = null
  for (const found of run.matchAll(FENCE_LINE)) {
    const [line, mark = '', info = ''] = found
    if (opening === null) {
      opening = { mark, contentStart: found.index + line.length + 1, info: info.trim() }
      continue
    }
    const closes = mark[0] === opening.mark[0] && mark.length >= opening.mark.length && info.trim() === ''
    if (!closes) continue
    const contentEnd = Math.max(opening.contentStart, found.index - 1)
    const language = /^[\w+#.-]{1,40}/.exec(opening.info)?.[0] ?? null
    yield {
      ...wholeOf(run, opening.contentStart, contentEnd, PASTED),
      start: offset + opening.contentStart,
      end: offset + contentEnd,
      language,
    }
    opening = null
  }
}
