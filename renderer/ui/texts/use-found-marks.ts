import { type RefObject, useEffect, useState } from 'react'
import { MOST_MATCHED_CHARS } from '#core/contract/lists.ts'
import { client } from '#renderer/api.ts'
import { type FoundTexts, findAllExactly, useFound } from './found-texts.ts'

/** The most passages that are marked where no search says how many there are. */
const MOST_MARKS = 400
const NAME = 'found'
const NONE: readonly Range[] = []

/**
 * Marks in an element what was found in its message or summary, without changing the element. Text that is rendered,
 * unfolded or fetched later is marked as well.
 * @param id null to mark nothing
 * @returns the marks in order; null until they are known, and when nothing was looked for
 */
export function useFoundMarks(ref: RefObject<HTMLElement | null>, id: string | null): readonly Range[] | null {
  const found = useFound(id)
  const [marks, setMarks] = useState<readonly Range[] | null>(null)
  useEffect(() => {
    const element = ref.current
    if (element === null || found === null || !('highlights' in CSS)) return
    let looking = new AbortController()
    const mark = () => {
      looking.abort()
      looking = new AbortController()
      const { signal } = looking
      marksIn(element, found, signal).then(
        (ranges) => {
          if (!signal.aborted) setMarks(ranges)
        },
        // The list of hits shows why a search fails. Here nothing is marked then.
        () => {
          if (!signal.aborted) setMarks(null)
        },
      )
    }
    mark()
    const observer = new MutationObserver(mark)
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    return () => {
      observer.disconnect()
      looking.abort()
      setMarks(null)
    }
  }, [ref, found])
  useHighlight(NAME, marks ?? NONE)
  return marks
}

async function marksIn(element: HTMLElement, found: FoundTexts, signal: AbortSignal): Promise<readonly Range[]> {
  const shown = shownText(element, MOST_MATCHED_CHARS)
  if (found.search === null) return rangesIn(shown, findAllExactly(shown.text, found.texts, MOST_MARKS))
  const { ranges } = await client.retrieval.matchesIn({ search: found.search, text: shown.text }, { signal })
  return rangesIn(shown, ranges)
}

/** Paints ranges of the document under a name that the style sheet knows. */
export function useHighlight(name: string, ranges: readonly Range[]): void {
  useEffect(() => {
    if (ranges.length === 0) return
    const highlight = CSS.highlights.get(name) ?? new Highlight()
    CSS.highlights.set(name, highlight)
    for (const range of ranges) highlight.add(range)
    return () => {
      for (const range of ranges) highlight.delete(range)
    }
  }, [name, ranges])
}

/** The text of an element as a reader sees it, and the nodes that it consists of. */
type ShownText = {
  readonly text: string
  readonly nodes: readonly { readonly node: Text; readonly start: number }[]
}

const BLOCKS = 'address, blockquote, dd, div, dt, h1, h2, h3, h4, h5, h6, li, p, pre, section, summary, td, th'

/** Reads the text of an element up to a number of characters. A line ends where a block does. */
function shownText(element: HTMLElement, mostChars: number): ShownText {
  const nodes: { node: Text; start: number }[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  let block: Element | null = null
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.data === '') continue
    const its = node.parentElement?.closest(BLOCKS) ?? null
    if (block !== null && its !== block) text += '\n'
    block = its
    if (text.length + node.data.length > mostChars) break
    nodes.push({ node, start: text.length })
    text += node.data
  }
  return { text, nodes }
}

/** Returns the ranges of the document for ranges of the text, which ascend. */
function rangesIn({ nodes }: ShownText, ranges: readonly (readonly [number, number])[]): readonly Range[] {
  let at = 0
  return ranges.map(([from, to]) => {
    while (isBehind(nodes, at, from)) at += 1
    let last = at
    while (isBehind(nodes, last, to - 1)) last += 1
    const range = new Range()
    setBoundary(nodes[at], from, (node, offset) => range.setStart(node, offset))
    setBoundary(nodes[last], to, (node, offset) => range.setEnd(node, offset))
    return range
  })
}

const isBehind = (nodes: ShownText['nodes'], at: number, place: number): boolean =>
  (nodes[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= place

function setBoundary(
  place: ShownText['nodes'][number] | undefined,
  at: number,
  set: (node: Text, offset: number) => void,
): void {
  if (place) set(place.node, Math.min(Math.max(0, at - place.start), place.node.data.length))
}
