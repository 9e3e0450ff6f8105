import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { FileRow } from '#core/contract/file.ts'
import type { FileInfo } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { StoredPicture, useStoredPicture } from '#renderer/ui/pictures/stored-picture.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import { isColourable } from '#renderer/ui/texts/code-languages.ts'
import type { CodeLines, CodeToken } from '#renderer/ui/texts/code-tokens.ts'
import { CodeTokens, tokensByWorker } from '#renderer/ui/texts/coloured-code.tsx'
import { isPictureType } from '#renderer/ui/texts/file-references.tsx'
import { fileNameOf, formatBytes, plural } from '#renderer/ui/texts/format.ts'
import { findAllExactly, useFound } from '#renderer/ui/texts/found-texts.ts'
import { Highlighted } from '#renderer/ui/texts/highlighted.tsx'
import { CHUNK_ROWS, chunkOf, chunksInSight, findAllIgnoringCase, languageOf } from './file-chunks.ts'
import styles from './file-viewer.module.css'
import { useFileSearch } from './use-file-search.ts'
import { ViewerBar } from './viewer-bar.tsx'

const ROW_PX = 18
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|pdf)$/i
const NOTHING_FOUND: readonly string[] = []

type Props = {
  readonly file: FileInfo
  /** The row that is shown first, or null for the beginning. */
  readonly openAt: number | null
}

/** The content of a large file. Only rows in sight are fetched, however large it is. */
export function FileViewer({ file, openAt }: Props) {
  const { id } = file
  const list = useRef<VirtuosoHandle>(null)
  const start = useQuery({
    ...api.files.read.queryOptions({ input: { id, view: { kind: 'rows', from: 0, count: CHUNK_ROWS } } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const check = useQuery({ ...api.files.check.queryOptions({ input: { id } }), enabled: start.data !== undefined })
  const state = check.data ?? start.data?.state
  const rows = useFileRows(id, state?.rows ?? null)
  const tokensOf = useTokens(file)
  const [current, setCurrent] = useState(-1)
  const goTo = (row: number): void => {
    setCurrent(row)
    list.current?.scrollToIndex({ index: row, align: 'center' })
  }
  const search = useFileSearch(id, (hit) => goTo(hit.row))
  const found = useFound(id)?.texts ?? NOTHING_FOUND
  const total = state?.rows ?? null
  // A row can be gone to once all rows have been counted.
  useEffect(() => {
    if (openAt === null || total === null) return
    setCurrent(openAt)
    // The list takes a new number of rows over with the next frame.
    const frame = requestAnimationFrame(() => list.current?.scrollToIndex({ index: openAt, align: 'center' }))
    return () => cancelAnimationFrame(frame)
  }, [openAt, total])
  const name = file.fileName ?? fileNameOf(file.storageUri)
  const isHere = state !== undefined && state.condition !== 'missing' && state.condition !== 'on_server'
  const isPicture = isPictureType(file.mimeType) || PICTURE_NAME.test(name) || state?.condition === 'not_text'
  const picture = useStoredPicture(id, isHere && isPicture)
  if (start.error) return <ErrorState error={start.error} onRetry={() => void start.refetch()} />
  if (state === undefined || picture === undefined) return <Loading what="the file" lines={7} />
  if (state.condition === 'on_server') return <ContentOnServer file={file} />
  if (picture !== null)
    return (
      <section className={styles.viewer} aria-label={`Content of ${name}`}>
        <div className={styles.picture}>
          <StoredPicture file={picture} name={name} isLargeAtFirst />
        </div>
        <p className={styles.status}>{state.bytes !== null && formatBytes(state.bytes)}</p>
      </section>
    )
  if (state.condition === 'missing' || state.condition === 'not_text')
    return (
      <EmptyState title={state.condition === 'missing' ? 'The content is missing' : 'This is not a text'}>
        {state.reason}
      </EmptyState>
    )
  return (
    <section className={styles.viewer} aria-label={`Content of ${name}`}>
      {state.condition === 'altered' && <Notice title="The content was altered.">{state.reason}</Notice>}
      <ViewerBar id={id} search={search} onRow={goTo} />
      {rows.error ? (
        <ErrorState error={rows.error} onRetry={() => void start.refetch()} />
      ) : rows.total === 0 ? (
        <EmptyState title="The file is empty">It has no bytes.</EmptyState>
      ) : (
        <Virtuoso
          ref={list}
          className={styles.list}
          aria-label="Lines of the file"
          tabIndex={0}
          totalCount={rows.total}
          initialTopMostItemIndex={{ index: openAt ?? 0, align: 'center' }}
          fixedItemHeight={ROW_PX}
          increaseViewportBy={400}
          rangeChanged={({ startIndex, endIndex }) => rows.onSight(startIndex, endIndex)}
          itemContent={(at) => {
            const row = rows.rowAt(at)
            if (row === undefined) return <div className={styles.line} aria-busy="true" />
            const tokens = tokensOf(rows.chunkAt(at))?.[at % CHUNK_ROWS]
            return <FileLine row={row} tokens={tokens} query={search.asked} found={found} isCurrent={at === current} />
          }}
        />
      )}
      <p className={styles.status}>
        {state.lines === null ? 'Counting lines…' : plural(state.lines, 'line')}
        {state.bytes !== null && ` · ${formatBytes(state.bytes)}`}
        {state.condition === 'sound' && ' · as it was stored'}
      </p>
    </section>
  )
}

export type FileRows = {
  readonly rowAt: (row: number) => FileRow | undefined
  /** The rows that are coloured together with a row. */
  readonly chunkAt: (row: number) => readonly FileRow[] | undefined
  /** The number of rows of the file, as far as it is known. */
  readonly total: number
  readonly error: unknown
  readonly onSight: (first: number, last: number) => void
}

/** The rows of a file around those in sight. `knownTotal` is null until the file was read to its end. */
function useFileRows(id: string, knownTotal: number | null): FileRows {
  const [sight, setSight] = useState({ first: 0, last: CHUNK_ROWS - 1 })
  const chunks = chunksInSight(sight.first, sight.last, knownTotal ?? CHUNK_ROWS)
  const queries = useQueries({
    queries: chunks.map((chunk) => ({
      ...api.files.read.queryOptions({
        input: { id, view: { kind: 'rows', from: chunk * CHUNK_ROWS, count: CHUNK_ROWS } },
      }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const chunkAt = (row: number) => queries[chunks.indexOf(chunkOf(row))]?.data?.rows
  return {
    chunkAt,
    rowAt: (row) => chunkAt(row)?.[row % CHUNK_ROWS],
    total: knownTotal ?? queries[0]?.data?.rows.length ?? 0,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    onSight: (first, last) => setSight({ first, last }),
  }
}

/** Colours chunks of a file as they come in sight. Until then, and when its language is not known, its text is plain. */
function useTokens(file: FileInfo): (rows: readonly FileRow[] | undefined) => CodeLines | undefined {
  const language = languageOf(file)
  const known = useRef(new WeakMap<readonly FileRow[], CodeLines | 'asked'>())
  const [, setColoured] = useState(0)
  return (rows) => {
    if (language === null || rows === undefined) return undefined
    const lines = known.current.get(rows)
    if (lines !== undefined) return lines === 'asked' ? undefined : lines
    known.current.set(rows, 'asked')
    const code = rows.map(({ text }) => text).join('\n')
    if (isColourable(code))
      void tokensByWorker(code, language).then((tokens) => {
        if (tokens?.length !== rows.length) return
        known.current.set(rows, tokens)
        setColoured((count) => count + 1)
      })
    return undefined
  }
}

const MOST_FOUND = 50

type FileLineProps = {
  readonly row: FileRow
  readonly tokens: readonly CodeToken[] | undefined
  /** The text that is searched for, or empty. */
  readonly query: string
  /** What a search found in the file before it was opened. */
  readonly found: readonly string[]
  readonly isCurrent: boolean
}

/** One row of a file with the number of its line. */
function FileLine({ row, tokens, query, found, isCurrent }: FileLineProps) {
  const matches =
    query === '' && isCurrent ? findAllExactly(row.text, found, MOST_FOUND) : findAllIgnoringCase(row.text, query)
  return (
    <div className={styles.line} data-current={isCurrent || undefined}>
      <span className={styles.number} aria-hidden={!row.isLineStart}>
        {row.isLineStart ? row.line : '↳'}
      </span>
      <code className={styles.code}>
        {matches.length > 0 || tokens === undefined ? (
          <Highlighted text={row.text} matches={matches} />
        ) : (
          <CodeTokens tokens={tokens} />
        )}
      </code>
    </div>
  )
}

/** The content of a large file that was left on the server. It is fetched as soon as somebody looks at the file. */
function ContentOnServer({ file: { id, bytes } }: { readonly file: FileInfo }) {
  const { start, job, error } = useJob()
  const queries = useQueryClient()
  const fetch = (): void => start({ kind: 'fetch', id })
  const state = job?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file
  useEffect(fetch, [id])
  useEffect(() => {
    if (state === 'done') void queries.invalidateQueries({ queryKey: api.files.key() })
  }, [state, queries])
  if (error !== null) return <ErrorState error={error} onRetry={fetch} />
  if (state === 'cancelled') {
    return (
      <EmptyState title="The content is on the server" actions={<Button onClick={fetch}>Fetch it</Button>}>
        It was not copied with the conversation{bytes !== null && `, and has ${formatBytes(bytes)}`}.
      </EmptyState>
    )
  }
  return (
    <div className={styles.fetching}>
      <JobProgress job={job} title="Fetching the content from the server…" />
    </div>
  )
}
