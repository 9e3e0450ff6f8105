import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compare } from '../builders/coverage.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { writeLines } from '../builders/transcript-rows.ts'
import { samplesOf } from './field-data.ts'

const samples = samplesOf(
  /claude-code\/(tool_heavy|622ab40d).*\.jsonl$|codex\/rollout-2026-06-17.*\.jsonl$|pi-mono\/pi\/.*\.jsonl$/,
)

describe.each(samples)('%s', (path) => {
  it('has a finding for exactly the line whose message the memory lacks', async () => {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    using whole = buildMemory()
    await importOne(whole.db, path)
    const answers = lines.flatMap((line, index) =>
      /"type":"(?:tool_result|function_call_output)"|"role":"toolResult"/.test(line) ? index : [],
    )
    const gone = answers[Math.floor(answers.length / 2)] ?? -1
    expect(gone).toBeGreaterThan(0)
    using memory = buildMemory()
    await importOne(memory.db, writeLines(lines.filter((_, index) => index !== gone)))
    const report = await compare(memory.path, path)
    expect(report.missing.map(({ line }) => line)).toEqual([gone + 1])
    expect(report.counts).toMatchObject({ missing: 1, duplicated: 0, differing: 0, extra: 0 })
  })
})
