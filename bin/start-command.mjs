import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The oldest Node that the SQLite binding runs on; on an older one it crashes the process. */
const OLDEST_NODE = 24

const checkout = new URL('../scripts/run-lcm.mjs', import.meta.url)
const program = new URL('../out/main/cli.js', import.meta.url)

/**
 * Starts the command: in a checkout from source on the project's own Node, in an installed copy the built program on
 * this Node, or says which Node it needs.
 */
export async function start() {
  if (existsSync(checkout)) {
    const { runLcm } = await import(checkout.href)
    return runLcm(process.cwd())
  }
  const { node } = process.versions
  if (Number(node.split('.')[0]) < OLDEST_NODE) {
    return refuse(
      `This is Node ${node}, and LCM Inspector needs Node ${OLDEST_NODE} or newer. Install it from ` +
        'https://nodejs.org, or run: npx -p node@24 -p lcm-inspector lcm',
    )
  }
  if (!existsSync(program)) {
    return refuse(`This copy is not built (${fileURLToPath(program)} is missing): install the package anew.`)
  }
  await import(program.href)
}

/** As the command itself reports an error: one line, and the same as a document with --json. */
function refuse(message) {
  const error = { code: 'unsupported', message, retryable: false, details: {} }
  process.stderr.write(`lcm: unsupported: ${message}\n`)
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ error }, null, 2)}\n`)
  process.exitCode = 1
}
