import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { mendTranscript } from '#core/ingest/transcripts/mend-transcript.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { compare } from '../builders/coverage.ts'
import { importOne, runImport } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { resultOf, scanFile, wrong } from '../doctor/integrity/scan-file.ts'
import { plan, runOn } from '../doctor/repair/doctor.ts'
import { FIELD_DATA } from './field-data.ts'

/** A small file that was made after public reports of a fault, copied, with what is right for it. */
function reported(name: string): { readonly path: string; readonly right: Record<string, unknown> } {
  const folder = join(FIELD_DATA, 'cases', '2026-11', name)
  const copy = join(temporaryFolder(), name)
  cpSync(join(folder, 'input'), copy, { recursive: true })
  const { right } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))
  return { path: copy, right }
}

it('a file that was copied without its log is said to lack it', () => {
  const { path, right } = reported('copied-without-wal')
  const start = (right.mustSay as string).split(',')[0]?.replace('the file ', '') ?? ''
  expect(() => openMemory(join(path, 'lcm.db'))).toThrow(start)
})

it('a block of messages that was read in again is found, with what it costs, and can leave the window', async () => {
  const { path, right } = reported('lossless-claw-block-again')
  const file = join(path, 'lcm.db')
  const result = resultOf(await scanFile(file), right.finding as string)
  expect(result.samples.map(({ id }) => id)).toEqual([7, 8, 9, 10, 11, 12].map((id) => `msg_${id}`))
  expect(result.count).toBe(right.groups)
  expect(result.samples[0]?.detail).toContain(`${right.tokensTwice} tokens`)
  expect((await plan(file)).steps.map(({ risk }) => risk)).toEqual(['safe'])
})

it('a conversation above the budget that its file names, whose compaction never began, is found', async () => {
  const { path, right } = reported('lossless-claw-debt-never-run')
  const report = await scanFile(join(path, 'lcm.db'))
  const [tokens, budget] = [Number(right.tokens), Number(right.budgetOfTheFile)].map((n) => n.toLocaleString('en'))
  const [never] = resultOf(report, 'never_compacted').samples
  expect(never?.detail).toBe(`${tokens} tokens, 110 % of the ${budget} that the file itself names`)
  const lcm = await openLcm(join(path, 'lcm.db'), { readOnly: true })
  const shares = [lcm.stats.conversations()[0], lcm.context.assemble({ conversationId: 1 })].map((one) => one?.pressure)
  expect(shares).toEqual([1, 2].map(() => Number(right.tokens) / Number(right.budgetOfTheFile)))
  lcm.close()
  const [pending] = resultOf(report, 'compaction_failing').samples
  expect(pending?.detail).toMatch(/^a compaction is pending since 2026-03-20 .* and never began$/)
})

it('calls that an interrupted compaction stored again are sent once, and the messages in which they stand are named', async () => {
  const { path } = reported('openclaw-call-repeated')
  using memory = buildMemory()
  await importOne(memory.db, join(path, 's.jsonl'))
  const [repeated] = resultOf(await scanFile(memory.path), 'tool_call_repeated').samples
  expect(repeated?.detail).toBe('the calls call_x and call_y stand in 3 messages: msg_2, msg_5, and msg_7')
  const assembler = new ContextAssembler(memory.db, createTokenEstimator(), readSettings({}).compaction)
  const payload = JSON.stringify(assembler.render({ conversationId: 1, budgetTokens: 100_000 }, 'anthropic'))
  expect(payload.match(/"type":"tool_use","id":"call_."/g)).toEqual([
    '"type":"tool_use","id":"call_x"',
    '"type":"tool_use","id":"call_y"',
  ])
})

it('a full-text index that is damaged alone is named as that, and its step is automatic and puts a copy right', async () => {
  const { path } = reported('hermes-index-damaged')
  const file = join(path, 'lcm.db')
  const report = await scanFile(file)
  expect(wrong(report)).toEqual(['index_damaged'])
  expect(resultOf(report, 'index_damaged').samples[0]?.detail).toMatch(
    /^the full-text index nodes_fts is damaged; no text is lost: it can be rebuilt from summary_nodes/,
  )
  expect((await plan(file)).steps.map(({ id, risk }) => [id, risk])).toEqual([['index_damaged', 'safe']])
  const { text } = await runOn(file, { kind: 'repair_export', format: 'sql' })
  const db = new Database(file)
  db.exec(text)
  db.close()
  expect(wrong(await scanFile(file))).toEqual([])
})

it('a chain that breaks on resume is said at import, by the checks, by coverage and in the window', async () => {
  const { path, right } = reported('claude-phantom-parent')
  const file = join(path, 's.jsonl')
  using memory = buildMemory()
  const assembler = new ContextAssembler(memory.db, createTokenEstimator(), readSettings({}).compaction)
  const resumeOf = (conversationId: number) => assembler.resumeOf(conversationId)
  const { files } = await runImport(memory.db, [file], { resumeOf })
  expect(files[0]?.added).toBe(right.messages)
  const text =
    'the parent of line 5 is not in the file: whoever resumes this session sees 4 of 8 messages (from "After the resume: the plum costs 5 euro.")'
  expect(text).toContain(String(right.mustSay).replace('")', ''))
  const [said] = files[0]?.brokenChains ?? []
  expect(said).toMatchObject({ text, loaded: right.reachable, messages: right.messages })
  const [sample] = resultOf(await scanFile(memory.path), 'broken_chain').samples
  expect(sample?.detail).toContain(text)
  const report = await compare(memory.path, file)
  expect(report.notes[0]).toContain(text.slice(1))
  const resumed = assembler.assemble({ conversationId: 1, resumed: true })
  expect(resumed.items).toHaveLength(Number(right.reachable))
  await mendTranscript(file, join(path, 'mended.jsonl'))
  await runImport(memory.db, [join(path, 'mended.jsonl')])
  expect(assembler.resumeOf(1)).toBeNull()
})
