import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ProbeState, ProbeSum } from '#core/contract/probe.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { document, lcmHere } from './lcm.ts'
import { importedMemory } from './memories.ts'

const Question = z.looseObject({
  ...{ question: z.string(), state: ProbeState, steps: z.int().nullable() },
  evidence: z.looseObject({ id: z.string(), at: z.string().regex(/Z$/).nullable(), text: z.string() }).nullable(),
})
const Report = z.looseObject({
  questions: z.array(Question),
  byKind: z.array(ProbeSum.extend({ kind: z.string() })),
  byDepth: z.array(ProbeSum.extend({ depth: z.int().nullable() })),
  recall: z.number(),
  compared: z.array(z.looseObject({ name: z.string(), questions: z.array(Question), recall: z.number() })),
})

let db: string
const folder = temporaryFolder()
const here = (...more: string[]) => ['probe', '--db', db, '--conversation', '1', ...more]
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
beforeAll(async () => {
  db = (await importedMemory()).db
})

describe('lcm probe', () => {
  it('prints every question with its state and evidence, and the same summed by kind and depth', async () => {
    const { questions, byKind, byDepth, recall } = await document(Report, here('--limit', '12'))
    expect(questions).toHaveLength(12)
    for (const sums of [byKind, byDepth]) expect(sums.reduce((sum, one) => sum + one.questions, 0)).toBe(12)
    // Before its first compaction a window holds everything.
    expect([...new Set(questions.map(({ state }) => state)), recall]).toEqual(['in_window', 1])
  })

  it('compares with a window after a compaction, and leaves the memory as it is', async () => {
    const before = readFileSync(db)
    const preset = ['--compare', 'preset:pi-lcm', '--compare', 'after', '--compare', 'msg_3']
    const { questions, compared } = await document(Report, here('--limit', '12', ...preset))
    expect(compared.map(({ name }) => name)).toEqual(['after one with pi-lcm', 'after a compaction', 'at msg_3'])
    for (const one of compared) expect(one.questions.map((q) => q.question)).toEqual(questions.map((q) => q.question))
    const compacted = compared[1]?.questions ?? []
    expect(compacted.some(({ state }) => state !== 'in_window')).toBe(true)
    expect(readFileSync(db).equals(before)).toBe(true)
  })

  it('ends with exit code 3 when recall is below the minimum', async () => {
    const questions = file('lost.jsonl', '{"question":"Which colour has the moon of Pluto?","answer":"crimson"}\n')
    expect((await lcmHere(here('--questions', questions, '--min-recall', '0.5'))).code).toBe(3)
    expect((await lcmHere(here('--limit', '5', '--min-recall', '0.5'))).code).toBe(0)
  })

  it('writes its report as Markdown or as one page of HTML, and over no file unless forced', async () => {
    for (const name of ['report.md', 'report.html']) {
      const path = join(folder, name)
      expect((await lcmHere(here('--limit', '5', '--report', path))).code).toBe(0)
      expect(readFileSync(path, 'utf8')).toContain('Would the agent have remembered?')
      expect((await lcmHere(here('--limit', '5', '--report', path))).code).toBe(2)
      expect((await lcmHere(here('--limit', '5', '--report', path, '--force'))).code).toBe(0)
    }
    expect((await lcmHere(here('--report', db.replace(/\.db$/, '.pdf')))).stderr).toContain('.md or .html')
  })

  it('refuses a file without questions, a line that is none, and an unknown preset or summariser', async () => {
    const refusals = [
      [['--questions', file('empty.jsonl', '\n')], 'holds no question'],
      [['--questions', file('bad.jsonl', '{"question":"a"}\nnot json\n')], 'Line 2'],
      [['--questions', join(folder, 'none.jsonl')], 'none.jsonl'],
      [['--compare', 'preset:none'], 'There is no preset "none"'],
      [['--compare', 'summarizer:none'], 'no such summariser'],
      [['--compare', 'yesterday'], 'Expected now'],
    ] as const
    for (const [given, message] of refusals) {
      const { code, stderr } = await lcmHere(here(...given))
      expect([(code ?? 0) > 0, stderr]).toEqual([true, expect.stringContaining(message)])
    }
  })
})
