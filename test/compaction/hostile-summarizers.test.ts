import { describe, expect, it } from 'vitest'
import type { Summarizer } from '../../core/compaction/summarizers/summarizer.ts'
import { expectLossless, expectSoundGraph } from './invariants.ts'
import { compact, says } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

describe('a summariser that', () => {
  const hostile = (answer: (sourceTokens: number) => string | Promise<string>): Summarizer => ({
    name: 'hostile',
    levels: ['normal', 'aggressive'],
    model: 'm',
    promptVersion: () => 'p1',
    summarize: async ({ sourceTokens }) => says(await answer(sourceTokens)),
  })
  const runWith = async (summarizer: Summarizer) => {
    const memory = remember(talk(42))
    const { result: run } = await compact(
      memory.db,
      { summarizer: 'hostile' },
      { settings: small, summarizers: [summarizer] },
    )
    return { memory, run }
  }

  it.each<[string, (sourceTokens: number) => string | Promise<string>]>([
    ['fails', () => Promise.reject(new Error('no network'))],
    ['answers nothing', () => '  \n '],
    ['answers ten times too much', (sourceTokens) => 'word '.repeat(sourceTokens * 10)],
    ['answers exactly as much', (sourceTokens) => 'abc '.repeat(sourceTokens)],
  ])('%s is replaced by the deterministic one', async (_name, answer) => {
    const { memory, run } = await runWith(hostile(answer))
    expect(run.created.every(({ level }) => level === 'deterministic')).toBe(true)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    memory.close()
  })

  it('answers well is recorded with level, model and prompt', async () => {
    let calls = 0
    const everySecond = (): string => {
      calls += 1
      return calls % 2 === 1 ? '' : `Summary ${calls}.\ud800`
    }
    const { memory, run } = await runWith(hostile(everySecond))
    expect(run.created.every(({ level }) => level === 'aggressive')).toBe(true)
    expect(memory.db.get('SELECT level, model, prompt_version, content FROM summaries')).toEqual({
      level: 'aggressive',
      model: 'm',
      prompt_version: 'p1',
      content: 'Summary 2.\ufffd',
    })
    memory.close()
  })
})
