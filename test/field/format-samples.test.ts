import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findings } from '../builders/findings.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { expectCounted, expectEveryText } from '../ingest/transcripts/check-sample.ts'
import { samplesOf } from './field-data.ts'

/** Where the samples of each format lie. */
const SAMPLES: Readonly<Record<string, RegExp>> = {
  codex: /codex\/.*\.jsonl$/,
  pi: /pi-mono\/.*\.jsonl$/,
  'gemini-cli': /gemini-cli\/session.*\.json$/,
  opencode: /opencode\/session.*\.json$/,
  'opencode-events': /opencode-events\/.*\.jsonl$/,
  entire: /entire-compact\/.*\.jsonl$/,
  aider: /^aider\//,
  specstory: /^specstory\/.*\.md$/,
  'swe-agent': /\.traj$/,
  openhands: /^openhands\/.*\.jsonl$/,
}
/** What the checks rightly find in a sample. Its agent gave calls ids that earlier calls had. */
const FINDINGS: readonly (readonly [RegExp, string])[] = [
  [/marshmallow-1867__function_calling__install-1__.*\.traj$/, 'tool_call_repeated: 3'],
]
const samples = Object.entries(SAMPLES).flatMap(([id, pattern]) =>
  samplesOf(pattern).map((path) => [id, path] as const),
)

describe.each(samples)('%s: %s', (id, path) => {
  it('gives the messages that a naive count finds, is sound, and adds nothing when it is imported again', () =>
    expectCounted(
      id,
      path,
      FINDINGS.flatMap(([name, finding]) => (name.test(path) ? finding : [])),
    ))

  it('keeps every text of the conversation', () => expectEveryText(id, path))
})

/** Runs that note what an agent pruned from its window. */
const pruneRuns = ({ db }: TestMemory) =>
  db.all<Record<string, unknown>>("SELECT * FROM compaction_runs WHERE mode = 'prune' ORDER BY started_at")
const notedIn = (memory: TestMemory): unknown[] =>
  pruneRuns(memory).flatMap((run) => JSON.parse(String(run.configuration)).prune.outputs as unknown[])

const MARK = /"microcompact_boundary"/

describe('the outputs that an agent pruned', () => {
  it.each(samplesOf(/claude-code.*\.jsonl$/).filter((path) => MARK.test(readFileSync(path, 'utf8'))))(
    'are as many as the records name: %s',
    async (path) => {
      const records = readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"microcompact_boundary"'))
      const named = records.flatMap((line) => JSON.parse(line).microcompactMetadata.compactedToolIds as string[])
      using memory = buildMemory()
      await importOne(memory.db, path)
      expect(pruneRuns(memory)).toHaveLength(records.length)
      expect(notedIn(memory)).toHaveLength(new Set(named).size)
      expect(await findings(memory.path)).toEqual([])
    },
  )

  it.each(samplesOf(/opencode\/session.*\.json$/))('are as many as the parts that are marked: %s', async (path) => {
    const raw = readFileSync(path, 'utf8')
    const pruned = raw.match(/"compacted": ?\d+/g) ?? []
    using memory = buildMemory()
    await importOne(memory.db, path)
    expect(notedIn(memory)).toHaveLength(pruned.length)
    expect(await findings(memory.path)).toEqual([])
  })
})
