import { describe, expect, it } from 'vitest'
import { FateTally, plantFacts, TURNS, traceOf } from './planted-facts.ts'
import { FIRST_FACTS, LATER_FACTS, type ToldPlot } from './told-facts.ts'

async function measured(plots: readonly ToldPlot[], seed: number): Promise<FateTally> {
  const tally = new FateTally()
  for (let turn = 0; turn < TURNS; turn += 1) await measureOne(plots, seed + turn, turn, tally)
  return tally
}

async function measureOne(plots: readonly ToldPlot[], seed: number, turn: number, tally: FateTally): Promise<void> {
  const { memory, facts } = plantFacts(plots, seed, turn)
  for (const fact of facts) {
    const trace = await traceOf(memory.db, fact.messageId)
    const about = trace.ladder.map((rung) => `${rung.depth}: ${rung.state} ${rung.kept}/${rung.details}`).join(' | ')
    tally.add(
      fact,
      trace,
      `${about} ${trace.details.map((one) => `${one.kind}:${one.text}=${one.fate}${one.instead ? `→${one.instead}` : ''}`).join('; ')}`,
    )
  }
  memory.close()
}

describe('the trace of planted facts', () => {
  it.each([
    ['written before the comparison was tuned', FIRST_FACTS, 1],
    ['with other names and numbers', FIRST_FACTS, 107],
    ['written after it was tuned', LATER_FACTS, 201],
  ])('tells what became of facts %s', async (_, plots, seed) => {
    const tally = await measured(plots, seed)
    for (const kind of ['kept', 'dropped', 'changed', 'reworded']) {
      const { precision, recall } = tally.figures(kind)
      expect.soft(precision, `precision of ${kind}\n${tally.wrong.join('\n')}`).toBeGreaterThanOrEqual(0.9)
      expect.soft(recall, `recall of ${kind}\n${tally.wrong.join('\n')}`).toBeGreaterThanOrEqual(0.9)
    }
  })
})
