import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '#renderer/api.ts'
import { errorText, toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { parseLine } from './file-chunks.ts'
import styles from './file-viewer.module.css'
import type { FileSearch } from './use-file-search.ts'

type Props = {
  readonly id: string
  readonly search: FileSearch
  readonly onRow: (row: number) => void
}

/** Find in the file, and go to a line of it. */
export function ViewerBar({ id, search, onRow }: Props) {
  const [line, setLine] = useState('')
  const jump = useMutation({
    mutationFn: (first: number) => client.files.read({ id, view: { kind: 'lines', first } }),
    onSuccess: ({ rows: [row], state }) => onRow(row?.row ?? Math.max(0, (state.rows ?? 1) - 1)),
  })
  return (
    <div className={styles.bar}>
      <input
        className={styles.input}
        type="search"
        value={search.query}
        onChange={(event) => search.setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          search.go(event.shiftKey ? -1 : 1)
        }}
        placeholder="Find in the file"
        aria-label="Find in the file"
        spellCheck={false}
        autoComplete="off"
      />
      <Button look="quiet" disabled={search.hits.length === 0} onClick={() => search.go(-1)}>
        Previous
      </Button>
      <Button look="quiet" disabled={search.hits.length === 0} onClick={() => search.go(1)}>
        Next
      </Button>
      <span className={styles.found} role="status">
        {foundText(search)}
      </span>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = parseLine(line)
          if (wanted !== null) jump.mutate(wanted)
        }}
      >
        <input
          className={styles.goTo}
          value={line}
          onChange={(event) => {
            setLine(event.target.value)
            jump.reset()
          }}
          placeholder="Go to line"
          aria-label="Go to line"
          aria-invalid={jump.isError || (line !== '' && parseLine(line) === null)}
          inputMode="numeric"
          autoComplete="off"
        />
      </form>
      {jump.isError && <span role="alert">{errorText(toErrorInfo(jump.error).code).title}</span>}
    </div>
  )
}

function foundText({ asked, query, hits, hasMore, isSearching, error, current }: FileSearch): string {
  if (query === '') return ''
  if (error) return errorText(toErrorInfo(error).code).title
  if (isSearching && hits.length === 0) return 'Searching…'
  if (asked !== '' && hits.length === 0) return 'Nothing found'
  const all = `${formatCount(hits.length)}${hasMore ? '+' : ''}`
  return current < 0 ? `${all} rows` : `${formatCount(current + 1)} of ${all} rows`
}
