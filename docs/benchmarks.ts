import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalText, isMet, type PeerResult, valueText } from '#test/perf/peers/peer-rows.ts'

/** What `npm run bench -- peers --json` prints. */
export type BenchmarkRun = {
  readonly messages: number
  readonly node: string
  readonly results: readonly PeerResult[]
}

/** Why a goal is missed, and what could be tried next, by row. What is met again is no longer shown. */
export const CAUSES: Readonly<Record<string, string>> = {
  'rare word ÷ bare FTS5':
    'a search also counts all hits, and says of each which summaries stand for it and whether the model sees it; finding the summaries above the hits is a quarter of its time. Next: keep the way up from a message beside its row.',
  'common word ÷ bare FTS5':
    'SQLite alone stops at the fiftieth row, and the search counts all of them, which takes longer than the list. Next: count after the hits were answered, as the window does.',
  'pattern without a literal ÷ every text and JavaScript':
    'RE2 takes linear time for any pattern, and the engine of JavaScript does not promise that.',
  'integrity ÷ SQLite’s integrity_check':
    'more than half of it is SQLite’s own check. A third is reading each text, hashing it and asking the rules about it. Next: fewer passes over the characters of a text.',
  'integrity of 1,000,000 messages, memory':
    'of each message 41 bytes of columns, 32 of its hash and 9 of what is compared are kept to the end, beside 46,000 summaries and 80 MB that any process needs which opens a memory. Next: compare the hash of a summary while its messages are read, which needs them in the order of their summaries.',
  'rate of turns stored ÷ bare SQL':
    'bare SQL is given rows that are finished; this program estimates their tokens, hashes them and looks whether they are stored already. Looked at: a new version of the schema that needs fewer statements. It would end the undo of older backups for half a millisecond a turn.',
  'start of a process to the first hit ÷ bare driver':
    'nearly half is loading two megabytes of code, of which a tenth is run. Tried: fewer bytes (nothing), loading the modules of Node later (4 ms), the tables of the newest version written down (5 ms), checks when they are asked for (8 ms, kept). Next: the same for compaction, and for systems that the file is not of.',
  'trace of one message':
    'it tries up to seven searches that may lead back to what was lost, and SQLite ranks every hit of each. Next: try them when somebody looks at the way back.',
  'trace of one of 1,000,000 messages': 'as in 200,000 messages.',
  'trace of one message ÷ in 20,000 messages': 'the searches for a way back rank every hit.',
  'trace of a message of 10 MB':
    'its 11,318 details are compared at four nodes. Next: compare at the other nodes only what the one before still had.',
  survival:
    'a message has 28 details on average. Reading them out of the text takes three tenths of the time and comparing them with the window half of it. Next: rule out beforehand what the comparison of turned sentences cannot find, a fifth of the time.',
  'loss under a summary of 5,000 leaves': 'as for survival.',
  'loss under a summary of 5,000 leaves, memory':
    'four gigabytes are allocated one after another for a heap of 52 MB, and Node collects late. Tried: smaller batches and fewer allocations (nothing).',
  'stats of 100,000 conversations, memory':
    'the answer has a row for each conversation and is there twice while it is checked against its schema; a process that only opens a memory needs 80 MB. Next: rows that are sent as they are read, which changes the contract.',
  'side index ÷ bare FTS5':
    'the index is committed in steps, so that nobody waits long. Tried: steps four times as large (5 % less).',
  'working copy, memory': 'the cause is not known. With 20,000 messages it was 247 MB.',
  'integrity of 10,000 large files':
    'a gigabyte is hashed. It had to come from the disk in this run; where it is in memory the same takes about half.',
  'memory of the core after all reads':
    'the thread of the window and the thread of the check have the columns of the memory, and a page cache, each for itself. Next: share the columns.',
  'memory of the core after all reads, 1,000,000 messages': 'as with 200,000 messages.',
  'a second of an idle window on a live file':
    'a look at what goes wrong, which takes a second in 200,000 messages and comes at most every 30 s while an agent writes, fell into the ten seconds that were measured. The measurement waits for it now: 7 ms.',
  'server of PostgreSQL that is sent 20,000 messages':
    'a new database has never counted its rows, and looked each part up among all messages. It is told to count them now: 5,650 ms.',
  'pull from PostgreSQL ÷ COPY of psql':
    '`psql` only passes rows on, in about 30 ms. A pull stores them with their indexes of words and trigrams, a third of its time; it hashes each row, so that a later change of the file is noticed, and reads all again to compare them, another third. Next: a fairer baseline, bare SQL that stores the same rows.',
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

This program beside what it stands on (SQLite on the same file, with the same driver) and beside other programs on the same data, in one run with ${messages.toLocaleString('en')} messages on Node ${node.replace(/^v/, '')}. Times are processor time. What is compared is asked in turn, and the middle of the answers is taken; of the pull it is the least, and the integrity check, the import and what stands beside them ran once. Memory is the most that a process of its own had.

| | measured | goal | |
|---|---|---|---|
${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

${count(true)} goals are met and ${count(false)} are missed. What is not measured needs a memory of a million messages (\`LCM_BENCH_LARGE=1\`) or a program that is not installed.

${missed.length === 0 ? '' : `## What is missed, why, and what to try next\n\n${missed.map(causeText).join('\n')}\n\n`}${growth(results)}## What is compared

- *Words.* SQLite alone lists the newest 50 rows with its own marks. A search also counts all hits exactly, and says of each hit which summaries stand for it and whether the model still sees it. In 200,000 messages, counting the hits of a common word takes longer than that list, and finding the summaries above the hits of a rare word is a quarter of its time.
- *Rare words* are numbers of four or five digits that stand in messages, taken from all over the file.
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
