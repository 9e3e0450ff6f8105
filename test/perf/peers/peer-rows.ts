import type { CopyMeasure } from '../measure-copy.ts'
import type { IngestMeasure } from '../measure-ingest.ts'
import type { IntegrityMeasure } from '../measure-integrity.ts'
import type { LiveMeasure } from '../measure-live.ts'
import type { SessionMeasure } from '../measure-session.ts'
import type { Timing } from '../statistics.ts'
import type { BesideSqlite } from './measure-beside-sqlite.ts'
import type { PullMeasure } from './measure-pull.ts'
import type { ShapeMeasure } from './measure-shape.ts'
import type { SideIndexMeasure } from './measure-side-index.ts'
import type { StartMeasure } from './measure-start.ts'
import type { TracingMeasure } from './measure-tracing.ts'
import type { TranscriptMeasure } from './other-programs.ts'

/** What is measured of memories of several sizes. */
export type SizeMeasures = {
  readonly messages: number
  readonly beside: BesideSqlite
  readonly integrity: IntegrityMeasure
  /** Of the command. */
  readonly integrityMegabytes: number
  readonly tracing: TracingMeasure
  readonly session: SessionMeasure
}

/** What one run measured. Null is what needs a program that is not installed. */
export type PeerMeasures = {
  /** Of as many messages as were asked for. */
  readonly asked: SizeMeasures
  /** From 20,000 messages on; a million only where that was asked for. */
  readonly sizes: readonly SizeMeasures[]
  readonly ingest: IngestMeasure
  readonly start: StartMeasure
  readonly longMessage: ShapeMeasure
  readonly loss: ShapeMeasure
  readonly stats: ShapeMeasure
  readonly firstSearch: ShapeMeasure
  readonly largeFiles: ShapeMeasure
  readonly copy: CopyMeasure
  /** Of the command. */
  readonly copyMegabytes: number
  readonly sideIndex: SideIndexMeasure
  readonly compaction: readonly [asked: Timing, alone: Timing]
  readonly gainOfFour: number
  readonly live: LiveMeasure
  readonly pull: PullMeasure | null
  readonly transcripts: TranscriptMeasure
}

/** A row of docs/benchmarks.md. */
export type PeerRow = {
  readonly what: string
  readonly unit: '×' | 'ms' | 'MB' | 'messages a second'
  /** Nothing where the figure only shows how much the others do for as much. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number }
} & (
  | {
      /** Null where it could not be measured. */
      readonly value: (measured: PeerMeasures) => number | null
    }
  | { readonly valueOf: (size: SizeMeasures) => number }
)

const ratio = ([one, other]: readonly [Timing, Timing]): number => one.cpuP50 / other.cpuP50
/** SQLite stands first in what was asked in turn with it. */
const overSqlite = ([alone, ours]: readonly [Timing, Timing]): number => ratio([ours, alone])
const MILLION = 1_000_000
const ofMillion = ({ sizes }: PeerMeasures): SizeMeasures | undefined =>
  sizes.find(({ messages }) => messages === MILLION)
const searched = ({ beside: { alone, besideAlone } }: SizeMeasures, kind: keyof BesideSqlite['alone']): number =>
  ratio([besideAlone[kind], alone[kind]])

export const peerRows: readonly PeerRow[] = [
  {
    what: 'list of conversations ÷ bare SQL',
    unit: '×',
    goal: { atMost: 1.5 },
    valueOf: ({ beside }) => overSqlite(beside.list),
  },
  { what: 'rare word ÷ bare FTS5', unit: '×', goal: { atMost: 2 }, valueOf: (size) => searched(size, 'rareWords') },
  {
    what: 'common word ÷ bare FTS5',
    unit: '×',
    goal: { atMost: 2.5 },
    valueOf: (size) => searched(size, 'commonWords'),
  },
  {
    what: 'pattern without a literal ÷ every text and JavaScript',
    unit: '×',
    goal: { atMost: 2 },
    valueOf: (size) => searched(size, 'scans'),
  },
  { what: 'describe ÷ bare SQL', unit: '×', goal: { atMost: 3 }, valueOf: ({ beside }) => overSqlite(beside.describe) },
  { what: 'assemble ÷ bare SQL', unit: '×', goal: { atMost: 3 }, valueOf: ({ beside }) => overSqlite(beside.assemble) },
  {
    what: 'integrity ÷ SQLite’s integrity_check',
    unit: '×',
    goal: { atMost: 1.9 },
    valueOf: ({ integrity }) => integrity.timesAlone,
  },
  {
    what: 'integrity of 1,000,000 messages, memory',
    unit: 'MB',
    goal: { atMost: 200 },
    value: (all) => ofMillion(all)?.integrityMegabytes ?? null,
  },
  {
    what: 'rate of single messages stored ÷ bare SQL',
    unit: '×',
    goal: { atLeast: 0.7 },
    value: ({ ingest }) => ingest.toolShare,
  },
  {
    what: 'rate of turns stored ÷ bare SQL',
    unit: '×',
    goal: { atLeast: 0.8 },
    value: ({ ingest }) => ingest.turnShare,
  },
  {
    what: 'rate of 1,000 messages stored at once ÷ bare SQL',
    unit: '×',
    goal: { atLeast: 0.95 },
    value: ({ ingest }) => ingest.bulkShare,
  },
  {
    what: 'start of a process to the first hit ÷ bare driver',
    unit: '×',
    goal: { atMost: 3 },
    value: ({ start }) => start.productMs / start.bareMs,
  },
  { what: 'trace of one message', unit: 'ms', goal: { atMost: 200 }, valueOf: ({ tracing }) => tracing.trace.cpuP50 },
  {
    what: 'trace of one message ÷ in 20,000 messages',
    unit: '×',
    goal: { atMost: 1.5 },
    value: ({ asked, sizes: [smallest = asked] }) => asked.tracing.trace.cpuP50 / smallest.tracing.trace.cpuP50,
  },
  {
    what: 'trace of one of 1,000,000 messages',
    unit: 'ms',
    goal: { atMost: 200 },
    value: (all) => ofMillion(all)?.tracing.trace.cpuP50 ?? null,
  },
  {
    what: 'trace of one message, as a window shows it first',
    unit: 'ms',
    valueOf: ({ tracing }) => tracing.ladder.cpuP50,
  },
  {
    what: 'trace of a message of 10 MB',
    unit: 'ms',
    goal: { atMost: 1000 },
    value: ({ longMessage }) => longMessage.cpuMs,
  },
  {
    what: 'survival',
    unit: 'messages a second',
    goal: { atLeast: 6_700 },
    valueOf: ({ tracing }) => tracing.survivalPerSecond,
  },
  { what: 'survival of a page of 1,000', unit: 'ms', valueOf: ({ tracing }) => tracing.survivalPageMs },
  { what: 'loss under a summary of 5,000 leaves', unit: 'ms', goal: { atMost: 4900 }, value: ({ loss }) => loss.cpuMs },
  {
    what: 'loss under a summary of 5,000 leaves, memory',
    unit: 'MB',
    goal: { atMost: 150 },
    value: ({ loss }) => loss.peakMegabytes,
  },
  {
    what: 'stats of 100,000 conversations, first',
    unit: 'ms',
    goal: { atMost: 1500 },
    value: ({ stats }) => stats.cpuMs,
  },
  {
    what: 'stats of 100,000 conversations, memory',
    unit: 'MB',
    goal: { atMost: 150 },
    value: ({ stats }) => stats.peakMegabytes,
  },
  {
    what: 'first search in 100,000 conversations',
    unit: 'ms',
    goal: { atMost: 1000 },
    value: ({ firstSearch }) => firstSearch.cpuMs,
  },
  { what: 'working copy, memory', unit: 'MB', goal: { atMost: 250 }, value: ({ copyMegabytes }) => copyMegabytes },
  { what: 'working copy ÷ its text', unit: '×', goal: { atMost: 3.3 }, value: ({ copy }) => copy.timesText },
  {
    what: 'integrity of 10,000 large files',
    unit: 'ms',
    goal: { atMost: 2000 },
    value: ({ largeFiles }) => largeFiles.cpuMs,
  },
  {
    what: 'side index ÷ bare FTS5',
    unit: '×',
    goal: { atMost: 1.2 },
    value: ({ sideIndex }) => sideIndex.productMs / sideIndex.bareMs,
  },
  {
    what: 'compaction as an agent asks for it ÷ the engine alone',
    unit: '×',
    goal: { atMost: 1.05 },
    value: ({ compaction }) => ratio(compaction),
  },
  {
    what: 'gain of four calls of one second at once',
    unit: '×',
    goal: { atLeast: 3.7 },
    value: ({ gainOfFour }) => gainOfFour,
  },
  {
    what: 'memory of the core after all reads',
    unit: 'MB',
    goal: { atMost: 250 },
    valueOf: ({ session }) => session.endMegabytes,
  },
  {
    what: 'memory of the core after all reads, 1,000,000 messages',
    unit: 'MB',
    goal: { atMost: 300 },
    value: (all) => ofMillion(all)?.session.endMegabytes ?? null,
  },
  { what: 'memory of the core at its most', unit: 'MB', valueOf: ({ session }) => session.peakMegabytes },
  {
    what: 'a second of an idle window on a live file',
    unit: 'ms',
    goal: { atMost: 5 },
    value: ({ live }) => live.idleMsOfSecond,
  },
  {
    what: 'pull from PostgreSQL ÷ COPY of psql',
    unit: '×',
    goal: { atMost: 4 },
    value: ({ pull }) => pull && pull.pullMs / pull.copyMs,
  },
  {
    what: 'pull from PostgreSQL ÷ bare SQL that stores the same rows',
    unit: '×',
    value: ({ pull }) => pull && pull.pullMs / pull.storeMs,
  },
  {
    what: 'server of PostgreSQL that is sent 20,000 messages',
    unit: 'ms',
    goal: { atMost: 15_000 },
    value: ({ pull }) => pull?.sentMs ?? null,
  },
  {
    what: 'import of transcripts ÷ jq',
    unit: '×',
    value: ({ transcripts: { importMs, jqMs } }) => jqMs && importMs / jqMs,
  },
  {
    what: 'import of transcripts ÷ ccusage',
    unit: '×',
    value: ({ transcripts: { importMs, ccusageMs } }) => ccusageMs && importMs / ccusageMs,
  },
]

/** What a run found for a row. */
export type PeerResult = Pick<PeerRow, 'what' | 'unit' | 'goal'> & {
  readonly value: number | null
  /** The same of each size, where a row is about the size of a memory. */
  readonly bySize?: readonly { readonly messages: number; readonly value: number }[]
}

export const resultsOf = (measured: PeerMeasures): PeerResult[] =>
  peerRows.map((row) => {
    const { what, unit, goal } = row
    if ('value' in row) return { what, unit, goal, value: row.value(measured) }
    const bySize = measured.sizes.map((size) => ({ messages: size.messages, value: row.valueOf(size) }))
    return { what, unit, goal, value: row.valueOf(measured.asked), bySize }
  })

/** Null where there is no goal or no figure. */
export function isMet({ goal, value }: PeerResult): boolean | null {
  if (goal === undefined || value === null) return null
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

export const goalText = ({ goal, unit }: Pick<PeerRow, 'goal' | 'unit'>): string => {
  if (goal === undefined) return ''
  return 'atMost' in goal ? `≤ ${amount(goal.atMost, unit)}` : `≥ ${amount(goal.atLeast, unit)}`
}

export const valueText = ({ value, unit }: Pick<PeerResult, 'value' | 'unit'>): string =>
  value === null ? 'not measured' : amount(value, unit)

function amount(value: number, unit: PeerRow['unit']): string {
  const digits = unit === '×' || value < 10 ? 2 : 0
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${unit}`
}
