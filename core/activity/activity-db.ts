import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LcmError } from '../errors.ts'
import type { LogEvent } from '../log.ts'
import { openCacheDb } from '../sqlite/cache-db.ts'
import type { SqlValue, WriteDb } from '../sqlite/read-db.ts'
import type { Sample } from './counts.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours and events older than this are not shown any more. What was counted in them stays in the totals. */
const KEPT_MS = 31 * DAY_MS
/** A program that starts jobs all day long does not fill the disk. */
const MOST_EVENTS = 20_000

/** Shown over time; of the others there is one sum. */
const HOURLY: ReadonlySet<string> = new Set(['lcm_search_latency_ms', 'lcm_expand_latency_ms'])

/** Events that are kept beyond the log, because charts and the list of jobs are drawn from them. */
const KEPT_EVENTS: ReadonlySet<string> = new Set([
  'run.done',
  'run.failed',
  'scan.done',
  'probe.done',
  'job.started',
  'job.done',
  'job.failed',
  'call.slow',
])

const queries = {
  schema: /* sql */ `
    CREATE TABLE IF NOT EXISTS counts (
      metric TEXT NOT NULL, sample TEXT NOT NULL, labels TEXT NOT NULL, hour INTEGER NOT NULL, value REAL NOT NULL,
      PRIMARY KEY (sample, labels, hour)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS happenings (
      id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, event TEXT NOT NULL, memory TEXT NOT NULL, pid INTEGER NOT NULL,
      fields TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS happenings_by_time ON happenings (event, at_ms);`,
  add: /* sql */ `
    INSERT INTO counts (metric, sample, labels, hour, value)
    VALUES (:metric, :sample, :labels, CAST(:hour AS INTEGER), :value)
    ON CONFLICT (sample, labels, hour) DO UPDATE SET value = value + excluded.value`,
  /** What is too old for charts moves to hour 0. */
  foldOld: /* sql */ `
    INSERT INTO counts (metric, sample, labels, hour, value)
    SELECT metric, sample, labels, 0, sum(value) FROM counts WHERE hour > 0 AND hour < :oldest GROUP BY sample, labels
    ON CONFLICT (sample, labels, hour) DO UPDATE SET value = value + excluded.value`,
  forgetHours: /* sql */ `DELETE FROM counts WHERE hour > 0 AND hour < :oldest`,
  forgetEvents: /* sql */ `
    DELETE FROM happenings
    WHERE at_ms < :oldest OR id <= (SELECT max(id) FROM happenings) - CAST(:most AS INTEGER)`,
  keep: /* sql */ `
    INSERT INTO happenings (at_ms, event, memory, pid, fields)
    VALUES (CAST(:atMs AS INTEGER), :event, :memory, CAST(:pid AS INTEGER), :fields)`,
  totals: /* sql */ `
    SELECT metric, sample, labels, sum(value) AS value FROM counts GROUP BY sample, labels ORDER BY sample, labels`,
  hours: /* sql */ `
    SELECT sample, labels, hour, value FROM counts WHERE metric = :metric AND hour BETWEEN :from AND :to
    ORDER BY hour`,
  events: /* sql */ `
    SELECT at_ms AS atMs, event, memory, pid, fields FROM happenings
    WHERE event IN (SELECT value FROM json_each(:events)) AND at_ms >= :fromMs AND (:memory = '' OR memory = :memory)
    ORDER BY id DESC LIMIT CAST(:limit AS INTEGER)`,
} as const

export type HourSample = {
  readonly sample: string
  readonly labels: Sample['labels']
  readonly hourMs: number
  readonly value: number
}
export type KeptEvent = {
  readonly atMs: number
  readonly event: string
  readonly memory: string
  readonly pid: number
  readonly fields: LogEvent['fields']
}

/**
 * Counts by the hour, and what happened, over all runs of the program. Every writer adds what it counted in one short
 * transaction, so that several processes lose nothing of each other.
 */
export class ActivityDb {
  readonly #db: WriteDb

  /** Opens it for writing. @throws LcmError when the folder or the file cannot be written */
  static open(folder: string, nowMs: number): ActivityDb {
    const db = ActivityDb.#openOrReplace(folder)
    try {
      db.#forgetOld(nowMs)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens it for reading. Returns null when nothing was counted yet. @throws LcmError */
  static openExisting(folder: string): ActivityDb | null {
    const path = activityPath(folder)
    return existsSync(path) ? new ActivityDb(openCacheDb(path, { create: false })) : null
  }

  static #openOrReplace(folder: string): ActivityDb {
    const path = activityPath(folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // SQLite would make it readable for others.
    closeSync(openSync(path, 'a', 0o600))
    try {
      return new ActivityDb(openCacheDb(path, { create: true }))
    } catch (error) {
      if (!(error instanceof LcmError && DAMAGED.has(error.code))) throw error
      // Counts that cannot be read are of no use to anybody: begin anew rather than never count again.
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
      return new ActivityDb(openCacheDb(path, { create: true }))
    }
  }

  private constructor(db: WriteDb) {
    this.#db = db
    try {
      db.exec(queries.schema)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Adds counts to the hour, and keeps the events that are shown later. */
  add(samples: readonly Sample[], events: readonly LogEvent[], nowMs: number, pid = process.pid): void {
    const kept = events.filter(({ event }) => KEPT_EVENTS.has(event))
    if (samples.length === 0 && kept.length === 0) return
    const hour = Math.floor(nowMs / HOUR_MS)
    this.#db.transaction(() => {
      for (const { metric, sample, labels, value } of samples) {
        const row = { metric, sample, labels: sortedJson(labels), value }
        this.#db.run(queries.add, { ...row, hour: HOURLY.has(metric) ? hour : 0 })
      }
      for (const { atMs, event, fields } of kept) {
        const { memory = '', ...rest } = fields
        this.#db.run(queries.keep, { atMs, event, memory, pid, fields: JSON.stringify(rest) })
      }
    })
  }

  totals(): Sample[] {
    return this.#db
      .all<Omit<Sample, 'labels'> & { labels: string }>(queries.totals)
      .map((row) => ({ ...row, labels: JSON.parse(row.labels) as Sample['labels'] }))
  }

  /** Returns the samples of a metric by the hour, oldest first. */
  hours(metric: string, fromMs: number, toMs: number): HourSample[] {
    const range = { from: Math.floor(fromMs / HOUR_MS), to: Math.floor(toMs / HOUR_MS) }
    return this.#db
      .all<{ sample: string; labels: string; hour: number; value: number }>(queries.hours, { metric, ...range })
      .map(({ hour, labels, ...row }) => ({
        ...row,
        labels: JSON.parse(labels) as Sample['labels'],
        hourMs: hour * HOUR_MS,
      }))
  }

  /** Returns kept events, newest first. A memory of null means all. */
  events(names: readonly string[], fromMs: number, memory: string | null, limit: number): KeptEvent[] {
    const params: Record<string, SqlValue> = { events: JSON.stringify(names), fromMs, memory: memory ?? '', limit }
    return this.#db
      .all<Omit<KeptEvent, 'fields'> & { fields: string }>(queries.events, params)
      .map((row) => ({ ...row, fields: JSON.parse(row.fields) as KeptEvent['fields'] }))
  }

  close(): void {
    this.#db.close()
  }

  #forgetOld(nowMs: number): void {
    const oldest = Math.floor((nowMs - KEPT_MS) / HOUR_MS)
    this.#db.transaction(() => {
      this.#db.run(queries.foldOld, { oldest })
      this.#db.run(queries.forgetHours, { oldest })
      this.#db.run(queries.forgetEvents, { oldest: nowMs - KEPT_MS, most: MOST_EVENTS })
    })
  }
}

const activityPath = (folder: string): string => join(folder, 'activity.db')

const DAMAGED: ReadonlySet<string> = new Set(['file_corrupt', 'not_a_database', 'file_truncated'])

const sortedJson = (labels: Sample['labels']): string =>
  JSON.stringify(Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))))
