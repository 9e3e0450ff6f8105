import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatOf } from '#core/ingest/transcripts/formats.ts'
import { type Agent, agents, recordFiles } from './agents.ts'
import { compareWithMemory } from './compare-memory.ts'
import { startModelServer } from './model-server.ts'
import { NotRun, Sandbox } from './sandbox.ts'
import { PROMPTS, script } from './script.ts'
import { changesOf, RECORDED_SHAPES, type RecordedShapes, shapesIn } from './shapes.ts'

/*
 * Whether the newest versions of agents write what is read: `npm run test:agents -- [PROGRAM[@VERSION] …]`. Each agent is
 * installed from npm into a temporary folder, in which its home lies, too. A scripted model has it say two things and
 * run a command, and what it wrote is imported and compared. With `--record`, what was written now is what later versions
 * are compared with.
 */

type Tried = {
  readonly agent: Agent
  readonly version: string
  /** In which points its sessions are not what they were, or not what is read. */
  readonly changes: readonly string[]
  readonly shapes: RecordedShapes[string]['shapes']
}

type Outcome = Tried | { readonly agent: Agent; readonly whyNot: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean' }, keep: { type: 'boolean' } },
})
const known = agents.map(({ program }) => program)
const wanted = new Map(
  (positionals.length > 0 ? positionals : known).map((one) => {
    const [program = '', version = 'latest'] = one.split('@')
    return [program, version] as const
  }),
)
const unknown = [...wanted.keys()].filter((program) => !known.includes(program))
if (unknown.length > 0) throw new Error(`There is no agent ${unknown.join(', ')}: it is one of ${known.join(', ')}.`)

const recorded: RecordedShapes = JSON.parse(readFileSync(RECORDED_SHAPES, 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'lcm-agents-'))
const boxes: Sandbox[] = []
const leave = (): void => {
  for (const box of boxes) box.endAll()
  if (values.keep) console.log(`What they wrote is in ${folder}.`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    leave()
    process.exit(130)
  })
}

async function tryAgent(agent: Agent, version: string): Promise<Outcome> {
  const server = await startModelServer(script)
  const box = new Sandbox(join(folder, agent.program), agent)
  boxes.push(box)
  try {
    const installed = await box.install(version)
    const place = box.place(server.url)
    for (const command of agent.prepare(place)) await box.run(command)
    const prompts = PROMPTS.slice(0, agent.oneTurn === undefined ? PROMPTS.length : 1)
    for (const [turn, prompt] of prompts.entries()) await box.run(agent.ask(prompt, turn, place))
    box.endAll()
    const shapes = shapesIn(recordFiles(agent, box.home))
    const before = recorded[agent.format]?.shapes ?? {}
    const compared = await compareWithMemory(agent, box.home, server.asked)
    return { agent, version: installed, changes: [...compared, ...changesOf(before, shapes)], shapes }
  } catch (error) {
    if (!(error instanceof NotRun)) throw error
    return { agent, whyNot: error.message }
  } finally {
    box.endAll()
    await server.close()
  }
}

function lineOf(outcome: Outcome): readonly string[] {
  const { label, tried } = formatOf(outcome.agent.format)
  const before = tried?.version ?? 'none'
  if ('whyNot' in outcome) return [label, '–', before, `cannot be run: ${outcome.whyNot}`]
  const { agent, version, changes } = outcome
  const one = [
    ...(agent.oneTurn === undefined ? [] : [` (one turn: ${agent.oneTurn})`]),
    ...(agent.noUsage === undefined ? [] : [` (no usage: ${agent.noUsage})`]),
  ].join('')
  return [label, version, before, (changes.length === 0 ? 'nothing' : changes.join('; ')) + one]
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}

const outcomes: Outcome[] = []
try {
  for (const agent of agents.filter(({ program }) => wanted.has(program))) {
    process.stderr.write(`${agent.program} …\n`)
    outcomes.push(await tryAgent(agent, wanted.get(agent.program) ?? 'latest'))
  }
} finally {
  leave()
}
print([['agent', 'version', 'tried', 'what changed'], ...outcomes.map(lineOf)])
const tried = outcomes.filter((outcome) => 'version' in outcome)
if (values.record) {
  const now = tried.map(({ agent, version, shapes }) => [agent.format, { version, shapes }] as const)
  writeFileSync(RECORDED_SHAPES, `${JSON.stringify({ ...recorded, ...Object.fromEntries(now) }, null, 1)}\n`)
}
if (tried.length === 0 || tried.some(({ changes }) => changes.length > 0)) process.exitCode = 1
