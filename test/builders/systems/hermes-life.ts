import { Random } from '../random.ts'
import { hermesWriter } from './hermes.ts'
import { inFewWords, type Session, type StorySummary, tellStory } from './story.ts'

export type HermesLife = {
  readonly seed: number
  /** The number of sessions in one conversation. */
  readonly sessions: number
  readonly isSchema5: boolean
  /** Nodes of at least this depth are moved to the next session. Shallower ones are deleted. */
  readonly retainDepth: number
  /** False when shallower nodes stay with their session instead. */
  readonly prunes: boolean
  /** What follows the last session: nothing, or its end. */
  readonly ends: 'open' | 'finalized'
}

/** Writes sessions between which the user said "new session", with one lifecycle row that knows the last two. */
export function writeHermesLife(path: string, life: HermesLife): void {
  const random = new Random(life.seed)
  const writer = hermesWriter(life.isSchema5)
  const { sessions } = writer.tell(
    inFewWords(tellStory({ seed: life.seed, sessions: life.sessions, turns: 9, tail: 3, keepsPairs: true })),
  )
  const file = writer.open(path)
  const { db } = file
  const key = sessions[0]?.id ?? 'session-1'
  const run = (sql: string, params: Readonly<Record<string, unknown>>): void => {
    db.prepare(sql).run(params)
  }
  db.transaction(() => {
    for (const [place, session] of sessions.entries()) {
      if (place === 0) file.begin(session)
      else rollOver(session, sessions[place - 1] as Session)
      for (const message of session.messages) file.message(session, message)
      if (life.isSchema5)
        run('UPDATE messages SET conversation_id = @key WHERE session_id = @id', { key, id: session.id })
      // Some sessions are too short to be compacted, or end before they are.
      const summaries = random.chance(0.2) ? [] : session.summaries
      for (const summary of summaries) file.summary(session, summary)
      advance(session, summaries)
    }
    if (life.ends === 'finalized')
      run(
        `UPDATE lcm_lifecycle_state SET last_finalized_session_id = current_session_id, current_session_id = NULL,
          last_finalized_frontier_store_id = current_frontier_store_id, current_frontier_store_id = 0`,
        {},
      )
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()

  function rollOver(session: Session, before: Session): void {
    const of = { before: before.id, id: session.id, depth: BigInt(life.retainDepth) }
    if (life.prunes) run('DELETE FROM summary_nodes WHERE session_id = @before AND depth < @depth', of)
    run('UPDATE summary_nodes SET session_id = @id WHERE session_id = @before AND depth >= @depth', of)
    run(
      `UPDATE lcm_lifecycle_state SET last_finalized_session_id = @before, current_session_id = @id, last_rollover_at = 1,
        last_finalized_frontier_store_id = current_frontier_store_id, current_frontier_store_id = 0`,
      of,
    )
  }

  function advance({ messages }: Session, summaries: readonly StorySummary[]): void {
    const frontier = Math.max((messages[0]?.number ?? 1) - 1, ...summaries.flatMap((summary) => summary.messages))
    run('UPDATE lcm_lifecycle_state SET current_frontier_store_id = @frontier', { frontier: BigInt(frontier) })
  }
}
