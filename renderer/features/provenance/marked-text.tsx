import { memo, type RefObject, useEffect, useState } from 'react'
import type { ProvenanceClaim } from '#core/contract/provenance.ts'
import styles from './provenance-pane.module.css'
import type { ClaimRun, TextPart } from './text-runs.ts'
import { SUPPORT_TEXTS, specificText } from './wording.ts'

type Props = {
  readonly area: RefObject<HTMLDivElement | null>
  readonly parts: readonly TextPart[]
  readonly claims: readonly ProvenanceClaim[]
  /** The index of the selected claim, or null. */
  readonly current: number | null
  readonly onPick: (index: number) => void
}

/** The text of a summary, with a mark of its support at each sentence. */
export const MarkedText = memo(function MarkedText({ area, parts, claims, current, onPick }: Props) {
  const first = parts.find((part) => part.kind === 'claim')
  return (
    <div ref={area} className={styles.text} dir="auto">
      {parts.map((part) => {
        if (part.kind === 'plain')
          return (
            <span key={part.start} data-start={part.start}>
              {part.text}
            </span>
          )
        const claim = claims[part.index]
        const isCurrent = part.index === current
        const pick = () => {
          // A click that ends a selection of words does not select the sentence.
          if (window.getSelection()?.isCollapsed !== false) onPick(part.index)
        }
        return (
          // biome-ignore lint/a11y/useSemanticElements: a sentence of a running text cannot be a button element
          <span
            key={part.start}
            role="button"
            className={styles.markedClaim}
            data-claim={part.index}
            data-support={claim?.support}
            aria-pressed={isCurrent}
            tabIndex={isCurrent || (current === null && part === first) ? 0 : -1}
            title={claim && SUPPORT_TEXTS[claim.support]}
            onClick={pick}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              onPick(part.index)
            }}
          >
            {part.runs.map((run) => (
              <Run key={run.start} run={run} />
            ))}
          </span>
        )
      })}
    </div>
  )
})

function Run({ run: { start, text, isMatch, specific } }: { readonly run: ClaimRun }) {
  return (
    <span
      data-start={start}
      data-match={isMatch || undefined}
      data-standing={specific?.standing}
      title={specific === null ? undefined : specificText(specific)}
    >
      {text}
    </span>
  )
}

/** A range of a text in UTF-16 units. The end is exclusive. */
export type TextRange = { readonly from: number; readonly to: number }

/** A selection is requested when it has not changed for this long. */
const SETTLE_MS = 220

/** Returns the range that is selected in a text, by mouse or keys, or null. */
export function useTextSelection(
  ref: RefObject<HTMLElement | null>,
): readonly [TextRange | null, (range: TextRange | null) => void] {
  const [range, setRange] = useState<TextRange | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const root = ref.current
        if (root === null) return
        const next = selectedRange(root)
        // The range stays selected when the browser's selection moves elsewhere, for example to copy a passage.
        if (next !== null) setRange((before) => (before?.from === next.from && before.to === next.to ? before : next))
      }, SETTLE_MS)
    }
    document.addEventListener('selectionchange', onChange)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', onChange)
    }
  }, [ref])
  return [range, setRange]
}

/** Shorter selections are usually accidental. */
const SHORTEST = 3

/**
 * Returns the selection within an element whose runs give their beginnings (`data-start`), or null when it is empty.
 */
function selectedRange(root: HTMLElement): TextRange | null {
  const selection = window.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (!range.intersectsNode(root)) return null
  const from = offsetOf(root, range.startContainer, range.startOffset, 'start')
  const to = offsetOf(root, range.endContainer, range.endOffset, 'end')
  return to - from >= SHORTEST ? { from, to } : null
}

/**
 * Returns the offset in the text of a position in the page. A position outside the element gives its beginning or end.
 */
function offsetOf(root: HTMLElement, node: Node, offset: number, edge: 'start' | 'end'): number {
  const run = node.parentElement?.closest('[data-start]')
  if (node instanceof Text && run && root.contains(run)) return startOf(run) + offset
  const place = new Range()
  place.setStart(node, offset)
  const runs = [...root.querySelectorAll('[data-start]')]
  const next = runs.find((one) => place.comparePoint(one, 0) >= 0)
  if (next !== undefined) return startOf(next)
  const last = runs.at(-1)
  if (last === undefined || edge === 'start') return last ? startOf(last) : 0
  return startOf(last) + (last.textContent?.length ?? 0)
}

const startOf = (run: Element): number => Number(run.getAttribute('data-start'))
