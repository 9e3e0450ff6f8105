import type { BlockPart } from '#core/ingest/transcripts/content-blocks.ts'
import { HALF_WRITTEN } from '#core/ingest/transcripts/grown-answer.ts'
import { callBlock, reasoningBlock, textBlock } from '#core/ingest/transcripts/parts.ts'
import { textOfLines } from '#core/ingest/transcripts/read-text.ts'
import type { FencedLine } from './fences.ts'

/** The result of a tool, as far as the export has it. */
type ToolAnswer = { readonly callIndex: number; readonly name: string | null; readonly output: string }

export type Body = { readonly blocks: readonly BlockPart[]; readonly answers: readonly ToolAnswer[] }

/**
 * Converts the lines of one turn into blocks: text, thoughts, and calls with their results. `callId` names the n-th
 * call.
 */
export function bodyOf(lines: readonly FencedLine[], callId: (index: number) => string): Body {
  const blocks: BlockPart[] = []
  const answers: ToolAnswer[] = []
  let text: string[] = []
  let isHalf = false
  const flush = (): void => {
    const said = textOfLines(text)
    const block = textBlock(said)
    const metadata = JSON.stringify({ [HALF_WRITTEN]: true })
    if (said !== '') blocks.push(isHalf ? { ...block, part: { ...block.part, metadata } } : block)
    text = []
    isHalf = false
  }
  let calls = 0
  /** Tags that are not closed any more, so that the rest is not searched again for each that opens. */
  const unclosed = new Set<string>()
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as FencedLine
    const tag = line.isFenced ? undefined : /^<(think|tool-use)(?=[ >])/.exec(line.text)?.[1]
    const end = tag === undefined || unclosed.has(tag) ? -1 : endOf(lines, index, `</${tag}>`)
    if (end === -1) {
      if (tag !== undefined) {
        unclosed.add(tag)
        // The tag may be closed when the session continues, and the text before it is complete.
        flush()
        isHalf = true
      }
      text.push(line.text)
      continue
    }
    flush()
    const inside = lines.slice(index, end + 1).map((inner) => inner.text)
    index = end
    if (tag === 'think') {
      const thought = textOfLines(unwrapped(inside, 'think').lines)
      if (thought !== '') blocks.push(reasoningBlock(thought))
      continue
    }
    const { block, answer } = toolUse(inside, callId(calls), calls)
    blocks.push(block)
    if (answer) answers.push(answer)
    calls += 1
  }
  flush()
  return { blocks, answers }
}

function endOf(lines: readonly FencedLine[], from: number, closing: string): number {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] as FencedLine
    if (!line.isFenced && line.text.trimEnd().endsWith(closing)) return index
  }
  return -1
}

function toolUse(lines: readonly string[], id: string, callIndex: number) {
  const opening = lines[0] ?? ''
  const attribute = (name: string): string | null => {
    const value = new RegExp(`${name}="([^"]*)"`).exec(opening)?.[1] ?? ''
    return value === '' ? null : value
  }
  const { summary, lines: body } = unwrapped(lines, 'tool-use')
  const name = attribute('data-tool-name')
  const title = summary.replace(/^Tool use:\s*/, '').replace(/^\*\*[^*]*\*\*\s*(?:•\s*)?/, '')
  const type = attribute('data-tool-type')
  // The export has only the title of a call, perhaps shortened, instead of its arguments.
  const input = JSON.stringify({ ...(type === null ? {} : { type }), ...(title === '' ? {} : { title }) })
  const output = withoutFence(textOfLines(body))
  const block = callBlock({ id, name, input, title: title === '' ? null : title })
  return { block, answer: output === '' ? null : { callIndex, name, output } }
}

/** Returns the lines between the tags, and the summary of the details among them. */
function unwrapped(lines: readonly string[], tag: string): { summary: string; lines: string[] } {
  const text = lines.join('\n').trimEnd()
  const outer = new RegExp(`^<${tag}[^>]*>\\s*(?:<details[^>]*>)?\\s*`)
  const inner = text
    .replace(outer, '')
    .replace(new RegExp(`</${tag}>$`), '')
    .trimEnd()
    .replace(/<\/details>$/, '')
  const summary = /^<summary>([\s\S]*?)<\/summary>/.exec(inner)
  return { summary: (summary?.[1] ?? '').trim(), lines: inner.slice(summary?.[0].length ?? 0).split('\n') }
}

/** Removes the fences around output that lies between one pair of them. */
function withoutFence(text: string): string {
  const opening = /^`{3,}[^\n`]*\n/.exec(text)?.[0]
  if (opening === undefined) return text
  // A pattern for the end would be tried from each backtick of a long run.
  let end = text.length
  while (end > opening.length && text[end - 1] === '`') end -= 1
  if (text.length - end < 3) return text
  const inner = text.slice(opening.length, end).replace(/\n$/, '')
  return inner.split('\n').filter((line) => /^ {0,3}`{3,}\s*$/.test(line)).length > 1 ? text : inner
}
