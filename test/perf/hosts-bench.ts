import { parseArgs } from 'node:util'
import installBuild from '../builders/built-program.ts'
import { benchOptions } from './bench-options.ts'
import { measureBesideCompaction } from './measure-beside-compaction.ts'
import { measureHooks } from './measure-hooks.ts'
import { duration, figure, fixed, printTable, type Row, timing } from './rows.ts'

/*
 * `npm run bench -- hosts`: what agents wait for, and whether anything is lost when they are disturbed. It takes some
 * minutes.
 */

const { values } = parseArgs({ options: benchOptions, allowPositionals: true })
const MESSAGES_OF_TURN = 4
/** Of a long session, unless `--messages` asks for fewer. */
const MOST_MESSAGES = 50_000

const messages = Math.min(MOST_MESSAGES, Number(values.messages))
const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

await installBuild()
say('hooks')
const hooks = await measureHooks(Math.floor(messages / MESSAGES_OF_TURN))
say('beside a compaction')
const beside = await measureBesideCompaction(Math.min(20_000, messages))

const { hook, bare, importing, faults } = hooks
const perWrite = ({ p50, p99, max, writes }: typeof beside.alone): string =>
  `p50 ${fixed(p50, 1)}, p99 ${fixed(p99, 1)}, max ${fixed(max, 1)} ms of ${writes}`
const lost = (what: string, count: number): Row => figure(`lost or doubled: ${what}`, String(count), '0')
const rows: Row[] = [
  timing(`a hook, in a session of ${messages.toLocaleString('en')} messages`, hook, 'p50 ≤ 60, p95 ≤ 120 ms'),
  timing('Node alone, in turn with it', bare),
  figure('a hook, times Node alone', fixed(hook.p50 / bare.p50, 2), '≤ 2'),
  duration('the import of one more turn behind it', importing),
  lost('kill -9 at 100 moments', faults.killed),
  lost('50 sessions at once', faults.atOnce),
  lost('two agents on one project', faults.twoAgents),
  lost('hooks out for a while', faults.disabled),
  lost('a person goes back', faults.rewound),
  figure('a message stored, nobody else at work', perWrite(beside.alone)),
  figure('a message stored, window open and compaction under way', perWrite(beside.beside), 'p99 ≤ 20 ms'),
]
if (values.json) console.log(JSON.stringify({ messages, hooks, beside }, null, 2))
else printTable('Inside the agents', rows)
