import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ConnectedAgent } from '#core/host/connections/agents.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { openLcm } from '#core/lcm.ts'
import { ensureBuild } from '#scripts/ensure-build.mjs'
import { inProject, nodeBinary } from '#scripts/project.mjs'
import { type Agent, agents } from '#test/real-agents/agents.ts'
import { type Script, startModelServer } from '#test/real-agents/model-server.ts'
import { NotRun, Sandbox } from '#test/real-agents/sandbox.ts'
import { factsIn } from '../checked.ts'
import { FACTS, ROUNDS, told } from '../facts.ts'

/*
 * Whether hooks help the agents that are connected by "lcm install": `npm run test:hosts -- [PROGRAM …]`. Each agent is
 * installed from npm, and sixty facts are told: half by a scripted person, half by a scripted model. The model compacts three
 * times, with a summary that says none of them. Then the agent is asked, once alone and once connected, and what its model was sent is counted.
 */

const SUMMARY = '<summary>The person named services and their ports.</summary>'
const QUESTION = 'Which port does each service have?'

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
  wanted: string,
  isConnected: boolean,
  folder: string,
): Promise<Result & { readonly version: string }> {
  const agent = agentOf(host.format)
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
    const version = await box.install(wanted)
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
  const hooks = new HookFolder(join(dirname(path), 'lcm-data'), path)
  for (let look = 0; look < 120 && (hooks.isBeingEmptied || hooks.isWaiting); look += 1) await setTimeout(250)
  const doctor = lcm(['doctor', '--json'])
  const states: { problems: string[] }[] = JSON.parse(String(doctor.stdout)).agents
  const memory = await openLcm(path, { readOnly: true })
  try {
    const twice = memory.read.all<{ content: string }>(
      "SELECT content FROM messages WHERE content LIKE 'We decided that svc-%' GROUP BY content HAVING count(*) > 1",
    )
    const recalled = memory.read.all("SELECT 1 FROM messages WHERE content LIKE '%<recalled-memory%'")
    return {
      found: await factsIn(path),
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

/** The programs of the agents that can be tried. */
export const hookedPrograms: readonly string[] = hosts.map(({ format }) => agentOf(format).program)

function agentOf(format: ConnectedAgent): Agent {
  const agent = agents.find((one) => one.format === format)
  if (agent === undefined) throw new Error(`${format} is no agent that is tried.`)
  return agent
}

/** Tries one agent and prints what was found. Returns whether all is as it should be. */
export async function tryHooks(program: string, wanted = 'latest'): Promise<boolean> {
  await ensureBuild()
  const host = hosts.find(({ format }) => agentOf(format).program === program)
  if (host === undefined) throw new Error(`${program} has no hooks.`)
  const folder = mkdtempSync(join(tmpdir(), 'lcm-hosts-'))
  try {
    const alone = await tryHost(host, wanted, false, folder)
    const connected = await tryHost(host, wanted, true, folder)
    const of = (count: number | null): string => `${count} of ${FACTS.length}`
    console.log(
      `${program} ${connected.version}: after ${connected.compactions} compactions the model was sent ${of(connected.sent)} facts` +
        ` (${of(alone.sent)} alone after ${alone.compactions}); a search finds ${of(connected.found)}`,
    )
    for (const wrong of connected.wrong) console.log(`FAILED ${program}: ${wrong}`)
    return connected.wrong.length === 0 && connected.found === FACTS.length && connected.sent > alone.sent
  } catch (error) {
    if (!(error instanceof NotRun)) throw error
    console.log(`${program} cannot be run: ${error.message}`)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
