import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { namesIn } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { readHead, type TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { countAt, isObject, objectAt } from '#core/ingest/transcripts/json-value.ts'

/** One file of a session. */
export type Rollout = {
  /** The beginning of the file, or null for the one that is read. */
  readonly head: TranscriptHead | null
  /** Records from this number on were taken back in a later file. Infinity where none were. */
  readonly takenBackFrom: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The id of the session, and that of the file unless it is the first one. */
const NAME = /^rollout-[\dT-]+-([0-9a-f]{8}-[0-9a-f-]{27})(_[\w-]+)?\.jsonl$/

/**
 * Finds the files of a session, oldest first. When a person goes back in a session, Codex leaves its file as it is and
 * begins another one with the same session id and an id of its own, in the folder of that day. It names the number of the
 * record before which it begins (`history_base`), unless nothing stands before it. A first file is read by itself.
 */
export function rolloutsOf({ path, head }: Pick<TranscriptSource, 'path' | 'head'>): readonly Rollout[] {
  const [, session, ownId] = NAME.exec(basename(path)) ?? []
  if (session === undefined || ownId === undefined) return [{ head: null, takenBackFrom: Number.POSITIVE_INFINITY }]
  const paths = foldersOf(dirname(path), session).flatMap((folder) =>
    namesIn(folder)
      .filter((one) => NAME.exec(one)?.[1] === session)
      .map((one) => join(folder, one)),
  )
  const heads = paths
    .filter((one) => one !== path && statSync(one, { throwIfNoEntry: false })?.isFile())
    .map((one) => ({ path: one, head: readHead(one) }))
  // The names begin with the time.
  const all = [...heads, { path, head }].sort((a, b) => (basename(a.path) < basename(b.path) ? -1 : 1))
  return all.map((one, at) => ({
    head: one.path === path ? null : one.head,
    takenBackFrom: Math.min(Number.POSITIVE_INFINITY, ...all.slice(at + 1).map((later) => beginOf(later.head))),
  }))
}

/** The number of the record before which a later file begins. */
function beginOf({ values }: TranscriptHead): number {
  const [first] = values
  const base = isObject(first) ? objectAt(objectAt(first, 'payload'), 'history_base') : {}
  return countAt(base, 'end_ordinal_exclusive') ?? 0
}

/** The folders of all days since the session began (`sessions/2026/11/30`), or that of the file alone. */
function foldersOf(folder: string, session: string): readonly string[] {
  const [, root] = /^(.*[\\/])\d{4}[\\/]\d{2}[\\/]\d{2}$/.exec(folder) ?? []
  if (root === undefined) return [folder]
  // The folders have local dates, which may be a day before that of the id.
  const beganMs = Number.parseInt(session.replaceAll('-', '').slice(0, 12), 16) - DAY_MS
  const [year = '', month = '', day = ''] = new Date(beganMs).toISOString().slice(0, 10).split('-')
  const days = partsFrom(root, /^\d{4}$/, year).flatMap((y) =>
    partsFrom(join(root, y), /^\d{2}$/, y === year ? month : '').flatMap((m) =>
      partsFrom(join(root, y, m), /^\d{2}$/, y === year && m === month ? day : '').map((d) => join(root, y, m, d)),
    ),
  )
  // Not every id begins with its time.
  return [...new Set([...days, folder])]
}

/** The folders of a folder that are named so, from one on. */
const partsFrom = (folder: string, name: RegExp, first: string): readonly string[] =>
  namesIn(folder).filter((one) => name.test(one) && one >= first)
