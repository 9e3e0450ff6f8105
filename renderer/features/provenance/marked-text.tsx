import { memo, type RefObject } from 'react'
import type { ProvenanceClaim } from '../../../core/contract/provenance.ts'
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
