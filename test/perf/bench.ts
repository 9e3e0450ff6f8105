import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureCompactionEngine } from './compaction-bench.ts'
import { largeMemory } from './large-memory.ts'
import { measureCompaction } from './measure-compaction.ts'
import { measureImport } from './measure-import.ts'
import type { ReadingMeasure } from './measure-reading.ts'
import type { Timing } from './statistics.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '200000' },
    /** How long the summariser takes on which the gain of asking four times at once is measured. */
    delay: { type: 'string', default: '1000' },
    /** Only the JSON document. */
    json: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

type Row = readonly [what: string, measured: string, goal: string]
const fixed = (value: number, digits = 1): string => value.toFixed(digits)
const timing = ({ p50, p95, max, runs }: Timing): string =>
  `p50 ${fixed(p50)} ms, p95 ${fixed(p95)} ms, max ${fixed(max)} ms (${runs})`

const messages = Number(values.messages)
const memory = await largeMemory(messages, say)
say('importing')
const imported = await measureImport(Math.min(messages, 40_000))
say('compacting')
const compacted = await measureCompaction(Math.min(messages, 5000))
const engine = await measureCompactionEngine({
  planned: messages,
  compacted: Math.min(messages, 10_000),
  delayMs: Number(values.delay),
})
say('reading')
const reader = join(import.meta.dirname, 'measure-reading.ts')
const output = execFileSync(process.execPath, [reader, memory.path], { encoding: 'utf8', maxBuffer: 1e8 })
const read = JSON.parse(output) as ReadingMeasure

const rows: Row[] = [
  ['import, MB of text a second', fixed(imported.textMegabytesPerSecond, 2), '≥ 5'],
  ['import, longest step', `${fixed(imported.longestStepMs, 0)} ms`, '≤ 250 ms'],
  ['same transcript again', `${fixed(imported.secondImportSeconds)} s (first ${fixed(imported.seconds)} s)`, ''],
  ['open to usable', `${fixed(read.openToUsableMs, 0)} ms`, '< 1000 ms'],
  ['process start to usable', `${fixed(read.startToUsableMs, 0)} ms`, '< 1000 ms'],
  ['strata.get', timing(read.strataGet), ''],
  ['strata.messages, 1200 buckets', timing(read.strataMessages), '≤ 16 ms'],
  ['transcript.page, 60 messages', timing(read.transcriptPage), '< 50 ms'],
  ['context.assemble', `${fixed(read.assembleMs, 0)} ms`, ''],
  ...Object.entries(read.search).map(
    ([name, value]): Row => [`search, ${name}`, timing(value), name.startsWith('full text') ? 'p95 < 100 ms' : ''],
  ),
  ['memory of the core process', `${fixed(read.rssMegabytes, 0)} MB`, '< 300 MB'],
  ['compaction, messages a second', fixed(compacted.messagesPerSecond, 0), ''],
  ['compaction, longest step', `${fixed(compacted.longestStepMs, 0)} ms`, '≤ 50 ms'],
  ['plan of all messages, never compacted', timing(engine.planMs), '< 300 ms'],
  ['assemble of all messages, never compacted', timing(engine.assembleMs), ''],
  ['what-if, 10,000 items', timing(engine.whatIfMs), '< 50 ms'],
  ['what-if, the window read first', timing(engine.whatIfColdMs), '< 50 ms'],
  ['compaction apart from its summariser, messages a second', fixed(engine.messagesPerSecond, 0), '≥ 20000'],
  ['four slow calls at once, gain', fixed(engine.speedUp, 2), '≥ 3.6'],
  ['compaction, reduction', `${fixed(compacted.reduction * 100)} %`, '≥ 30 %'],
]

if (!values.json) {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  console.log(`${messages.toLocaleString('en')} messages, Node ${process.version}, ${availableParallelism()} cores\n`)
  for (const [what, measured, goal] of rows) {
    console.log(`${what.padEnd(widths[0] ?? 0)}  ${measured.padEnd(widths[1] ?? 0)}  ${goal}`)
  }
  console.log('')
}
console.log(JSON.stringify({ messages, node: process.version, imported, read, compacted, engine }, null, 2))
