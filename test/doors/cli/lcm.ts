import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import type { z } from 'zod'
import { runCli } from '#core/doors/cli/program.ts'
import { cliPath } from '#test/builders/built-program.ts'
import { asOrdinaryUser } from '#test/builders/ordinary-user.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const home = temporaryFolder()

export type Ran = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}
export type LcmOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly uid?: number
  /** Permissions hold for it, also where the tests run as root. */
  readonly ordinary?: boolean
}

/** The environment of a command: nothing of the developer's own settings, folders of this test alone. */
export function environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LCM_|NODE_OPTIONS$|VITEST)/.test(name))
  return {
    ...Object.fromEntries(inherited),
    LCM_DATA_DIR: join(home, 'data'),
    LCM_CACHE_DIR: join(home, 'cache'),
    ...extra,
  }
}

/** Starts the command as a program of its own. */
export function startLcm(args: readonly string[], { env, cwd, uid, ordinary }: LcmOptions = {}): ChildProcess {
  const program = [cliPath, ...args]
  const run = ordinary ? asOrdinaryUser(program) : { command: process.execPath, args: program, options: {} }
  return spawn(run.command, run.args, {
    env: environment(env),
    cwd: cwd ?? home,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...run.options,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}

/** Collects what a process says until it ends. */
export function ended(child: ChildProcess): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const said = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text
    })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...said }))
  })
}

/** Runs the command to its end. */
export const lcm = (args: readonly string[], options?: LcmOptions): Promise<Ran> => ended(startLcm(args, options))

const installation = { root: '', workerUrl: pathToFileURL('/'), rendererDir: '/nowhere', resourcesDir: '/nowhere' }

/** Runs the command in this process: the same code but for the first lines of the program, and much quicker. */
export async function lcmHere(args: readonly string[], { env = {} }: Pick<LcmOptions, 'env'> = {}): Promise<Ran> {
  const said = { stdout: '', stderr: '' }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += text
      return true
    }),
  )
  try {
    return { code: await runCli(args, installation, '0.0.0'), signal: null, ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}

/** Until the test ends, standard output of this process counts as a terminal. */
export function onTerminal(): void {
  const before = process.stdout.isTTY
  process.stdout.isTTY = true
  onTestFinished(() => {
    process.stdout.isTTY = before
  })
}

/** Runs it with --json: exactly one document on standard output, nothing on standard error, exit code 0. */
export async function document<T>(schema: z.ZodType<T>, args: readonly string[], run = lcmHere): Promise<T> {
  const ran = await run([...args, '--json'])
  if (ran.code !== 0 || ran.stderr !== '') throw new Error(`lcm ${args.join(' ')}: ${ran.code} ${ran.stderr}`)
  return schema.parse(JSON.parse(ran.stdout))
}
