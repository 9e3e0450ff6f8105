import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalText, isMet, type PeerResult, valueText } from '#test/perf/peers/peer-rows.ts'

/** What `npm run bench -- peers --json` prints. */
export type BenchmarkRun = {
  readonly messages: number
  readonly node: string
  readonly results: readonly PeerResult[]
}

const SLOWER = 'the machine was slower than in the run before'

/** Why a goal is missed, and what could be tried next, by row. What is met again is no longer shown. */
export const CAUSES: Readonly<Record<string, string>> = {
  'rare word ÷ bare FTS5':
    'a search also counts all hits, and says of each which summaries stand for it and whether the model sees it; finding the summaries above the hits is three tenths of its time. Next: keep the way up from a message beside its row.',
  'common word ÷ bare FTS5':
    'SQLite alone stops at the fiftieth row, and the search counts all of them, two fifths of its time. Next: answer the hits before they are counted, which programs would get in two parts.',
  'pattern without a literal ÷ every text and JavaScript':
    'RE2 takes linear time for any pattern, and the engine of JavaScript does not promise that.',
  'integrity ÷ SQLite’s integrity_check':
    'more than half of it is SQLite’s own check. A third is reading each text, hashing it and asking the rules about it. Next: fewer passes over the characters of a text.',
  'integrity of 1,000,000 messages, memory':
    '98 MB of columns and hashes and 36 MB of objects, most of them for 46,000 summaries, are held to the end, beside the 120 MB of any command that reads a memory in a thread of its own. Next: read the hashes of the messages of a summary again when it is compared, which would save 32 bytes a message.',
  'rate of turns stored ÷ bare SQL':
    'bare SQL is given rows that are finished; this program estimates their tokens, hashes them and looks whether they are stored already. Looked at: a new version of the schema that needs fewer statements. It would end the undo of older backups for half a millisecond a turn.',
  'start of a process to the first hit ÷ bare driver':
    'nearly half is loading two megabytes of code, of which a tenth is run. Tried: fewer bytes (nothing), loading the modules of Node later (4 ms), the tables of the newest version written down (5 ms), checks when they are asked for (8 ms, kept). Next: the same for compaction, and for systems that the file is not of.',
  'trace of one message ÷ in 20,000 messages':
    'up to seven searches are tried that may lead back, and SQLite looks up each word among all messages. Half of what it does there is ranking: `bm25()` goes through all rows with a name or a path once more to count them. Tried: ranking a range of rows (nothing). Next: pass over names that tens of thousands of messages have, which would lose one way back in ten.',
  'trace of one of 1,000,000 messages': 'as with 200,000 messages: it takes 3.8 times as long in five times as many.',
  'trace of a message of 10 MB':
    'its 11,318 details are compared at four nodes, which is a fifth of it. A quarter is reading and counting the whole text for each search, because a message of this length is not in the index yet. Next: keep what a search read of it for the next one.',
  survival:
    'a message has 28 details on average. Reading them out of the text takes an eighth of the time, which alone allows 12,400 messages a second. Reading the words of their sentences takes another eighth, finding the passage that comes nearest a fifth, and all else that is compared a fifth. Tried: ruling out passages before they are read, fewer objects (0.9 ×), larger and smaller batches (nothing). Next: one pass over the words of a sentence that decides what its details are, in place of ten patterns.',
  'loss under a summary of 5,000 leaves': `as for survival; ${SLOWER}, which had 5,031 ms.`,
  'loss under a summary of 5,000 leaves, memory':
    'four gigabytes are allocated one after another, and Node collects late: 45 MB are held to the end, beside 80 MB that any process needs which opens a memory. Tried: batches of a tenth or a thirtieth of the size, and objects that are never promoted because some of them once survived (nothing); a heap that may grow by half between two collections (a fifth less memory for a tenth more time).',
  'stats of 100,000 conversations, first': `${SLOWER}, which had 1,478 ms.`,
  'stats of 100,000 conversations, memory':
    'the answer has a row for each conversation and is there twice while it is checked against its schema; a process that only opens a memory needs 80 MB. Next: rows that are sent as they are read, which changes the contract.',
  'side index ÷ bare FTS5':
    'the index is committed in steps, so that nobody waits long. Tried: steps four times as large (5 % less). The run before had 1.2 ×.',
  'integrity of 10,000 large files': `a gigabyte is read and hashed; ${SLOWER}, which had 1,774 ms.`,
  'working copy, memory':
    'it varies by 10 MB between runs. Of a file of a tenth of the size it is 210 MB. Why so much is needed at the least is not known.',
  'compaction as an agent asks for it ÷ the engine alone':
    'the run before had 1.03 ×. The two differ by less than runs do.',
  'a second of an idle window on a live file': `${SLOWER}, which had 5 ms.`,
  'gain of four calls of one second at once':
    'runs before had 3.67 × and 3.92 ×. What is missed is less than runs differ by.',
  'memory of the core after all reads':
    'a process that only serves a window needs 130 MB. The rest are the columns of the memory and of the search, the objects of its summaries, and what the system gave for long lists and does not get back.',
  'memory of the core after all reads, 1,000,000 messages':
    '190 MB are what lists of a million numbers left behind: the system gets them back only when nothing beside them is used. Tried: columns in memory of their own, which the system gets back (40 MB less, and other kinds of arrays wherever they are read). Next: one set of columns for the window and the search.',
  'pull from PostgreSQL ÷ COPY of psql':
    '`psql` only passes rows on, in about 40 ms. Storing them with their indexes takes SQLite alone 700 ms, so the goal cannot be met. The rest is hashing each row, so that a later change of the file is noticed, and reading all again to compare them.',
}

const NOTE = '<!-- Generated by docs/benchmarks.ts from a run: see below. -->'

/** Writes docs/benchmarks.md from a run. */
export function benchmarksPage({ messages, node, results }: BenchmarkRun): string {
  const rows = results.map((result) => [result.what, valueText(result), goalText(result), verdictOf(result)])
  const verdicts = results.map(isMet)
  const count = (met: boolean): number => verdicts.filter((verdict) => verdict === met).length
  const missed = results.filter((result) => isMet(result) === false)
  return `${NOTE}

# Benchmarks

This program beside what it stands on (SQLite on the same file, with the same driver) and beside other programs on the same data, in one run with ${messages.toLocaleString('en')} messages on Node ${node.replace(/^v/, '')}. Times are processor time. What is compared is asked in turn, and the middle of the answers is taken; of the pull it is the least, and the integrity check, the import and what stands beside them ran once. Memory is the most that a process of its own had, and of the core what it keeps after all reads.

| | measured | goal | |
|---|---|---|---|
${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

${count(true)} goals are met and ${count(false)} are missed. What is not measured needs a memory of a million messages (\`LCM_BENCH_LARGE=1\`) or a program that is not installed.

${missed.length === 0 ? '' : `## What is missed, why, and what to try next\n\n${missed.map(causeText).join('\n')}\n\n`}${growth(results)}## What is compared

- *Words.* SQLite alone lists the newest 50 rows with its own marks. A search also counts all hits exactly, and says of each hit which summaries stand for it and whether the model still sees it. In 200,000 messages, counting the hits of a common word takes longer than that list, and finding the summaries above the hits of a rare word is three tenths of its time.
- *Rare words* are numbers of four or five digits that stand in messages, taken from all over the file.
- *Traces* try searches that lead back to what was lost. A window shows the way to it before, which is a row of its own.
- *Memory of the core.* What it keeps is measured when the thread of the check has ended. At its most, that thread has the columns of the memory and a page cache for itself.
- *Start.* The driver alone leaves a \`-wal\` and a \`-shm\` beside the file, as an agent at work has them, so this program lets another process read the header of the file. Without them it is at its first hit 9 ms earlier.

## To repeat it

\`\`\`
npm run bench -- peers
npm run bench -- peers --messages 20000
LCM_BENCH_LARGE=1 npm run bench -- peers --peers
\`\`\`

The first takes half an hour, most of it for making the files, which are kept in the folder for temporary files. \`--peers\` installs ccusage 17.2.1 from npm, beside those files; jq, psql and a PostgreSQL server are used when they are installed. This page is made from a run:

\`\`\`
npm run --silent bench -- peers --peers --json > run.json
node docs/benchmarks.ts run.json
\`\`\`

lossless-claw is not among the rows: its engine cannot be installed from npm under the name of its package. Its files are measured: the working copy is one of a file in its layout, and so is the file for which the side index is made.

How each figure is measured stands in \`test/perf/peers/\`, and the figures of all other parts come from \`npm run bench\`.
`
}

const causeText = ({ what }: PeerResult): string => `- *${what}*: ${CAUSES[what] ?? 'the cause is not known.'}`

/** The rows that are about the size of a memory, for each size that the run measured. */
function growth(results: readonly PeerResult[]): string {
  const rows = results.filter(({ bySize = [] }) => bySize.length > 1)
  const sizes = rows[0]?.bySize?.map(({ messages }) => messages.toLocaleString('en')) ?? []
  if (sizes.length === 0) return ''
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return `## How figures grow with a memory

${line(['messages', ...sizes])}
${line(Array.from({ length: sizes.length + 1 }, () => '---'))}
${rows.map(({ what, unit, bySize = [] }) => line([what, ...bySize.map(({ value }) => valueText({ value, unit }))])).join('\n')}

`
}

function verdictOf(result: PeerResult): string {
  const verdict = isMet(result)
  return verdict === null ? '' : verdict ? 'met' : '**missed**'
}

if (import.meta.main) {
  const [run] = process.argv.slice(2)
  if (run === undefined) throw new Error('give the file with what "npm run bench -- peers --json" printed')
  const page = benchmarksPage(JSON.parse(readFileSync(run, 'utf8')) as BenchmarkRun)
  writeFileSync(join(import.meta.dirname, 'benchmarks.md'), page)
}
