import { common, createLowlight } from 'lowlight'
import type { FileInfo } from '../../../core/contract/lineage.ts'

/** A piece of a line in one colour; `look` is null for plain text. */
export type Token = { readonly text: string; readonly look: string | null }

const lowlight = createLowlight(common)

/** More than this is shown plain: nobody reads it by its colours, and colouring it would take a while. */
const MOST_CHARS = 24_000
const LONGEST_LINE = 500

/** The language of a file by the ending of its name, or of the name under which it is stored; null for plain text. */
export function languageOf({ fileName, storageUri }: Pick<FileInfo, 'fileName' | 'storageUri'>): string | null {
  for (const name of [fileName ?? '', storageUri]) {
    const [, ending] = /\.([A-Za-z0-9]{1,10})$/.exec(name) ?? []
    const language = ending?.toLowerCase()
    if (language !== undefined && language !== 'txt' && lowlight.registered(language)) return language
  }
  return null
}

/** The tokens of each line. Lines are coloured together, so that what spans several of them is coloured whole. */
export function highlightLines(lines: readonly string[], language: string | null): readonly (readonly Token[])[] {
  const isTooMuch = lines.reduce((sum, line) => sum + line.length, 0) > MOST_CHARS
  if (language === null || isTooMuch || lines.some((line) => line.length > LONGEST_LINE)) return lines.map(plain)
  const coloured: Token[][] = [[]]
  const take = (node: Node, look: string | null): void => {
    if (node.type === 'text') {
      for (const [at, text] of (node.value ?? '').split('\n').entries()) {
        if (at > 0) coloured.push([])
        if (text !== '') coloured.at(-1)?.push({ text, look })
      }
      return
    }
    const [name] = [node.properties?.className].flat()
    const own = typeof name === 'string' ? name.replace(/^hljs-/, '') : look
    for (const child of node.children ?? []) take(child, own)
  }
  take(lowlight.highlight(language, lines.join('\n')) as Node, null)
  return coloured.length === lines.length ? coloured : lines.map(plain)
}

const plain = (text: string): readonly Token[] => [{ text, look: null }]

type Node = {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}
