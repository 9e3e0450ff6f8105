import { useEffect, useRef, useState } from 'react'
import type { SqlAnswer } from '#core/contract/sql.ts'
import { client } from '#renderer/api.ts'
import { useShown } from '#renderer/routes.ts'

/** What is shown at once. A file gets as many rows as there are, up to the second. */
const SHOWN_ROWS = 1000
const SAVED_ROWS = 100_000
const LONG_MS = 60_000

export type Outcome =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | { readonly state: 'answered'; readonly sql: string; readonly answer: SqlAnswer }
  | { readonly state: 'failed'; readonly error: unknown }

/** The statement of the address, and its rows. A statement runs when it comes into the address. */
export function useStatement() {
  const [addressed, setAddressed] = useShown('sql.text')
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' })
  const running = useRef<AbortController | null>(null)
  const run = async (sql: string) => {
    running.current?.abort()
    const stop = new AbortController()
    running.current = stop
    setOutcome({ state: 'running' })
    try {
      const answer = await client.sql.run({ sql, limit: SHOWN_ROWS }, { signal: stop.signal })
      if (!stop.signal.aborted) setOutcome({ state: 'answered', sql, answer })
    } catch (error) {
      if (!stop.signal.aborted) setOutcome({ state: 'failed', error })
    }
  }
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    if (addressed !== null) void latest.current(addressed)
    return () => running.current?.abort()
  }, [addressed])
  return {
    addressed,
    outcome,
    run: (sql: string) => {
      if (sql === addressed) void run(sql)
      else setAddressed(sql)
    },
    stop: () => {
      running.current?.abort()
      setOutcome({ state: 'none' })
    },
    /** Returns all rows, for a file. */
    all: (sql: string) => client.sql.run({ sql, limit: SAVED_ROWS, timeoutMs: LONG_MS }),
  }
}
