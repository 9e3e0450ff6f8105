import { parseArgs } from 'node:util'
import installBuild from '../builders/built-program.ts'
import { agentDatabase } from './agent-database.ts'
import { benchOptions } from './bench-options.ts'
import { clawMemory } from './claw-memory.ts'
import { measureCompactionEngine } from './compaction-bench.ts'
import { largeMemory } from './large-memory.ts'
import { manyConversations } from './many-conversations.ts'
import type { AgentStoreMeasure } from './measure-agent-store.ts'
import { type BesideWriterMeasure, measureBesideWriter } from './measure-beside-writer.ts'
import { measureCompaction } from './measure-compaction.ts'
import { measureCopy } from './measure-copy.ts'
import { measureFirstImport, measureFirstImportOf } from './measure-first-import.ts'
import { measureImport } from './measure-import.ts'
import { measureIngest } from './measure-ingest.ts'
import type { IntegrityMeasure } from './measure-integrity.ts'
import type { OpeningMeasure } from './measure-opening.ts'
import type { ReadingMeasure } from './measure-reading.ts'
import type { SearchMeasure } from './measure-search.ts'
import type { SessionMeasure } from './measure-session.ts'
import type { SizeMeasure } from './measure-size.ts'
import { measureTextChecks } from './measure-text-checks.ts'
import { inOwnProcess } from './own-process.ts'
import { commandMegabytes } from './peers/measure-command.ts'
import { duration, figure, fixed, printTable, type Row, timing } from './rows.ts'
import { measureWindows, windowRows } from './window-bench.ts'

const { values } = parseArgs({ options: benchOptions })

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Of the file with many conversations, and of the one with a single long one. */
const MESSAGES_OF_EACH = 5
const LONG_MESSAGES = 2_500_000

/** The databases of agents and the file of lossless-claw that they are compared with. */
const STORE_MB = 200
const agents = ['opencode', 'openclaw'] as const

const messages = Number(values.messages)
// The window and the core thread are those that people install.
await installBuild()
const memory = await largeMemory(messages, say)
say('importing')
const imported = await measureImport(Math.min(messages, 40_000))
say('importing many files, and again')
const firstImported = await measureFirstImport(Math.min(messages, 10_000), 20)
const shortImported = await measureFirstImport(Math.min(messages, 10_000), 500)
const ownImported = values.transcripts ? await measureFirstImportOf(values.transcripts) : null
say('storing one by one')
const ingested = measureIngest(Math.min(messages, 4000))
say('copying')
const copied = await measureCopy(messages >= 200_000 ? 600 : 100)
say('compacting')
const compacted = await measureCompaction(Math.min(messages, 5000))
const engine = await measureCompactionEngine({
  planned: messages,
  compacted: Math.min(messages, 10_000),
  delayMs: Number(values.delay),
})
const apart = <T>(program: string, path = memory.path, ...more: readonly number[]): T =>
  inOwnProcess<T>(program, path, ...more)
say('reading')
const read = apart<ReadingMeasure>('measure-reading.ts')
say('checking')
const checked = apart<IntegrityMeasure>('measure-integrity.ts')
say('searching')
const searched = apart<SearchMeasure>('measure-search.ts')
/** Making the larger files takes a quarter of an hour and four gigabytes, once. */
const isLarge = Boolean(process.env.LCM_BENCH_LARGE)
const larger = isLarge ? await largeMemory(1_000_000, say) : null
const searchedLarger = larger && apart<SearchMeasure>('measure-search.ts', larger.path)
const sessionLarger = larger && apart<SessionMeasure>('measure-session.ts', larger.path)
say('many conversations')
const sized = (conversations: number, each: number): SizeMeasure =>
  apart<SizeMeasure>('measure-size.ts', manyConversations(conversations, each), conversations, each)
const conversations = Math.floor(messages / 2)
const many = sized(conversations, MESSAGES_OF_EACH)
const long = messages >= 200_000 ? sized(1, LONG_MESSAGES) : null
say('beside a writer')
const besideWriter = await measureBesideWriter(100)
say('databases of agents')
const claw = apart<OpeningMeasure>('measure-opening.ts', clawMemory(STORE_MB))
const stores = agents.map((agent) => {
  const store = apart<AgentStoreMeasure>('measure-agent-store.ts', agentDatabase(agent, STORE_MB))
  return { agent, ...store, timesClaw: store.usableCpuMs / claw.usableCpuMs }
})
say('texts of both kinds of files')
const textChecks = await measureTextChecks(100)
say('a session')
const session = apart<SessionMeasure>('measure-session.ts')
say('the window')
const windows = await measureWindows(messages, say)

const rows: Row[] = [
  figure('import, MB of text a second', fixed(imported.textMegabytesPerSecond, 2), '≥ 6'),
  figure('import, longest step', `${fixed(imported.longestStepMs)} ms`, '≤ 250 ms'),
  figure('same transcript again', `${fixed(imported.secondImportSeconds, 1)} s of ${fixed(imported.seconds, 1)} s`),
  figure('first import ÷ parsing and bare SQL of the same rows', `${fixed(firstImported.shareOfBare, 2)} ×`, '≥ 0.8 ×'),
  figure('first import ÷ bare SQL of the same rows', `${fixed(firstImported.shareOfBareRows, 2)} ×`),
  figure('first import of short files ÷ parsing and bare SQL', `${fixed(shortImported.shareOfBare, 2)} ×`),
  figure('same files again, of the first import', `${fixed(firstImported.secondShare * 100, 1)} %`, '≤ 5 %'),
  figure(
    'same short files again, each time in a new process',
    `${fixed(shortImported.secondShareOfProcess * 100, 1)} %`,
    '≤ 5 %',
  ),
  ...(ownImported
    ? [
        figure(
          `first import of ${values.transcripts} ÷ parsing and bare SQL`,
          `${fixed(ownImported.shareOfBare, 2)} ×`,
          '≥ 0.8 ×',
        ),
        figure('the same again, in a new process', `${fixed(ownImported.secondShareOfProcess * 100, 1)} %`, '≤ 5 %'),
      ]
    : []),
  figure('native file ÷ its text, imported', `${fixed(imported.timesText, 2)} ×`, '≤ 3.5 ×'),
  figure('short message stored ÷ bare SQL, messages a second', `${fixed(ingested.shortShare, 2)} ×`, '≥ 0.7 ×'),
  figure('message with tool calls ÷ bare SQL', `${fixed(ingested.toolShare, 2)} ×`, '≥ 0.7 ×'),
  figure('message with tool calls ÷ bare SQL with triggers', `${fixed(ingested.toolShareOfTriggers, 2)} ×`, '≥ 0.7 ×'),
  figure('turn of six messages stored at once ÷ bare SQL', `${fixed(ingested.turnShare, 2)} ×`, '≥ 0.8 ×'),
  figure('messages stored 1,000 at once ÷ bare SQL', `${fixed(ingested.bulkShare, 2)} ×`, '≥ 0.95 ×'),
  duration(`working copy of ${fixed(copied.originalMegabytes)} MB`, copied.copy, messages >= 200_000 ? '< 60 s' : ''),
  figure('native file ÷ its text, working copy', `${fixed(copied.timesText, 2)} ×`, '≤ 3.5 ×'),
  duration('first answer after opening', session.firstAnswer, '< 250 ms'),
  duration('core started, file open, strata answered', session.open, '< 1000 ms'),
  duration('core started, file open, transcript answered', session.openTranscript, '< 1000 ms'),
  ...windowRows(windows),
  timing('conversations.list', read.conversationsList, '< 100 ms'),
  timing('a page of conversations', read.listPage),
  timing('the same by SQLite alone', read.listAlone),
  figure(
    'a page of conversations, times SQLite alone',
    fixed(read.listPage.cpuP50 / read.listAlone.cpuP50, 2),
    '≤ 1.5',
  ),
  duration('strata.get, first', read.strataGetCold, '< 200 ms'),
  timing('strata.get, again', read.strataGet),
  timing('strata.messages, 1200 buckets', read.strataMessages, '≤ 16 ms'),
  timing('transcript.page, 60 messages', read.transcriptPage, '< 50 ms'),
  duration('context.assemble, first', read.assemble),
  timing('context.assemble, 128,000 tokens', read.assembleAgain, 'p50 ≤ 10, p95 ≤ 30 ms'),
  timing('describe', read.describe, 'p95 ≤ 5 ms'),
  ...searchRows(searched, ''),
  ...(searchedLarger ? searchRows(searchedLarger, ' of a million messages') : []),
  figure('memory of the core, at most in a session', `${fixed(session.peakMegabytes)} MB`, '< 300 MB'),
  figure('memory of the core, after it', `${fixed(session.endMegabytes)} MB`, '< 300 MB'),
  ...(sessionLarger
    ? [figure('memory of the core, a million messages', `${fixed(sessionLarger.peakMegabytes)} MB`, '< 300 MB')]
    : []),
  ...sizeRows(many, `${conversations.toLocaleString('en')} conversations`),
  figure('directory of so many conversations', `${fixed(many.keptMegabytes, 1)} MB`, '≤ 60 MB'),
  ...(long ? sizeRows(long, 'one of 2,500,000 messages') : []),
  ...besideWriterRows(besideWriter),
  ...checked.phases.map(({ phase, durationMs }) =>
    figure(
      `integrity, ${phase}`,
      `${fixed(durationMs)} ms`,
      phase === 'structure' ? `< ${messages > 200_000 ? 6000 : 500} ms` : '',
    ),
  ),
  figure('integrity, longest step before SQLite’s own check', `${fixed(checked.longestMs)} ms`, '≤ 50 ms'),
  figure('integrity, all checks, times SQLite’s own', fixed(checked.timesAlone, 2), '≤ 1.9'),
  figure('integrity, memory', `${fixed(commandMegabytes('integrity', '--db', memory.path))} MB`, '< 300 MB'),
  figure(
    'integrity, text checks, file of lossless-claw ÷ its copy',
    `${fixed(textChecks.timesNative, 2)} ×`,
    '≤ 1.5 ×',
  ),
  ...stores.map(({ agent, timesClaw }) =>
    figure(`preview of ${agent}'s database ÷ opening as much of lossless-claw`, `${fixed(timesClaw, 2)} ×`),
  ),
  figure('compaction, messages a second', fixed(compacted.messagesPerSecond)),
  figure('compaction, longest step', `${fixed(compacted.longestStepMs)} ms`, '≤ 50 ms'),
  figure('compaction, reduction', `${fixed(compacted.reduction * 100, 1)} %`, '≥ 30 %'),
  duration('first plan of all messages, never compacted', engine.firstPlan, '< 300 ms'),
  timing('plan of all messages, never compacted', engine.planMs, '< 300 ms'),
  timing('assemble of all messages, never compacted', engine.assembleMs),
  timing('what-if, 10,000 items', engine.whatIfMs, '< 50 ms'),
  timing('what-if, the window read first', engine.whatIfColdMs, '< 50 ms'),
  figure('compaction apart from its summariser, messages a second', fixed(engine.messagesPerSecond), '≥ 20000'),
  figure('four slow calls at once, gain, leaves', fixed(engine.speedUp, 2), '≥ 3.6'),
  figure('four slow calls at once, gain, whole run', fixed(engine.speedUpOfAll, 2), '≥ 3.6'),
]

function sizeRows(size: SizeMeasure, of: string): Row[] {
  return [
    duration(`${of}: open`, size.open),
    duration(`${of}: first list`, size.firstList, '< 100 ms'),
    duration(`${of}: sizes of all`, size.sizes),
    timing(`${of}: list again`, size.listAgain, '< 100 ms'),
    duration(`${of}: first page of a transcript`, size.firstPage, '< 100 ms'),
    timing(`${of}: pages of transcripts`, size.pages, '< 50 ms'),
    duration(`${of}: history`, size.history),
    duration(`${of}: strata, first`, size.firstStrata),
    timing(`${of}: strata again`, size.strata),
    figure(`${of}: memory of the process`, `${fixed(size.residentMegabytes)} MB`, '< 300 MB'),
  ]
}

function besideWriterRows({ list, newestPage, strata, writer, writerAlone }: BesideWriterMeasure): Row[] {
  const pace = ({ perSecond, p95, max, refusals }: typeof writer): string =>
    `${fixed(perSecond)} a second, p95 ${fixed(p95, 1)}, max ${fixed(max, 1)} ms, refused ${refusals} times`
  return [
    timing('beside 200 messages a second: list', list, 'p95 < 100 ms'),
    timing('beside 200 messages a second: newest page', newestPage, 'p95 < 50 ms'),
    timing('beside 200 messages a second: strata', strata, 'p95 < 200 ms'),
    figure('the agent that writes them', pace(writer), 'never refused'),
    figure('the same agent alone', pace(writerAlone)),
  ]
}

function searchRows(measure: SearchMeasure, of: string): Row[] {
  const goals: Readonly<Record<string, string>> = {
    'all of these': 'p50 ≤ 10, p95 ≤ 40 ms',
    'all of these, by relevance': 'p95 ≤ 155 ms',
    questions: 'p95 ≤ 200 ms',
    characters: 'p95 ≤ 50 ms',
    'regular expressions with a literal': 'p50 ≤ 40, p95 ≤ 150 ms',
  }
  const { textMegabytes, indexMegabytes, alone, besideAlone } = measure
  const times = (kind: keyof typeof alone): string => fixed(besideAlone[kind].p50 / alone[kind].p50, 2)
  return [
    figure(`search${of}, the first one`, `${fixed(measure.coldMs)} ms`),
    ...Object.entries(measure.kinds).map(([kind, value]) => timing(`search${of}, ${kind}`, value, goals[kind])),
    timing(`search${of}, patterns without a literal, whole`, measure.scans, 'p95 ≤ 650 ms'),
    timing(`search${of}, the same by SQLite and JavaScript alone`, alone.scans),
    figure(`search${of}, patterns, times SQLite alone`, times('scans')),
    timing(`search${of}, rare words by SQLite alone`, alone.rareWords),
    figure(`search${of}, rare words in messages, times SQLite alone`, times('rareWords'), '≤ 3'),
    timing(`search${of}, patterns without a literal, first hits`, measure.firstHits, 'p50 ≤ 50 ms'),
    timing(`expand${of}, a whole subtree`, measure.expand, 'p95 ≤ 30 ms'),
    figure(`index and text${of}, times the text`, fixed(1 + indexMegabytes / textMegabytes, 2), '≤ 3'),
    figure(`memory${of} after the searches`, `${fixed(measure.residentMegabytes)} MB`, '≤ 300 MB'),
  ]
}

if (!values.json) printTable(`${messages.toLocaleString('en')} messages`, rows)
const figures = {
  ...{ messages, node: process.version, imported, ingested, copied, read, searched, searchedLarger, checked },
  ...{ session, sessionLarger, many, long, besideWriter, stores, textChecks, ...windows, compacted, engine },
}
if (values.json) console.log(JSON.stringify(figures, null, 2))
