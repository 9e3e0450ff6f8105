import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { onStopSignal, STOP_SIGNALS } from '#core/doors/stop-signals.ts'
import { canShowWindows, electronProgram } from '#core/platform.ts'
import { defineCommand, type Installation } from '../command.ts'
import { EXIT } from '../output/output.ts'
import { type ServeOptions, serve, serveFields, windowOn } from './serve-command.ts'

/** A window that was really open lives longer than this. Electron that cannot run here aborts at once. */
const STARTED_AFTER_MS = 10_000

export const openCommand = defineCommand({
  name: 'open',
  example: 'open sample.db',
  fields: serveFields.extend({
    file: z
      .string()
      .optional()
      .meta({ description: 'the memory file, or postgres://user@host/database', value: 'file' }),
  }),
  positional: ['file'],
  stays: true,
  run: async ({ file, ...input }, { installation, ...given }) => ({
    exitCode: await open({ ...input, ...given, db: await windowOn(file ?? given.db) }, installation),
  }),
})

/**
 * Opens the desktop window when Electron is installed and can show one, and otherwise the same window in the browser.
 */
async function open(options: ServeOptions, installation: Installation): Promise<number> {
  const electron = findElectron(process.env)
  const asksForBrowser = options.port !== undefined || !options.open || options.newer === true
  if (electron === null || asksForBrowser || process.env.LCM_NO_ELECTRON === '1' || !canShowWindows(process.env))
    return serve(options, installation)

  const file = options.db ?? null
  if (options.json) process.stdout.write(`${JSON.stringify({ window: 'desktop', path: file })}\n`)
  const startedAtMs = Date.now()
  const { code, signal } = await run(electron, [installation.root, ...(file === null ? [] : [file])])
  const aborted = signal !== null && !STOP_SIGNALS.some((one) => one === signal)
  if (aborted && Date.now() - startedAtMs < STARTED_AFTER_MS) return serve({ ...options, json: false }, installation)
  return signal === 'SIGINT' ? EXIT.interrupted : (code ?? EXIT.done)
}

/** Finds the binary of the Electron package beside this installation, or returns null. */
function findElectron(env: NodeJS.ProcessEnv): string | null {
  const folder = electronPackage()
  if (folder === null) return null
  // This file is written when the binary is downloaded. A custom folder has it under its usual name.
  const named = join(folder, 'path.txt')
  const name = existsSync(named) ? readFileSync(named, 'utf8').trim() : electronProgram()
  const binary = join(env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist'), name)
  return existsSync(binary) ? binary : null
}

function electronPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    // Electron is not installed.
    return null
  }
}

type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

async function run(command: string, args: readonly string[]): Promise<ProcessEnd> {
  // Terminals of editors set the first variable, which would turn Electron into plain Node. The second is for the Node
  // of `lcm`.
  const { ELECTRON_RUN_AS_NODE: _asNode, NODE_COMPILE_CACHE: _compiled, ...env } = process.env
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  const removeListener = onStopSignal(forward)
  try {
    return await new Promise<ProcessEnd>((done, failed) => {
      child.once('error', failed)
      child.once('exit', (code, signal) => done({ code, signal }))
    })
  } finally {
    removeListener()
  }
}
