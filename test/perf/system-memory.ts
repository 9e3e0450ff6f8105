import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { type Session, type StoryMessage, type StorySummary, storyTokens } from '../builders/systems/story.ts'
import type { SystemFile, SystemWriter } from '../builders/systems/system.ts'
import { Draft, keptPath } from './kept-files.ts'

const LEAF_MESSAGES = 20
const FAN_IN = 4
const COVERED = 0.7
const BEGIN_MS = Date.UTC(2026, 4, 4, 8)
const WORDS = 'lease cursor billing ledger webhook retry payload tenant snapshot rollout beacon harbour '
const ROLES = ['user', 'assistant', 'tool', 'assistant'] as const

/**
 * A file of so many messages in one session, as the writer of this name lays it out, at rest: the oldest seven of ten
 * messages under summaries, and those under others. Made once and kept with the temporary files.
 * @throws Error when there is no such writer
 */
export function systemMemory(name: string, messages: number): string {
  const writer = WRITERS.find((one) => one.name.startsWith(name))
  if (!writer) throw new Error(`no writer ${name}: ${WRITERS.map((one) => one.name).join('; ')}`)
  // In a folder of its own: decapod's ledger stands beside the file.
  const folder = keptPath(`${name}-${messages}`)
  const path = join(folder, 'lcm.db')
  if (existsSync(path)) return path
  using draft = new Draft(folder)
  mkdirSync(draft.path)
  writeSystemMemory(writer, join(draft.path, 'lcm.db'), messages)
  draft.keep()
  return path
}

/** Writes such a file at a path. */
export function writeSystemMemory(writer: SystemWriter, path: string, messages: number): void {
  const file = writer.open(path)
  file.db.pragma('synchronous = OFF')
  file.db.transaction(() => fill(file, messages))()
  file.db.pragma('wal_checkpoint(TRUNCATE)')
  file.db.close()
}

function fill(file: SystemFile, count: number): void {
  const session: Session = { id: 'long', number: 1, messages: [], summaries: [], window: [], files: [] }
  file.begin(session)
  const messages = Array.from({ length: count }, (_, index) => messageOf(index + 1))
  for (const message of messages) file.message(session, message)
  const covered = Math.floor((count * COVERED) / (LEAF_MESSAGES * FAN_IN)) * LEAF_MESSAGES * FAN_IN
  const tops: StorySummary[] = []
  let made = 0
  const make = (depth: number, ground: readonly StoryMessage[], sources: readonly StorySummary[]): StorySummary => {
    const summary: StorySummary = {
      id: String(7_000_001 + made),
      depth,
      content: `Summary ${made}: ${WORDS.repeat(6)}`,
      tokens: 150,
      atMs: (ground.at(-1)?.atMs ?? 0) + 1000,
      messages: depth === 0 ? ground.map(({ number }) => number) : [],
      sources: sources.map(({ id }) => id),
      model: null,
    }
    made += 1
    // A writer looks up which messages it covers among all of its session: here that is nothing else.
    file.summary({ ...session, messages: ground, summaries: [...sources, summary] }, summary)
    return summary
  }
  for (let from = 0; from < covered; from += LEAF_MESSAGES * FAN_IN) {
    const ground = messages.slice(from, from + LEAF_MESSAGES * FAN_IN)
    const leaves = Array.from({ length: FAN_IN }, (_, leaf) =>
      make(0, ground.slice(leaf * LEAF_MESSAGES, (leaf + 1) * LEAF_MESSAGES), []),
    )
    tops.push(make(1, ground, leaves))
  }
  const window = [...tops.map(({ id }) => id), ...messages.slice(covered).map(({ number }) => number)]
  file.window({ ...session, messages, summaries: tops, window })
}

function messageOf(number: number): StoryMessage {
  const role = ROLES[number % ROLES.length] ?? 'user'
  const content = `[${number}] ${WORDS.repeat(1 + (number % 13))}`
  return {
    number,
    seq: number - 1,
    role,
    content,
    tokens: storyTokens(content),
    atMs: BEGIN_MS + number * 7000,
    entry: null,
    call: null,
    result: role === 'tool' ? { callId: `call_${number}`, name: 'read' } : null,
    hasParts: true,
  }
}

if (import.meta.main) console.log(systemMemory(process.argv[2] ?? 'hermes', Number(process.argv[3] ?? 200_000)))
