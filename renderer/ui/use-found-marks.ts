import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect } from 'react'
import { findAllExactly, foundTexts } from './found-texts.ts'

/** The most matches of one message that are marked. */
const MOST_MARKS = 400
const MOST_CHARS = 400_000
const NAME = 'found'

/**
 * Marks in an element the words of a search that found its message or summary, without changing the element. Text that
 * is rendered, unfolded or fetched later is marked as well. Null marks nothing.
 */
export function useFoundMarks(ref: RefObject<HTMLElement | null>, id: string | null): void {
  const queries = useQueryClient()
  useEffect(() => {
    const element = ref.current
    const texts = id === null ? [] : foundTexts(queries, id)
    if (element === null || texts.length === 0 || !('highlights' in CSS)) return
    const highlight = CSS.highlights.get(NAME) ?? new Highlight()
    CSS.highlights.set(NAME, highlight)
    let marks: readonly Range[] = []
    const clear = () => {
      for (const mark of marks) highlight.delete(mark)
    }
    const mark = () => {
      clear()
      marks = rangesOf(element, texts)
      for (const range of marks) highlight.add(range)
    }
    mark()
    const observer = new MutationObserver(mark)
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    return () => {
      observer.disconnect()
      clear()
    }
  }, [ref, id, queries])
}

function rangesOf(element: HTMLElement, texts: readonly string[]): readonly Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let chars = 0
  while (walker.nextNode() && ranges.length < MOST_MARKS && chars < MOST_CHARS) {
    const node = walker.currentNode
    const text = node.nodeValue ?? ''
    chars += text.length
    for (const [from, to] of findAllExactly(text, texts, MOST_MARKS - ranges.length)) {
      const range = new Range()
      range.setStart(node, from)
      range.setEnd(node, to)
      ranges.push(range)
    }
  }
  return ranges
}
