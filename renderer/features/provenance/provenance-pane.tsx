import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { Provenance } from '#core/contract/provenance.ts'
import { client } from '#renderer/api.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText, type TextRange, useTextSelection } from './marked-text.tsx'
import { PassagePane, SupportMark } from './passage-pane.tsx'
import styles from './provenance-pane.module.css'
import { textHash } from './text-hash.ts'
import { textParts } from './text-runs.ts'
import { searchedText } from './wording.ts'

type Props = {
  readonly summaryId: string
  readonly content: string
  /** The length of the whole text. `content` may be only its beginning. */
  readonly contentChars: number
  /** Fetches what `content` lacks. */
  readonly onMore: () => void
}

/** A text of this length is laid out without a delay. More of it is shown on request. */
const STEP_CHARS = 30_000

/** The text of a summary with the passages on which it rests, sentence by sentence or for any selected words. */
export function ProvenancePane({ summaryId, content, contentChars, onMore }: Props) {
  const area = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState(STEP_CHARS)
  const [current, setCurrent] = useState<number | null>(null)
  const [pointed, setPointed] = useState(0)
  const [range, setRange] = useTextSelection(area)
  const whole = useProvenance(summaryId, content, null)
  const part = useProvenance(summaryId, content, range, range !== null)
  const claims = whole.data?.claims
  const shown = content.slice(0, wanted)

  const matches = current === null ? undefined : claims?.[current]?.passages[pointed]?.matches
  const parts = useMemo(
    () => textParts(shown, claims ?? [], current !== null && matches ? { index: current, matches } : null),
    [shown, claims, current, matches],
  )

  const pick = (index: number | null) => {
    setCurrent(index)
    setPointed(0)
    setRange(null)
    window.getSelection()?.removeAllRanges()
    if (index === null) return
    const element = area.current?.querySelector(`[data-claim="${index}"]`)
    if (element instanceof HTMLElement) {
      element.focus({ preventScroll: true })
      element.scrollIntoView({ block: 'nearest' })
    }
  }
  const step = (steps: 1 | -1) => {
    const count = claims?.length ?? 0
    if (count > 0) pick(current === null ? (steps > 0 ? 0 : count - 1) : (current + steps + count) % count)
  }
  useKeys({ n: () => step(1), p: () => step(-1) })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.shiftKey && area.current !== null && extendSelection(area.current, event.key, current)) {
      event.preventDefault()
      return
    }
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => step(1),
      j: () => step(1),
      ArrowUp: () => step(-1),
      k: () => step(-1),
      ...((current !== null || range !== null) && { Escape: () => pick(null) }),
    }
    const run = event.shiftKey ? undefined : keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }

  return (
    <div className={styles.pane}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the sentences in it have the focus; the keys go from one to the next */}
      <div className={styles.reading} onKeyDown={onKeyDown}>
        <div className={styles.head}>
          {whole.data ? (
            <SupportSummary provenance={whole.data} />
          ) : (
            whole.isFetching && (
              <span className={styles.wait}>
                <ProgressBar label="Comparing with the sources" done={0} total={0} />
                <span>Comparing with the sources…</span>
              </span>
            )
          )}
        </div>
        {content === '' ? (
          <p className="dim">The text is empty.</p>
        ) : (
          <MarkedText
            area={area}
            parts={parts}
            claims={claims ?? []}
            current={range === null ? current : null}
            onPick={pick}
          />
        )}
        {contentChars > shown.length && (
          <Button
            look="quiet"
            onClick={() => {
              if (shown.length >= content.length) onMore()
              setWanted(wanted + STEP_CHARS)
            }}
          >
            Show more of {formatCount(contentChars - shown.length)} characters
          </Button>
        )}
      </div>
      <aside className={styles.passages} aria-label="Source passages" aria-busy={whole.isFetching || part.isFetching}>
        {whole.error ? (
          <ErrorState error={whole.error} onRetry={() => void whole.refetch()} />
        ) : part.error && range !== null ? (
          <ErrorState error={part.error} onRetry={() => void part.refetch()} />
        ) : whole.data ? (
          <PassagePane
            provenance={whole.data}
            selected={range === null ? null : (part.data ?? null)}
            isSelecting={range !== null}
            isStale={part.isPlaceholderData}
            current={current}
            pointed={pointed}
            onPoint={setPointed}
            onPick={pick}
          />
        ) : (
          whole.isFetching && <Loading what="source passages" lines={6} />
        )}
      </aside>
    </div>
  )
}

/** Counts the sentences with each mark, and explains what the marks mean and what they cannot show. */
function SupportSummary({ provenance }: { readonly provenance: Provenance }) {
  const { counts, notes } = provenance
  return (
    <div className={styles.summary}>
      <p className={styles.counts}>
        <SupportMark support="supported">{`${formatCount(counts.supported)} supported`}</SupportMark>
        <SupportMark support="weak">{`${formatCount(counts.weak)} weak`}</SupportMark>
        <SupportMark support="none">{`${formatCount(counts.none)} without a source`}</SupportMark>
        {counts.invented > 0 && (
          <span>
            <span className={styles.wavy}>{plural(counts.invented, 'detail')}</span> in no message
          </span>
        )}
      </p>
      <p className={styles.quiet} title={`Compared with ${searchedText(provenance)}. No model, no network.`}>
        Words, names and numbers are compared with the sources: this tells what the text rests on, not whether it is
        true. What was put in other words may count as weak.
      </p>
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </div>
  )
}

type Extension = { readonly direction: 'forward' | 'backward'; readonly by: 'word' | 'line' }

const EXTENSIONS: Readonly<Record<string, Extension>> = {
  ArrowRight: { direction: 'forward', by: 'word' },
  ArrowLeft: { direction: 'backward', by: 'word' },
  ArrowDown: { direction: 'forward', by: 'line' },
  ArrowUp: { direction: 'backward', by: 'line' },
}

/**
 * Selects words of a text with Shift and the arrow keys, beginning at the current sentence. Without this the browser
 * does so only after a click into the text.
 * @returns whether the key was one of these
 */
function extendSelection(area: HTMLElement, key: string, current: number | null): boolean {
  const extension = EXTENSIONS[key]
  const selection = window.getSelection()
  if (extension === undefined || selection === null) return false
  const isInside = selection.anchorNode !== null && area.contains(selection.anchorNode) && !selection.isCollapsed
  if (!isInside) {
    const start = area.querySelector(current === null ? '[data-claim]' : `[data-claim="${current}"]`)
    const text = start?.querySelector('[data-start]')?.firstChild
    if (!text) return false
    selection.collapse(text, 0)
  }
  selection.modify('extend', extension.direction, extension.by)
  return true
}

const PASSAGES = 4

/**
 * Fetches the support of a summary or of a range of it, once for each state of its text. Appended messages do not
 * change the answer.
 */
function useProvenance(
  summaryId: string,
  content: string,
  range: TextRange | null,
  isWanted = true,
): UseQueryResult<Provenance> {
  return useQuery({
    queryKey: ['provenance', summaryId, textHash(content), range],
    queryFn: ({ signal }) => client.retrieval.provenance({ summaryId, limit: PASSAGES, ...(range ?? {}) }, { signal }),
    staleTime: 'static',
    enabled: isWanted && content !== '',
    ...(range !== null && { placeholderData: keepPreviousData }),
  })
}
