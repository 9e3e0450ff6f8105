import { GrepInput } from '#core/contract/retrieval.ts'
import { LossInput, TraceInput } from '#core/contract/trace.ts'
import { keepNewObjectsSmall } from '#core/doors/heap.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { peakMegabytes } from '../own-process.ts'
import { timed } from '../statistics.ts'

/** A first question to a file of an unusual shape. */
export type ShapeMeasure = { readonly cpuMs: number; readonly peakMegabytes: number }

const NEVER = new AbortController().signal

/** What can be asked, each in a process of its own. */
const QUESTIONS = {
  /** Of the message with the long text. */
  trace: (lcm) => lcm.tracer.trace(TraceInput.parse({ id: 'msg_6' })),
  /** Of the summary over all others. */
  loss: (lcm) => lcm.losses.report(LossInput.parse({ conversationId: 1, summaryId: 'sum_top' })),
  stats: (lcm) => lcm.stats.stats(),
  search: (lcm) => lcm.retrieval.grep(GrepInput.parse({ query: 'module13' })),
  integrity: async (lcm) => {
    for await (const _ of lcm.integrity.run(undefined, NEVER));
  },
} as const satisfies Readonly<Record<string, (lcm: Lcm) => unknown>>

export type ShapeQuestion = keyof typeof QUESTIONS

async function measureShape(path: string, question: ShapeQuestion): Promise<ShapeMeasure> {
  const lcm = await openLcm(path, { readOnly: true })
  const { cpuMs } = await timed(() => QUESTIONS[question](lcm))
  lcm.close()
  return { cpuMs, peakMegabytes: peakMegabytes() }
}

if (import.meta.main) {
  const [path, question] = process.argv.slice(2)
  if (path === undefined || question === undefined) throw new Error('give a memory and what to ask')
  keepNewObjectsSmall()
  console.log(JSON.stringify(await measureShape(path, question as ShapeQuestion)))
}
