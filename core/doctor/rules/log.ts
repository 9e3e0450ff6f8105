import { realpathSync, statSync } from 'node:fs'
import { isMissingFile } from '#core/errors.ts'
import { readLogHeader } from '#core/sqlite/log-header.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { type LogEnd, readLog } from '../write-ahead-log.ts'

/** The path of the log of a file; null when nothing is in the log. */
function logOf({ info }: RuleContext): string | null {
  try {
    const path = `${realpathSync(info.path)}-wal`
    return statSync(path).size > 0 ? path : null
  } catch {
    // Not every file has a log, and it may be removed at any time.
    return null
  }
}

function* findBroken(context: RuleContext): Iterable<Finding | null> {
  const path = logOf(context)
  if (path === null) return
  try {
    const first = yield* endOf(path)
    if (!first || !isBroken(first)) return
    // A writer that overtook the reading looks like a hole in the log. What is broken is so the next time as well, and
    // behind the same frame.
    const again = yield* endOf(path)
    if (again?.frames !== first.frames) return
    for (const detail of told(again, statSync(path).size)) yield { id: null, conversationId: null, detail }
  } catch (error) {
    // The last connection that closed the file removed its log.
    if (!isMissingFile(error)) throw error
  }
}

/** Returns null when the writer began a new log meanwhile, so that parts of two logs were read. */
function* endOf(path: string): Generator<null, LogEnd | null> {
  const before = readLogHeader(path)
  const reading = readLog(path)
  let step = reading.next()
  for (; !step.done; step = reading.next()) yield null
  return readLogHeader(path).equals(before) ? step.value : null
}

const isBroken = ({ hasHeader, strandedCommits, foreignBytes }: LogEnd): boolean =>
  !hasHeader || strandedCommits > 0 || foreignBytes > 0

function* told({ hasHeader, frames, strandedCommits, foreignBytes }: LogEnd, bytes: number): Iterable<string> {
  const many = (value: number): string => value.toLocaleString('en')
  if (!hasHeader) yield `the header of the log cannot be read, so that none of its ${many(bytes)} bytes are used`
  if (strandedCommits > 0) {
    const commits = strandedCommits === 1 ? 'a commit stands' : `${many(strandedCommits)} commits stand`
    yield `${commits} behind frame ${many(frames)}, after which the log is broken`
  }
  if (foreignBytes > 0) {
    yield `${many(foreignBytes)} bytes behind frame ${many(frames)} are of no log of this file`
  }
}

export const logRules = [
  {
    id: 'log_broken',
    group: 'file',
    severity: 'error',
    phase: 'files',
    invariant: 'What stands in the write-ahead log was written there by SQLite and can be read.',
    explanation:
      'Something else wrote into the log, or a part of it is lost. SQLite passes over what it cannot read: what was committed there last may be missing.',
    advice:
      'Keep the file and its -wal together as they are, and save what can be read ("lcm salvage") into a new one.',
    notApplicable: (context) => (logOf(context) === null ? 'The file has no write-ahead log, or an empty one.' : null),
    find: findBroken,
  },
] as const satisfies readonly Rule[]
