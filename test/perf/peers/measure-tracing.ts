import { TraceInput } from '#core/contract/trace.ts'
import { openLcm } from '#core/lcm.ts'
import { Random } from '#test/builders/random.ts'
import { type Duration, repeat, type Timing, timed } from '../statistics.ts'

/** Of the longest conversation of a file. */
export type TracingMeasure = {
  /** Messages that a summary stands for, each traced once. */
  readonly trace: Timing
  /** The same without the searches that lead back, as a window asks first. */
  readonly ladder: Timing
  /** The messages whose details were counted, by the seconds of processor time that it took. */
  readonly survivalPerSecond: number
  /** A page of 1,000 of them, the first that is asked for. */
  readonly survivalPageMs: number
}

const LONGEST = 1
const TRACED = 21
const PAGE = 1000
const COUNTED = 4000

const queries = {
  covered: /* sql */ `
    SELECT message_id FROM summary_messages JOIN messages USING (message_id)
    WHERE conversation_id = ${LONGEST} ORDER BY message_id`,
}

async function measureTracing(path: string): Promise<TracingMeasure> {
  const lcm = await openLcm(path, { readOnly: true })
  const covered = lcm.read.column<number>(queries.covered)
  const random = new Random(3)
  const traced = (ladderOnly: boolean) => (): Promise<unknown> =>
    lcm.tracer.trace(TraceInput.parse({ id: `msg_${random.pick(covered)}`, ladderOnly }))
  await traced(false)()
  const ladder = await repeat(TRACED, traced(true))
  const trace = await repeat(TRACED, traced(false))
  const survivalOf = (offset: number, count: number): Promise<Duration> =>
    timed(() =>
      lcm.survival.columns({ conversationId: LONGEST, firstMessages: [covered[offset] ?? 0], counts: [count] }),
    )
  const survivalPage = await survivalOf(0, PAGE)
  const survival = await survivalOf(PAGE, COUNTED)
  lcm.close()
  return {
    trace,
    ladder,
    survivalPerSecond: (COUNTED / survival.cpuMs) * 1000,
    survivalPageMs: survivalPage.cpuMs,
  }
}

// A process of its own: nothing is warm.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to look into')
  console.log(JSON.stringify(await measureTracing(path)))
}
