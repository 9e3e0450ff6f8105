import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GrepInput } from '#core/contract/retrieval.ts'
import type { ConnectedAgent } from '#core/host/connections/agents.ts'
import { openLcm } from '#core/lcm.ts'
import { ensureBuild } from '#scripts/ensure-build.mjs'
import { inProject, nodeBinary } from '#scripts/project.mjs'
import { type Agent, agents } from './agents.ts'
import { type Script, startModelServer } from './model-server.ts'
import { NotRun, Sandbox } from './sandbox.ts'

/*
 * Whether hooks help the agents that are connected by "lcm install": `npm run test:hosts -- [PROGRAM …]`. Each agent is
 * installed from npm, and sixty facts are told: half by a scripted person, half by a scripted model. The model compacts three
 * times, with a summary that says none of them. Then the agent is asked, once alone and once connected, and what its model was sent is counted.
 */

const FACTS = Array.from({ length: 60 }, (_, n) => ({
  service: `svc-${n}-${'finch lark wren heron'.split(' ')[n % 4]}`,
  port: 20_011 + n * 37,
}))
const ROUNDS = 3
const PER_ROUND = FACTS.length / ROUNDS
const SUMMARY = '<summary>The person named services and their ports.</summary>'
const QUESTION = 'Which port does each service have?'

/** What one side says in a round. */
const told = (round: number, side: 0 | 1): string =>
  FACTS.slice(round * PER_ROUND, (round + 1) * PER_ROUND)
    .filter((_, n) => n % 2 === side)
    .map(({ service, port }) => `We decided that ${service} listens on port ${port}.`)
    .join('\n')

/** Both agents ask for a summary in words of their own. */
const script: Script = ({ messages }) => {
  const last = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  if (/detailed summary|checkpoint compaction/i.test(last)) return { text: SUMMARY, call: null }
  const round = /Decide part (\d)/.exec(last)?.[1]
  return { text: round === undefined ? 'Noted.' : told(Number(round), 1), call: null }
}

type Host = {
  readonly format: ConnectedAgent
  /** Makes a session compact after each round. */
  readonly prepare: (box: Sandbox) => void
  readonly compact: (agent: Agent, turn: number, place: ReturnType<Sandbox['place']>) => ReturnType<Agent['ask']> | null
  /** What lets hooks run that nobody has looked at. */
  readonly trust: readonly string[]
}

const hosts: readonly Host[] = [
  {
    format: 'claude-code',
    prepare: () => undefined,
    compact: (agent, turn, place) => agent.ask('/compact', turn, place),
    trust: [],
  },
  {
    format: 'codex',
    // Each request costs 1,200 tokens and 10 for each message: every session that goes on is above this.
    prepare: ({ home }) => {
      const settings = join(home, '.codex/config.toml')
      writeFileSync(settings, `model_auto_compact_token_limit = 1220\n${readFileSync(settings, 'utf8')}`)
    },
    compact: () => null,
    trust: ['--dangerously-bypass-hook-trust'],
  },
]

type Result = {
  readonly sent: number
  readonly compactions: number
  readonly found: number | null
  readonly wrong: readonly string[]
}

async function tryHost(
  host: Host,
  isConnected: boolean,
  folder: string,
): Promise<Result & { readonly version: string }> {
  const agent = agents.find(({ format }) => format === host.format)
  if (agent === undefined) throw new Error(`${host.format} is no agent that is tried.`)
  const server = await startModelServer(script)
  const box = new Sandbox(join(folder, `${agent.program}-${isConnected ? 'connected' : 'alone'}`), {
    ...agent,
    secondsAtMost: 600,
  })
  const memory = join(box.home, 'lcm.db')
  const lcm = (args: readonly string[]) =>
    spawnSync(nodeBinary, [inProject('out/main/cli.js'), ...args], {
      env: { PATH: process.env.PATH, HOME: box.home, LCM_DATA_DIR: join(box.home, 'lcm-data') },
      encoding: 'utf8',
    })
  try {
    const version = await box.install('latest')
    const place = box.place(server.url)
    for (const command of agent.prepare(place)) await box.run(command)
    host.prepare(box)
    const run = async (command: ReturnType<Agent['ask']>): Promise<void> =>
      box.run({
        args: [...command.args, ...(isConnected ? host.trust : [])],
        env: { ...command.env, LCM_DATA_DIR: join(box.home, 'lcm-data') },
      })
    let turn = 0
    const ask = async (prompt: string): Promise<void> => run(agent.ask(prompt, turn++, place))
    if (isConnected) {
      // An agent has its settings once it was started.
      if (host.format === 'claude-code') await ask('Hello.')
      const { status, stderr } = lcm(['install', host.format, '--db', memory, '--yes'])
      if (status !== 0) throw new NotRun(`lcm install: ${stderr.trim()}`)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      await ask(`${told(round, 0)}\nDecide part ${round}.`)
      const command = host.compact(agent, turn, place)
      if (command !== null) await run(command)
    }
    await ask(QUESTION)
    const asked = server.asked.findLast(({ messages }) => messages.some(({ text }) => text.includes(QUESTION)))
    const all = JSON.stringify(asked?.messages ?? []) + (asked?.system ?? '')
    const sent = FACTS.filter(({ port }) => all.includes(String(port))).length
    const compactions = server.asked.filter(({ answer }) => answer.text === SUMMARY).length
    if (!isConnected) return { version, sent, compactions, found: null, wrong: [] }
    return { version, sent, compactions, ...(await inMemory(memory, lcm)) }
  } finally {
    box.endAll()
    await server.close()
  }
}

/** How many facts one search each finds, and what the memory lacks or has twice. */
async function inMemory(
  path: string,
  lcm: (args: readonly string[]) => ReturnType<typeof spawnSync>,
): Promise<Pick<Result, 'found' | 'wrong'>> {
  // The last hook leaves its import to a process that ends after the agent.
  await new Promise((done) => setTimeout(done, 5_000))
  const doctor = lcm(['doctor', '--json'])
  const states: { problems: string[] }[] = JSON.parse(String(doctor.stdout)).agents
  const memory = await openLcm(path, { readOnly: true })
  try {
    let found = 0
    for (const { service, port } of FACTS) {
      const asked = GrepInput.parse({ query: service, scope: 'messages', limit: 1, full: true })
      const { hits } = await memory.retrieval.search(asked, AbortSignal.timeout(60_000))
      if (hits[0] && memory.transcript.message(hits[0].id).content.includes(String(port))) found += 1
    }
    const twice = memory.read.all<{ content: string }>(
      "SELECT content FROM messages WHERE content LIKE 'We decided that svc-%' GROUP BY content HAVING count(*) > 1",
    )
    const recalled = memory.read.all("SELECT 1 FROM messages WHERE content LIKE '%<recalled-memory%'")
    return {
      found,
      wrong: [
        ...states.flatMap(({ problems }) => problems),
        ...twice.map(({ content }) => `twice: ${content.slice(0, 60)}`),
        ...(recalled.length > 0 ? [`${recalled.length} recalled texts were stored again`] : []),
      ],
    }
  } finally {
    memory.close()
  }
}

await ensureBuild()
const folder = mkdtempSync(join(tmpdir(), 'lcm-hosts-'))
const wanted = process.argv.slice(2)
const rows: string[][] = [
  ['agent', 'version', 'compactions', 'sent alone', 'sent connected', 'found by a search', 'wrong'],
]
try {
  for (const host of hosts) {
    const { program } = agents.find(({ format }) => format === host.format) as Agent
    if (wanted.length > 0 && !wanted.includes(program)) continue
    process.stderr.write(`${program} …\n`)
    try {
      const alone = await tryHost(host, false, folder)
      const connected = await tryHost(host, true, folder)
      const of = (count: number | null): string => `${count} of ${FACTS.length}`
      const wrong = connected.wrong.length === 0 ? 'nothing' : connected.wrong.join('; ')
      rows.push([
        host.format,
        connected.version,
        `${alone.compactions}, ${connected.compactions}`,
        of(alone.sent),
        of(connected.sent),
        of(connected.found),
        wrong,
      ])
      if (connected.wrong.length > 0 || connected.found !== FACTS.length || connected.sent <= alone.sent)
        process.exitCode = 1
    } catch (error) {
      if (!(error instanceof NotRun)) throw error
      rows.push([host.format, '–', '–', '–', '–', '–', `cannot be run: ${error.message}`])
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
