import { type RefObject, useEffect, useState } from 'react'
import { MOST_MATCHED_CHARS } from '../../core/contract/lists.ts'
import { client } from '../api.ts'
import { type Found, findAllExactly, useFound } from './found-texts.ts'
import { rangesIn, shownText } from './shown-text.ts'

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

async function marksIn(element: HTMLElement, found: Found, signal: AbortSignal): Promise<readonly Range[]> {
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
