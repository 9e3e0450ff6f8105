import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { recogniseTranscript, whyNoTranscript } from '#core/ingest/transcripts/formats.ts'
import { compare } from '../builders/coverage.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { samplesOf } from './field-data.ts'

/** What lies in the folders of the samples. */
const formatIn: readonly (readonly [RegExp, string | null])[] = [
  [/\/claude-code\//, 'claude-code'],
  [/\/codex\//, 'codex'],
  [/\/agents-2026-11\/claude\/.*\.jsonl$/, 'claude-code'],
  [/\/agents-2026-11\/pi\/sessions\//, 'pi'],
  [/\/agents-2026-11\/gemini\/tmp\//, 'gemini-cli'],
  [/\/agents-2026-11\/qwen\/.*\.jsonl$/, 'qwen-code'],
  [/\/agents-2026-11\/copilot\/.*\.jsonl$/, 'copilot-cli'],
  [/\/agents-2026-11\/opencode\/export\//, 'opencode'],
  [/\/pi-mono\/pi\//, 'pi'],
  [/\/gemini-cli\/session/, 'gemini-cli'],
  [/\/dark-factory\/opencode\/|\/opencode-events\//, 'opencode'],
  [/\/entire-compact\//, 'entire'],
  [/\/aider\//, 'aider'],
  [/\/specstory\/markdown\//, 'specstory'],
  [/\/swe-agent\//, 'swe-agent'],
  [/\/openhands\//, 'openhands'],
  [/\/(?:large-files|kdconv|xpersona|xquad|ubuntu-irc|opencode-md)\/|SOURCES\.md$/, null],
]

it('every sample is recognised by its content, whatever its file name', () => {
  for (const file of samplesOf(/\.[a-z]+$/).filter((path) => statSync(path).isFile())) {
    const wanted = formatIn.find(([folderName]) => folderName.test(file))
    if (!wanted) continue
    expect([file, recogniseTranscript(file)?.format.id ?? null]).toEqual([file, wanted[1]])
    if (wanted[1] === null) expect(whyNoTranscript(file)).toMatch(/: not a transcript in a known format/)
  }
})

/** One sample of each kind, the smallest. */
const smallest = [
  ...Map.groupBy(
    samplesOf(
      /(?:claude-code|codex|pi-mono\/pi|gemini-cli|opencode|opencode-events|entire-compact|aider|specstory\/markdown|swe-agent|openhands)\/[^/]*\.(?:jsonl|json|md|traj)$/,
    ).filter((path) => !/large-files/.test(path)),
    (path) => dirname(path),
  ).values(),
].flatMap((paths) => paths.toSorted((a, b) => statSync(a).size - statSync(b).size)[0] ?? [])

it('a memory made of a transcript has all of its messages, in every format', async () => {
  for (const path of smallest) {
    using memory = buildMemory()
    await importOne(memory.db, path)
    const report = await compare(memory.path, path)
    expect([path, report.counts]).toEqual([path, { missing: 0, duplicated: 0, differing: 0, extra: 0 }])
    expect(report.inTranscript).toBeGreaterThan(0)
  }
}, 120_000)
