// The table of docs/benchmarks.md from one run: this program beside SQLite and other programs on the same data.
// `npm run bench -- peers`; with LCM_BENCH_LARGE=1 also on a million messages; with `--peers`, ccusage is installed with
// the temporary files to be measured. `--json` prints what docs/benchmarks.md is made from.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import installBuild from '../builders/built-program.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { benchOptions } from './bench-options.ts'
import { clawMemory } from './claw-memory.ts'
import { clawTexts } from './claw-texts.ts'
import { speedUp } from './compaction-bench.ts'
import { largeMemory } from './large-memory.ts'
import { manyConversations } from './many-conversations.ts'
import type { CopyMeasure } from './measure-copy.ts'
import { measureIngest } from './measure-ingest.ts'
import type { IntegrityMeasure } from './measure-integrity.ts'
import { measureLive } from './measure-live.ts'
import type { SessionMeasure } from './measure-session.ts'
import { inOwnProcess } from './own-process.ts'
import type { BesideSqlite } from './peers/measure-beside-sqlite.ts'
import { commandMegabytes } from './peers/measure-command.ts'
import type { PullMeasure } from './peers/measure-pull.ts'
import { measureShape } from './peers/measure-shape.ts'
import type { SideIndexMeasure } from './peers/measure-side-index.ts'
import { measureStart } from './peers/measure-start.ts'
import type { TracingMeasure } from './peers/measure-tracing.ts'
import { measureTranscripts } from './peers/other-programs.ts'
import { goalText, isMet, type PeerMeasures, resultsOf, type SizeMeasures, valueText } from './peers/peer-rows.ts'
import { filesMemory, longMessageMemory, wideMemory } from './peers/shapes.ts'
import { figure, printTable } from './rows.ts'

const SMALLEST = 20_000
const LARGEST = 1_000_000
const LONG_MESSAGE = 10_000_000
const LEAVES = 5000
const CONVERSATIONS = 100_000
const MESSAGES_OF_EACH = 5
const FILES = 10_000
/** Messages that a database is sent, and that are pulled out of it. */
const SENT = 20_000
/** Megabytes of a file of lossless-claw for a thousand messages. */
const CLAW_MB_OF_THOUSAND = 7

async function measureSize(messages: number, say: (line: string) => void): Promise<SizeMeasures> {
  const { path } = await largeMemory(messages, say)
  const measure = <T>(script: string): T => {
    say(`${script} of ${messages} messages`)
    return inOwnProcess<T>(script, path)
  }
  return {
    messages,
    beside: measure<BesideSqlite>('peers/measure-beside-sqlite.ts'),
    integrity: measure<IntegrityMeasure>('measure-integrity.ts'),
    integrityMegabytes: commandMegabytes('integrity', '--db', path),
    tracing: measure<TracingMeasure>('peers/measure-tracing.ts'),
    session: measure<SessionMeasure>('measure-session.ts'),
  }
}

async function measurePeers(messages: number, install: boolean, say: (line: string) => void): Promise<PeerMeasures> {
  const { path } = await largeMemory(messages, say)
  const sizes: SizeMeasures[] = []
  const asked = new Set([SMALLEST, messages, ...(process.env.LCM_BENCH_LARGE ? [LARGEST] : [])])
  for (const size of [...asked].toSorted((a, b) => a - b)) sizes.push(await measureSize(size, say))
  const step = <T>(line: string, measure: () => T): T => {
    say(line)
    return measure()
  }
  const shape = (...asked: Parameters<typeof measureShape>): ReturnType<typeof measureShape> =>
    step(asked.toReversed().join(' of '), () => measureShape(...asked))
  const many = manyConversations(CONVERSATIONS, MESSAGES_OF_EACH)
  const files = await filesMemory(FILES)
  // The first run brings the files from the disk.
  shape(files, 'integrity')
  const copied = Math.ceil((messages / 1000) * CLAW_MB_OF_THOUSAND)
  return {
    asked: sizes.find((size) => size.messages === messages) as SizeMeasures,
    sizes,
    ingest: step('storing', () => measureIngest(Math.min(messages, 4000))),
    start: step('starts', () => measureStart(path)),
    longMessage: shape(await longMessageMemory(LONG_MESSAGE), 'trace'),
    loss: shape(await wideMemory(LEAVES), 'loss'),
    stats: shape(many, 'stats'),
    firstSearch: shape(many, 'search'),
    largeFiles: shape(files, 'integrity'),
    copy: step('copying', () => inOwnProcess<CopyMeasure>('measure-copy.ts', copied)),
    copyMegabytes: step('a copy of its own', () =>
      commandMegabytes('copy', '--from', clawMemory(copied), '--to', join(temporaryFolder(), 'copy.db')),
    ),
    sideIndex: step('a side index', () =>
      inOwnProcess<SideIndexMeasure>('peers/measure-side-index.ts', clawTexts(messages)),
    ),
    compaction: step('compacting', () =>
      inOwnProcess<PeerMeasures['compaction']>('peers/measure-asked-compaction.ts', Math.min(messages, 5000)),
    ),
    gainOfFour: await step('four calls at once', () => speedUp(1000, 'full')),
    live: await step('the window', () => measureLive('native', messages)),
    pull: step('PostgreSQL', () => inOwnProcess<PullMeasure | null>('peers/measure-pull.ts', SENT)),
    transcripts: await step('transcripts', () => measureTranscripts(Math.min(messages, 10_000), install)),
  }
}

const options = { ...benchOptions, peers: { type: 'boolean', default: false } } as const
const { values } = parseArgs({ options, allowPositionals: true })
const messages = Number(values.messages)
await installBuild()
const results = resultsOf(await measurePeers(messages, values.peers, (line) => process.stderr.write(`${line}\n`)))
if (values.json) console.log(JSON.stringify({ messages, node: process.version, results }, null, 2))
else {
  printTable(
    `${messages.toLocaleString('en')} messages, processor time`,
    results.map((row) => figure(row.what, valueText(row), `${goalText(row)}${isMet(row) === false ? ', missed' : ''}`)),
  )
}
