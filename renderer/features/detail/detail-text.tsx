import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Description } from '#core/contract/lineage.ts'
import { MOST_MATCHED_CHARS } from '#core/contract/lists.ts'
import type { GrepRequest, Matches } from '#core/contract/retrieval.ts'
import { api, client } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { type FoundTexts, useFound } from '#renderer/ui/texts/found-texts.ts'
import { LongText } from '#renderer/ui/texts/long-text.tsx'
import { FIRST_CHARS, Markdown } from '#renderer/ui/texts/markdown.tsx'
import { useFoundMarks, useHighlight } from '#renderer/ui/texts/use-found-marks.ts'
import { foundElsewhere, foundText } from './detail-wording.ts'
import styles from './node-detail.module.css'

/** A longer text unfolds in steps that are laid out without a delay. */
const STEP_CHARS = 100_000
const ALL_CHARS = 50_000_000
/** How much is shown after the first match. */
const AFTER_MATCH_CHARS = 1000

type Look = 'rendered' | 'source'

/** The text of a node. Prose is rendered, and output of tools is shown unchanged. */
export function DetailText({ description }: { readonly description: Description }) {
  const { id, kind, role, contentChars, isCut } = description
  const text = useRef<HTMLDivElement>(null)
  const found = useFound(id)
  const marks = useFoundMarks(text, id)
  const ahead = useMatchesAhead(id, isCut ? (found?.search ?? null) : null)
  const [look, setLook] = useState<Look>('rendered')
  const [asked, setAsked] = useState(FIRST_CHARS)
  const wanted = Math.max(asked, upToFirst(ahead))
  const whole = useQuery({
    ...api.retrieval.describe.queryOptions({ input: { id, contentChars: ALL_CHARS } }),
    enabled: isCut && wanted > description.content.length,
  })
  const isProse = kind !== 'message' || role === 'user' || role === 'assistant' || role === 'system'
  const content = whole.data?.content ?? description.content
  const shown = content.slice(0, wanted)
  const hidden = contentChars - shown.length
  const step = Math.min(STEP_CHARS, hidden)

  return (
    <section className={styles.textSection}>
      <SectionHeading
        aside={
          isProse && (
            <Segmented<Look>
              label="Show the text"
              options={[
                { value: 'rendered', label: 'rendered' },
                { value: 'source', label: 'source' },
              ]}
              value={look}
              onChange={setLook}
            />
          )
        }
      >
        {kind === 'file' ? 'Exploration summary' : 'Text'}
      </SectionHeading>
      {found?.search && marks !== null && (
        <FoundBar marks={marks} ahead={ahead} field={found.field} isFile={kind === 'file'} />
      )}
      <div ref={text}>
        {content === '' ? (
          <p className="dim">{kind === 'file' ? 'None was stored.' : 'The text is empty.'}</p>
        ) : isProse && look === 'rendered' ? (
          <Markdown text={shown} />
        ) : (
          <LongText text={shown} face={isProse ? 'prose' : 'code'} found={found?.texts} />
        )}
      </div>
      {hidden > 0 && (
        <Button look="quiet" disabled={whole.isFetching} onClick={() => setAsked(shown.length + step)}>
          {whole.isFetching
            ? 'Fetching…'
            : `Show ${step < hidden ? `${formatCount(step)} of ` : ''}${formatCount(hidden)} more characters`}
        </Button>
      )}
    </section>
  )
}

/** A text is unfolded at least to its first match. */
function upToFirst(ahead: Matches | null): number {
  const first = ahead?.ranges[0]
  return first === undefined ? 0 : first[1] + AFTER_MATCH_CHARS
}

/**
 * Finds what a search found in a text that is not shown as a whole.
 * @param search null to look for nothing
 * @returns the matches in the stored text, or null while they are not known
 */
function useMatchesAhead(id: string, search: GrepRequest | null): Matches | null {
  const ahead = useQuery({
    queryKey: ['matches-ahead', id, search],
    queryFn: async ({ signal }) => {
      if (search === null) return null
      const { content } = await client.retrieval.describe({ id, contentChars: MOST_MATCHED_CHARS }, { signal })
      return client.retrieval.matchesIn({ search, text: content }, { signal })
    },
    enabled: search !== null,
    retry: false,
  })
  return ahead.data ?? null
}

type FoundBarProps = {
  /** The matches in the text that is shown. */
  readonly marks: readonly Range[]
  /** The matches in the whole text, or null when all of it is shown. */
  readonly ahead: Matches | null
  readonly field: FoundTexts['field']
  readonly isFile: boolean
}

const NONE: readonly Range[] = []

/** Says how many matches a text has, and goes from one to the next. The first one is brought into sight. */
function FoundBar({ marks, ahead, field, isFile }: FoundBarProps) {
  const [place, setPlace] = useState(0)
  const current = Math.min(place, Math.max(0, marks.length - 1))
  const mark = marks[current]
  useHighlight('found-current', marks.length > 1 && mark ? [mark] : NONE)

  // Ranges are made anew whenever the text is rendered again, which does not scroll.
  const latest = useRef(mark)
  useEffect(() => {
    latest.current = mark
  })
  const hasMarks = marks.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the place
  useEffect(() => {
    if (hasMarks && latest.current) bringIntoSight(latest.current)
  }, [hasMarks, current])

  const go = (steps: 1 | -1) => setPlace((current + steps + marks.length) % marks.length)
  return (
    <div className={styles.found}>
      <span role="status">
        {hasMarks ? foundText({ current, shown: marks.length, ahead }) : foundElsewhere(field, isFile)}
      </span>
      {marks.length > 1 && (
        <>
          <IconButton icon="arrowUp" label="Previous match" onClick={() => go(-1)} />
          <IconButton icon="arrowDown" label="Next match" onClick={() => go(1)} />
        </>
      )}
    </div>
  )
}

/** Scrolls what surrounds a range, and only as far as it is out of sight. */
function bringIntoSight(range: Range): void {
  const start = range.startContainer
  let box = start instanceof Element ? start : start.parentElement
  while (box && (box.scrollHeight <= box.clientHeight || getComputedStyle(box).overflowY === 'visible'))
    box = box.parentElement
  if (!box) return
  const place = range.getBoundingClientRect()
  const sight = box.getBoundingClientRect()
  if (place.top >= sight.top + BAR_PX && place.bottom <= sight.bottom) return
  box.scrollTop += place.top - sight.top - sight.height / 3
}

/** The height of the bar, which stays above the text. */
const BAR_PX = 34
