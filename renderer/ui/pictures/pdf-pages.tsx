import { useEffect, useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { formatCount } from '../texts/format.ts'
import { LimitedWorker, type NoAnswer } from '../texts/limited-worker.ts'
import styles from './pdf-pages.module.css'
import type { PdfAnswer, PdfPage, PdfQuestion } from './pdf-worker.ts'
import picture from './picture.module.css'
import { useBlobAddress } from './picture.tsx'

/** The longer side of a page that is drawn, in pixels. */
const SMALL_PX = 360
const LARGE_PX = 1600
const MOST_PAGES = 500
const LIMIT_MS = 10_000

/** Pages are drawn in a worker, one after the other, so that the window never waits for a document. */
const worker = new LimitedWorker<PdfQuestion, PdfAnswer>({
  start: () => new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' }),
  limitMs: LIMIT_MS,
})

type Props = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name: string | null
  readonly isLarge: boolean
  readonly onToggle: () => void
}

/** The first page of a PDF, small. A click shows it larger, with the way to the other pages. */
export function PdfPages({ bytes, name, isLarge, onToggle }: Props) {
  const [page, setPage] = useState(1)
  const number = isLarge ? page : 1
  const { drawn, page: drawnPage, failed, isDrawing } = useDrawnPage(bytes, number, isLarge ? LARGE_PX : SMALL_PX)
  const address = useBlobAddress(drawn?.picture ?? null)
  const last = Math.min(drawn?.pages ?? 1, MOST_PAGES)
  const image = drawn !== null && address !== null && (
    <img
      src={address}
      alt={`Page ${drawnPage} of ${name ?? 'a PDF without a name'}`}
      width={drawn.width}
      height={drawn.height}
      draggable={false}
    />
  )
  const refusal = failed !== null && <p className={picture.broken}>The page is not shown: {failed}.</p>
  if (refusal && !isLarge) return refusal
  return (
    <section
      className={styles.pages}
      aria-label={isLarge ? `Pages of ${name ?? 'a PDF without a name'}` : undefined}
      aria-busy={isDrawing}
    >
      <div className={styles.bar}>
        {/* The same button in both sizes, so that it keeps the focus. */}
        <button
          type="button"
          className={isLarge ? styles.fold : picture.picture}
          aria-expanded={isLarge}
          title={isLarge ? undefined : 'Show its pages'}
          onClick={onToggle}
        >
          {isLarge ? 'Show it small' : image || <span className={styles.drawing}>Drawing the first page…</span>}
        </button>
        {isLarge && (
          <>
            <IconButton
              icon="arrowLeft"
              label="Previous page"
              aria-disabled={page <= 1}
              onClick={() => setPage(Math.max(1, page - 1))}
            />
            <span role="status">
              Page {formatCount(page)} of {formatCount(drawn?.pages ?? page)}
              {(drawn?.pages ?? 0) > MOST_PAGES && `, of which the first ${MOST_PAGES} are shown`}
            </span>
            <IconButton
              icon="arrowRight"
              label="Next page"
              aria-disabled={page >= last}
              onClick={() => setPage(Math.min(last, page + 1))}
            />
          </>
        )}
      </div>
      {isLarge &&
        (refusal ||
          (image && (
            <figure className={styles.page}>
              {image}
              <figcaption className="unseen">{drawn?.words}</figcaption>
            </figure>
          )))}
    </section>
  )
}

type PageState = {
  /** The last page that could be drawn, and its number. */
  readonly drawn: PdfPage | null
  readonly page: number
  readonly failed: string | null
  readonly isDrawing: boolean
}

/** A page as a picture. The one before it stays until it is drawn. */
function useDrawnPage(bytes: Uint8Array<ArrayBuffer>, page: number, sidePx: number): PageState {
  const [shown, setShown] = useState<PageState>({ drawn: null, page, failed: null, isDrawing: true })
  useEffect(() => {
    const stop = new AbortController()
    setShown((before) => ({ ...before, isDrawing: true }))
    void worker.ask({ bytes, page, sidePx }, stop.signal).then((answer) => {
      if (stop.signal.aborted) return
      setShown((before) => withAnswer(before, page, answer))
    })
    return () => stop.abort()
  }, [bytes, page, sidePx])
  return shown
}

/** What is shown after a page was asked for: that page, or the one before it and why. */
export const withAnswer = (before: PageState, page: number, answer: PdfAnswer | NoAnswer): PageState =>
  typeof answer !== 'string' && 'picture' in answer
    ? { drawn: answer, page, failed: null, isDrawing: false }
    : { ...before, failed: typeof answer === 'string' ? REASONS[answer] : answer.failed, isDrawing: false }

const REASONS: Readonly<Record<NoAnswer, string>> = {
  'too slow': 'drawing it takes too long',
  broken: 'the program that draws it does not start',
  'not wanted': 'it was not asked for',
}
