import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openMemory } from '#test/builders/open-memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { WRITERS } from '#test/builders/systems/every-writer.ts'
import { type HermesLife, writeHermesLife } from '#test/builders/systems/hermes-life.ts'
import { losslessClaudeWriter, losslessClawWriters } from '#test/builders/systems/lossless.ts'
import { piLcmWriter } from '#test/builders/systems/pi-lcm.ts'
import { inEverySession, inFewWords, type StoryMessage, tellStory } from '#test/builders/systems/story.ts'
import { type SystemWriter, writeStory } from '#test/builders/systems/system.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copied } from '../working-copy/copying.ts'
import { resultOf, scanFile } from './scan-file.ts'

/** Errors and warnings with the first sample of each. */
async function alarms(path: string): Promise<string[]> {
  const { checks } = await scanFile(path)
  return checks
    .filter(({ count, severity }) => count > 0 && severity !== 'info')
    .map(({ id, count, samples }) => `${id} ${count}: ${samples[0]?.id} ${samples[0]?.detail}`)
}

const fresh = (): string => join(temporaryFolder(), 'lcm.db')

const life = fc.record<HermesLife>({
  seed: fc.nat(1_000_000),
  sessions: fc.integer({ min: 1, max: 6 }),
  isSchema5: fc.boolean(),
  retainDepth: fc.integer({ min: 0, max: 3 }),
  prunes: fc.boolean(),
  ends: fc.constantFrom('open', 'finalized'),
})

// "generate long sound stories: integrity has no error and no warning"
describe('a sound file of hermes-lcm or LCM-X', () => {
  it('has no finding for any chain of sessions and any deletion by retention', () =>
    fc.assert(
      fc.asyncProperty(life, async (spec) => {
        const path = fresh()
        writeHermesLife(path, spec)
        expect(await alarms(path), JSON.stringify(spec)).toEqual([])
      }),
      { numRuns: runs(10) },
    ))

  it('has no finding as a working copy either', () =>
    fc.assert(
      fc.asyncProperty(life, async (spec) => {
        const path = fresh()
        writeHermesLife(path, spec)
        expect(await alarms((await copied(path)).path), JSON.stringify(spec)).toEqual([])
      }),
      { numRuns: runs(5) },
    ))

  it.each([
    ['moved all nodes over', { retainDepth: 0, prunes: false }],
    ['moved the deep nodes over and left the others where they were', { retainDepth: 2, prunes: false }],
    ['moved the deep nodes over and deleted the others', { retainDepth: 1, prunes: true }],
  ])('has one conversation when each new session %s', (_what, how) => {
    const path = fresh()
    writeHermesLife(path, { seed: 5, sessions: 5, isSchema5: false, ends: 'open', ...how })
    using memory = openMemory(path, { readOnly: true })
    expect(memory.read.value('SELECT count(*) FROM conversations')).toBe(1)
  })
})

describe('summaries of hermes-lcm in sessions before the last two', () => {
  const unreachable = async (how: Partial<HermesLife>) => {
    const path = fresh()
    writeHermesLife(path, {
      seed: 5,
      sessions: 4,
      isSchema5: true,
      retainDepth: 9,
      prunes: false,
      ends: 'open',
      ...how,
    })
    return { path, result: resultOf(await scanFile(path), 'node_unreachable') }
  }

  it('are named by session, with the messages that they were made from, and are no alarm', async () => {
    const { path, result } = await unreachable({})
    const db = new Database(path, { readonly: true })
    const [current, last] = db
      .prepare('SELECT current_session_id, last_finalized_session_id FROM lcm_lifecycle_state')
      .raw()
      .get() as string[]
    const nodes = db.prepare('SELECT session_id, source_type, source_ids FROM summary_nodes').all() as {
      session_id: string
      source_type: string
      source_ids: string
    }[]
    db.close()
    const counted = new Map<string, { nodes: number; messages: Set<number> }>()
    for (const { session_id, source_type, source_ids } of nodes) {
      if (session_id === current || session_id === last) continue
      const known = counted.get(session_id) ?? { nodes: 0, messages: new Set() }
      counted.set(session_id, known)
      known.nodes += 1
      if (source_type === 'messages') for (const id of JSON.parse(source_ids) as number[]) known.messages.add(id)
    }
    expect(counted.size).toBeGreaterThan(0)
    expect(result.samples.map(({ detail }) => detail)).toEqual(
      [...counted].map(
        ([session, { nodes: count, messages }]) =>
          `the first of ${count} in the session ${session}, made from ${messages.size} messages`,
      ),
    )
    expect(result.severity).toBe('info')
  })

  it('are none where all of them were moved over, and where only two sessions were', async () => {
    expect((await unreachable({ retainDepth: 0 })).result.count).toBe(0)
    expect((await unreachable({ sessions: 2 })).result.count).toBe(0)
  })
})

describe.each(WRITERS.map((writer) => [writer.name, writer] as const))('a sound file of %s', (_name, writer) => {
  it('has no finding for any sessions', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const path = fresh()
        const story = inFewWords(tellStory({ seed, sessions: 4, keepsPairs: true }))
        writeStory(writer, path, writer.tell(inEverySession(story, () => ({ files: [] }))))
        expect(await alarms(path), `seed ${seed}`).toEqual([])
      }),
      { numRuns: runs(4) },
    ))
})

describe('a row of lossless-claude that records a compaction', () => {
  it('does not count for the order in time, whatever is imported around it', async () => {
    const path = fresh()
    const { sessions } = inFewWords(tellStory({ seed: 3, sessions: 1, turns: 9, keepsPairs: true }))
    const [session] = sessions
    if (!session) throw new Error('a story without a session')
    const file = losslessClaudeWriter.open(path)
    const told = losslessClaudeWriter.tell({ sessions: [{ ...session, files: [] }] }).sessions[0]
    if (!told) throw new Error('a told story without a session')
    file.begin(told)
    const half = Math.floor(told.messages.length / 2)
    const event = told.messages.length + 1
    for (const message of told.messages.slice(0, half)) file.message(told, message)
    // Written now, while the messages around it are from a transcript that is days old.
    const atMs = (told.messages[half]?.atMs ?? 0) + 9 * 86_400_000
    const content = 'LCM compaction leaf pass (normal): 900 -> 300'
    const row = { number: event, role: 'system', content, tokens: 12, atMs, hasParts: false } as const
    file.message(told, { ...(told.messages[0] as StoryMessage), ...row, seq: half + 1, call: null, result: null })
    file.db
      .prepare(
        `INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, metadata)
         VALUES ('event', ?, ?, 'compaction', 0, '{"pass":"leaf","level":"normal","tokensBefore":900,"tokensAfter":300}')`,
      )
      .run(event, told.id)
    for (const message of told.messages.slice(half)) file.message(told, { ...message, seq: message.seq + 1 })
    for (const summary of told.summaries) file.summary(told, summary)
    file.window(told)
    file.db.close()
    expect(await alarms(path)).toEqual([])
  })
})

describe('the window rule of pi-lcm', () => {
  it('may put the newest leaf beside the node that was made from it', async () => {
    const path = fresh()
    const story = inEverySession(
      inFewWords(tellStory({ seed: 4, sessions: 2, turns: 12, keepsPairs: true })),
      (session) => {
        const consumed = new Set(session.summaries.flatMap(({ sources }) => sources))
        const leaves = session.summaries.filter(({ id, depth }) => depth === 0 && !consumed.has(id))
        const newest = session.summaries.at(-1)
        if (!newest || leaves.length === 0) throw new Error('a session without leaves')
        const node = { ...newest, id: `${newest.id}9`, depth: 1, messages: [], sources: leaves.map(({ id }) => id) }
        return { summaries: [...session.summaries, { ...node, content: 'All.', tokens: 2 }], files: [] }
      },
    )
    writeStory(piLcmWriter, path, piLcmWriter.tell(story))
    expect(await alarms(path)).toEqual([])
    const { byDesign, checks } = await scanFile((await copied(path)).path)
    expect(checks.find(({ id }) => id === 'double_inclusion')).toMatchObject({ count: 0 })
    expect(byDesign?.map(({ id }) => id)).toContain('double_inclusion')
  })
})

describe('two active conversations of lossless-claw', () => {
  const writer = losslessClawWriters.find(({ name }) => name.includes('0.15')) as SystemWriter
  async function active(change: string): Promise<readonly string[]> {
    const path = fresh()
    const file = writer.open(path)
    for (const session of writer.tell(tellStory({ seed: 6, sessions: 2 })).sessions) file.begin(session)
    file.db.exec(`UPDATE conversations SET active = 1; ${change}`)
    file.db.close()
    const { checks } = await scanFile(path)
    return checks.find(({ id }) => id === 'archived_but_active_flag')?.samples.map(({ detail }) => detail) ?? []
  }

  it('are a finding when they have one session id, whatever their keys are', async () => {
    const same = `UPDATE conversations SET session_id = 'twin';`
    const fault = ['2 active conversations have the session id twin']
    expect(await active(same)).toEqual(fault)
    expect(await active(`${same} UPDATE conversations SET session_key = 'key ' || conversation_id`)).toEqual(fault)
  })

  it('are no finding when their sessions differ, or one of them was archived', async () => {
    expect(await active('')).toEqual([])
    const aside = `UPDATE conversations SET active = 0, archived_at = created_at WHERE conversation_id = 1`
    expect(await active(`UPDATE conversations SET session_id = 'twin'; ${aside}`)).toEqual([])
  })
})
