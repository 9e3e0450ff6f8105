import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import installBuild, { packageFolder } from '../builders/built-program.ts'
import { Random } from '../builders/random.ts'
import { GrowingCodexSession, GrowingSession, HookedComputer, type Session } from './hooked-session.ts'
import { type Duration, inTurn, type Timing, timed } from './statistics.ts'

/** What hooks of agents take, and what is lost or stored twice when they are disturbed. Every number of faults has to be 0. */
export type HooksMeasure = {
  /** For a session of many messages. `bare` starts Node and nothing else, in turn with the hook. */
  readonly hook: Timing
  readonly bare: Timing
  /** Of the process that imports one more turn of that session. */
  readonly importing: Duration
  readonly faults: {
    readonly killed: number
    readonly atOnce: number
    readonly twoAgents: number
    readonly disabled: number
    readonly rewound: number
  }
}

const LONG_SESSION_TURNS = 12_500
const ROUNDS = 40
const KILLS = 100
const AT_ONCE = 50

/** @param turns of the long session; a turn has four messages */
export async function measureHooks(turns = LONG_SESSION_TURNS): Promise<HooksMeasure> {
  const long = await measureLongSession(turns)
  return {
    ...long,
    faults: {
      killed: await killed(),
      atOnce: await atOnce(),
      twoAgents: await twoAgents(),
      disabled: await disabled(),
      rewound: await rewound(),
    },
  }
}

async function measureLongSession(turns: number): Promise<Pick<HooksMeasure, 'hook' | 'bare' | 'importing'>> {
  const computer = new HookedComputer()
  const session = new GrowingSession(computer.folder, 1)
  session.turn(turns)
  await computer.start('claude-code', session).ended
  await computer.settled()
  const hookPath = join(packageFolder, 'bin/lcm-hook.cjs')
  const input = JSON.stringify({ session_id: session.id, transcript_path: session.path, hook_event_name: 'Stop' })
  const run = (args: readonly string[]) =>
    spawnSync(process.execPath, args, { env: computer.env, input, stdio: ['pipe', 'ignore', 'ignore'] })
  // The importer works beside most of them, as it does beside an agent.
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
  const hooked = (): unknown => {
    session.turn()
    return run([hookPath, 'claude-code', '--db', computer.db])
  }
  const [hook, bare] = await inTurn(rounds, hooked, () => run(['-e', '0']))
  await computer.settled()
  session.turn()
  computer.hooks.take(
    'claude-code',
    { name: 'Stop', sessionId: session.id, transcriptPath: session.path, source: null, summary: null },
    Date.now(),
  )
  const importing = await timed(() =>
    run([join(packageFolder, 'out/main/cli.js'), 'hook', 'claude-code', '--queued', '--db', computer.db]),
  )
  if ((await computer.faults([session])) > 0) throw new Error('a long session is not stored as it was said')
  return { hook, bare, importing }
}

/** Kills the hook, or the process that imports, at a hundred moments. */
async function killed(): Promise<number> {
  const computer = new HookedComputer()
  const session = new GrowingSession(computer.folder, 1)
  const random = new Random(7)
  for (let kill = 0; kill < KILLS; kill += 1) {
    session.turn()
    const { child, ended } = computer.start('claude-code', session)
    if (kill % 2 === 0) {
      await wait(random.next() * 60)
      child.kill('SIGKILL')
      await ended
    } else {
      await ended
      await wait(random.next() * 700)
      killImporter(computer)
    }
  }
  return settledFaults(computer, 'claude-code', [session])
}

/** The lock of the process that imports names it. */
function killImporter({ folder }: HookedComputer): void {
  const hooks = join(folder, 'data', 'hooks')
  for (const name of readdirSync(hooks, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('importing.lock')) continue
    try {
      const pid = /\(process (\d+) on /.exec(readFileSync(join(hooks, name), 'utf8'))?.[1]
      if (pid !== undefined) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

/** Fifty sessions end a turn at once, four times. */
async function atOnce(): Promise<number> {
  const computer = new HookedComputer()
  const sessions = Array.from({ length: AT_ONCE }, (_, number) => new GrowingSession(computer.folder, number + 1))
  for (let turn = 0; turn < 4; turn += 1) {
    for (const session of sessions) session.turn()
    await Promise.all(sessions.map((session) => computer.start('claude-code', session).ended))
  }
  await computer.settled()
  return computer.faults(sessions)
}

/** Claude Code and Codex work on one project, and keep their sessions in one memory. */
async function twoAgents(): Promise<number> {
  const computer = new HookedComputer()
  const [claude, codex] = [new GrowingSession(computer.folder, 1), new GrowingCodexSession(computer.folder, 2)]
  for (let turn = 0; turn < 15; turn += 1) {
    claude.turn()
    codex.turn()
    await Promise.all([computer.start('claude-code', claude).ended, computer.start('codex', codex).ended])
  }
  await computer.settled()
  return computer.faults([claude, codex])
}

/** Nothing is told for ten turns, as when the plugin is disabled, and then hooks come again. */
async function disabled(): Promise<number> {
  const computer = new HookedComputer()
  const session = new GrowingSession(computer.folder, 1)
  for (const isEnabled of [true, false, true, false, true]) {
    for (let turn = 0; turn < 10; turn += 1) {
      session.turn()
      if (isEnabled) await computer.start('claude-code', session).ended
    }
  }
  await computer.settled()
  return computer.faults([session])
}

/** A person goes back to an earlier question again and again. */
async function rewound(): Promise<number> {
  const computer = new HookedComputer()
  const session = new GrowingSession(computer.folder, 1)
  session.turn(3)
  for (let turn = 0; turn < 10; turn += 1) {
    session.turn()
    await computer.start('claude-code', session).ended
    if (turn % 3 === 2) session.rewind(6)
  }
  await computer.settled()
  return computer.faults([session])
}

async function settledFaults(computer: HookedComputer, agent: string, sessions: readonly Session[]): Promise<number> {
  for (const session of sessions) await computer.start(agent, session).ended
  await computer.settled()
  return computer.faults(sessions)
}

if (import.meta.main) {
  await installBuild()
  console.log(JSON.stringify(await measureHooks(Number(process.argv[2] ?? LONG_SESSION_TURNS)), null, 2))
}
