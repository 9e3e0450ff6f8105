import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import type { SavedQuery, SqlTable } from '#core/contract/sql.ts'
import { api } from '#renderer/api.ts'
import { useLive } from '#renderer/live.ts'
import { useLink } from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import styles from './sql-view.module.css'

type Props = {
  readonly addressed: string | null
  readonly tables: UseQueryResult<readonly SqlTable[]>
  /** Puts a name into the statement, where the cursor is. */
  readonly onInsert: (name: string) => void
}

/** Queries to begin with, those that the user keeps, and what a statement may name. */
export function QueryList({ addressed, tables, onInsert }: Props) {
  const queries = useQueryClient()
  const saved = useQuery(api.sql.saved.queryOptions())
  const remove = useMutation(
    api.sql.remove.mutationOptions({
      onSuccess: (left) => queries.setQueryData(api.sql.saved.queryKey(), left),
    }),
  )
  return (
    <nav className={styles.side} aria-label="Queries and tables">
      {saved.data !== undefined && saved.data.length > 0 && (
        <>
          <SectionHeading>Saved queries</SectionHeading>
          <Queries queries={saved.data} addressed={addressed} onRemove={(name) => remove.mutate({ name })} />
        </>
      )}
      {saved.error && <ErrorLine error={saved.error} onRetry={() => void saved.refetch()} />}
      {remove.error && <ErrorLine error={remove.error} />}
      <SectionHeading>To begin with</SectionHeading>
      <Queries queries={STARTER_QUERIES} addressed={addressed} />
      <Tables tables={tables} onInsert={onInsert} />
    </nav>
  )
}

type QueriesProps = {
  readonly queries: readonly SavedQuery[]
  readonly addressed: string | null
  readonly onRemove?: (name: string) => void
}

function Queries({ queries, addressed, onRemove }: QueriesProps) {
  const linkTo = useLink()
  return (
    <ul>
      {queries.map(({ name, sql }) => (
        <li key={name} className={styles.query}>
          <a
            href={linkTo({ view: 'sql', shown: { 'sql.text': sql } })}
            aria-current={sql === addressed ? 'true' : undefined}
            title={sql}
          >
            <bdi>{name}</bdi>
          </a>
          {onRemove && <IconButton icon="close" label={`Remove ${name}`} onClick={() => onRemove(name)} />}
        </li>
      ))}
    </ul>
  )
}

function Tables({ tables, onInsert }: Pick<Props, 'tables' | 'onInsert'>) {
  const counts = useRowCounts(tables.data ?? [])
  const groups = Map.groupBy(tables.data ?? [], ({ kind }) => kind)
  return (
    <>
      {tables.error && (
        <>
          <SectionHeading>Tables</SectionHeading>
          <ErrorLine error={tables.error} onRetry={() => void tables.refetch()} />
        </>
      )}
      {tables.isPending && <Loading what="the tables" lines={4} />}
      {(['memory', 'file'] as const).map((kind) => {
        const some = groups.get(kind) ?? []
        if (some.length === 0) return null
        return (
          <section key={kind}>
            <SectionHeading>{kind === 'memory' ? 'Tables' : 'As the file stores it'}</SectionHeading>
            {some.map(({ name, columns }) => (
              <details key={name} className={styles.tableName}>
                <summary>
                  <bdi>{breakable(name)}</bdi>
                  <span className={styles.size}>{sizeOf(columns.length, counts.get(name))}</span>
                </summary>
                {[name, ...columns].map((column, index) => (
                  <button
                    key={column}
                    type="button"
                    className={classNames(styles.column, index === 0 && styles.whole)}
                    title={`Put ${column} into the statement`}
                    onClick={() => onInsert(column)}
                  >
                    <bdi>{breakable(column)}</bdi>
                  </button>
                ))}
              </details>
            ))}
          </section>
        )
      })}
    </>
  )
}

const sizeOf = (columns: number, rows: number | undefined): string =>
  [plural(columns, 'column'), ...(rows === undefined ? [] : [plural(rows, 'row')])].join(' · ')

/** Counting stops after this time, as it may in a very large file. Then no numbers of rows are shown. */
const COUNTING_MS = 3000
/** Rows are counted again after this time. Counting reads all tables, which is too much to do at each change. */
const COUNT_AGAIN_MS = 30_000

/** Returns the number of rows of each table, once they are counted. They are counted in a process of their own. */
function useRowCounts(tables: readonly SqlTable[]): ReadonlyMap<string, number> {
  const { paused } = useLive()
  const countOf = ({ name }: SqlTable): string => `SELECT '${name.replaceAll("'", "''")}', count(*) FROM ${name}`
  const sql = tables.map(countOf).join(' UNION ALL ')
  const counted = useQuery(
    api.sql.run.queryOptions({
      input: { sql, timeoutMs: COUNTING_MS },
      enabled: tables.length > 0,
      placeholderData: keepPreviousData,
      refetchInterval: !paused && COUNT_AGAIN_MS,
      retry: false,
    }),
  )
  return new Map((counted.data?.rows ?? []).map(([name, rows]) => [String(name), Number(rows)]))
}

/** A long name is broken after its words. */
const breakable = (name: string): ReactNode =>
  name.split(/(?<=[_.])/).map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a name stay where they are
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ))

/** Queries that every memory answers, of whatever system. */
const STARTER_QUERIES: readonly SavedQuery[] = [
  {
    name: 'Messages and tokens by role',
    sql: `SELECT role, count(*) AS messages, sum(token_count) AS tokens
FROM messages
GROUP BY role
ORDER BY tokens DESC`,
  },
  {
    name: 'Messages and tokens by day',
    sql: `SELECT date(created_at / 1000, 'unixepoch') AS day, count(*) AS messages, sum(token_count) AS tokens
FROM messages
GROUP BY day
ORDER BY day`,
  },
  {
    name: 'Largest messages',
    sql: `SELECT message_id, conversation_id, role, token_count, substr(content, 1, 120) AS begins
FROM messages
ORDER BY token_count DESC
LIMIT 50`,
  },
  {
    name: 'Tools by calls',
    sql: `SELECT tool_name, count(*) AS calls, sum(tool_status = 'error') AS errors
FROM message_parts
WHERE part_type = 'tool'
GROUP BY tool_name
ORDER BY calls DESC`,
  },
  {
    name: 'Summaries by depth and level',
    sql: `SELECT depth, level, count(*) AS summaries, sum(token_count) AS tokens, sum(source_token_count) AS source_tokens
FROM summaries
GROUP BY depth, level
ORDER BY depth, level`,
  },
  {
    name: 'Summaries that save least',
    sql: `SELECT summary_id, depth, token_count, source_token_count, round(1.0 * token_count / source_token_count, 2) AS share
FROM summaries
WHERE source_token_count > 0
ORDER BY share DESC
LIMIT 50`,
  },
]
