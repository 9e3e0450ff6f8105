// Paths of the project. Only Node built-ins are used: these scripts run on Node 18 before anything is installed.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project folder, absolute. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The project's own Node 24, which `npm ci` brings. The system's Node may be older and would crash on SQLite. */
export const nodeBinary = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The folder in which the user typed the command. npm itself changes to the project folder. */
export const userFolder = process.env.INIT_CWD ?? process.cwd()

/** A path inside the project. */
export const inProject = (...parts) => join(root, ...parts)

/** Returns the absolute path of a path that is relative to the user's folder. */
export const fromUser = (path) => resolve(userFolder, path)

/** Prints a message for the user. Standard output belongs to the program that is started. */
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
