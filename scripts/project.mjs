// Where things are. Node built-ins only: these scripts run on Node 18 before anything is installed.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project folder, absolute. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The project's own Node 24, which `npm ci` brings. The system's Node may be older and would crash on SQLite. */
export const nodeBinary = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The folder the user typed the command in; npm itself changes to the project folder. */
export const userFolder = process.env.INIT_CWD ?? process.cwd()

/** A path inside the project. */
export const inProject = (...parts) => join(root, ...parts)

/** A path as the user meant it, absolute. */
export const fromUser = (path) => resolve(userFolder, path)

/** Says something to the person at the terminal. Standard output belongs to the program that is started. */
export function say(message) {
  process.stderr.write(`lcm-inspector: ${message}\n`)
}

/** An expected failure: shown as its message, without a stack. */
export class Refusal extends Error {}

/** Runs a script's main function; an expected failure ends it with one line and exit code 1. */
export async function main(run) {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
