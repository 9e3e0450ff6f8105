// node test/perf/side-index-bench.ts [--messages 200000]: what a kept search index costs, and what it saves.
import { rmSync, utimesSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { openSideIndex } from '#core/search/side-index/open-side-index.ts'
import { stampAtRest } from '#core/search/side-index/source-state.ts'
import { updateIndex } from '#core/search/side-index/update-index.ts'
import { MemoryReader } from '#core/systems/memory-reader.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { clawTexts } from './claw-texts.ts'
import { keptPath } from './kept-files.ts'
import { repeat, timed } from './statistics.ts'

const SEARCHES: Readonly<Record<string, readonly GrepRequest[]>> = {
  'words, newest first': ['webhook', 'idempotent', 'Größe', 'lock spike'].map((query) => ({ query })),
  'words, by relevance': ['webhook', 'the', 'refund queue'].map((query) => ({ query, sort: 'relevance' })),
  'literal, CJK and code': ['二重に', '返回值', '.test.ts:7', 'Promise<void>'].map((query) => ({
    query,
    mode: 'literal',
  })),
  'regular expression': ['Payment \\d{5} is (gone|locked)', 'ECONN\\w+: Lease'].map((query) => ({
    query,
    mode: 'regex',
  })),
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const { values } = parseArgs({ options: { messages: { type: 'string', default: '200000' } } })
const path = clawTexts(Number(values.messages))
const cacheDir = keptPath('side-index-cache')
rmSync(cacheDir, { recursive: true, force: true })

const window = await open()
const { read, info } = window
const textBytes =
  read.value<number>(`
  SELECT (SELECT total(octet_length(content)) FROM messages) + (SELECT total(octet_length(content)) FROM summaries)
    + (SELECT total(coalesce(octet_length(tool_input), 0) + coalesce(octet_length(tool_output), 0)) FROM message_parts)`) ??
  0

console.log(`${info.fileName}: ${megabytes(info.bytes)}, text ${megabytes(textBytes)}, ${info.access}`)
await search('reading every text')
await update(window, 'made')
const { bytes } = window.index.facts()
console.log(`index ${megabytes(bytes)}: ${(bytes / textBytes).toFixed(2)} times the text`)
await search('with the index')
window.close()
// What a change of the file costs: every text is read again and compared.
utimesSync(path, new Date(), new Date())
const again = await open()
await update(again, 'made sure of')
again.close()
rmSync(cacheDir, { recursive: true, force: true })

async function open() {
  const stamp = await stampAtRest(path)
  const memory = openMemory(path, { cacheDir })
  const index = openSideIndex(memory, stamp, cacheDir)
  if (!index) throw new Error('the file has its own index')
  const close = (): void => {
    index.close()
    memory.close()
  }
  return { read: memory.read, info: memory.info, index, close }
}

async function update({ read, info, index }: Awaited<ReturnType<typeof open>>, what: string): Promise<void> {
  const job = updateIndex({ read, info, index }, new AbortController().signal)
  // The longest time for which nothing else in this thread had its turn.
  let longest = 0
  let last = performance.now()
  const pulse = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const { wallMs, cpuMs } = await timed(async () => console.log(JSON.stringify(await runToEnd(job))))
  clearInterval(pulse)
  const speed = (textBytes / 1e6 / (wallMs / 1000)).toFixed(1)
  const memoryUsed = megabytes(process.memoryUsage.rss())
  console.log(
    `${what} in ${(wallMs / 1000).toFixed(1)} s (cpu ${(cpuMs / 1000).toFixed(1)} s): ${speed} MB of text a second, longest step ${longest.toFixed(0)} ms, ${memoryUsed} in use`,
  )
}

async function search(how: string): Promise<void> {
  const engine = new RetrievalEngine(read, info.capabilities, new MemoryReader(read), window.index)
  for (const [name, requests] of Object.entries(SEARCHES)) {
    const { p50, max } = await repeat(requests.length * 3, (round) =>
      engine.grep(GrepInput.parse({ exactTotal: true, ...requests[round % requests.length] })),
    )
    console.log(`${how}: ${name}: p50 ${p50.toFixed(1)}, max ${max.toFixed(1)} ms`)
  }
}
