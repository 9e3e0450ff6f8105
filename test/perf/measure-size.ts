import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openLcm } from '#core/lcm.ts'
import { type Duration, megabytes, repeat, type Timing, timed } from './statistics.ts'

/** What a window asks of a file with very many conversations, or of a very long one. */
export type SizeMeasure = {
  readonly open: Duration
  /** The list as a window first shows it. */
  readonly firstList: Duration
  readonly listAgain: Timing
  /** Pages of 60 messages, each of another place or conversation. */
  readonly firstPage: Duration
  readonly pages: Timing
  /** Of the longest conversation. */
  readonly history: Duration
  readonly firstStrata: Duration
  readonly strata: Timing
  readonly residentMegabytes: number
  /** The sizes of the windows of all conversations, with which the list is complete. */
  readonly sizes: Duration
  /** What is kept of the file in the end: the list with its sizes, and the history of the longest conversation. */
  readonly keptMegabytes: number
}

const LONGEST = 1
const PAGES = 40

/** @param messages of the longest conversation */
export async function measureSize(path: string, conversations: number, messages: number): Promise<SizeMeasure> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const kept = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return megabytes(heapUsed + external)
  }
  const open = await timed(async () => (await openLcm(path, { readOnly: true })).close())
  const lcm = await openLcm(path, { readOnly: true })
  const before = kept()
  const firstList = await timed(() => lcm.stats.listed())
  const listAgain = await repeat(9, () => lcm.stats.listed())
  const page = (round: number) => {
    const conversationId = 1 + ((round * 997) % conversations)
    const offset = Math.floor(((round % PAGES) / PAGES) * Math.max(0, messages - 60))
    return lcm.transcript.page({ conversationId, offset, limit: 60, contentChars: 20_000 })
  }
  const firstPage = await timed(() => page(0))
  const pages = await repeat(PAGES, page)
  const history = await timed(() => lcm.reader.prepare(LONGEST))
  const firstStrata = await timed(() => lcm.strata.get({ conversationId: LONGEST, axis: 'messages' }))
  const strata = await repeat(9, () => lcm.strata.get({ conversationId: LONGEST, axis: 'messages' }))
  const residentMegabytes = megabytes(process.memoryUsage.rss())
  // A window works these out last, a slice at a time.
  const sizes = await timed(() => lcm.stats.measure())
  const keptMegabytes = kept() - before
  lcm.close()
  const read = { firstPage, pages, history, firstStrata, strata, residentMegabytes }
  return { open, firstList, sizes, listAgain, keptMegabytes, ...read }
}

// A process of its own: nothing is warm.
if (import.meta.main) {
  const [path, conversations, messages] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to look into')
  console.log(JSON.stringify(await measureSize(path, Number(conversations), Number(messages))))
}
