// Runs several checking programs, two at a time, and shows the output of each when it ends.
import { spawn } from 'node:child_process'
import { root } from './project.mjs'

export const AT_ONCE = 2

/**
 * Runs each check to its end. If one fails, this process fails.
 * @param {readonly { readonly name: string, readonly args: readonly string[] }[]} checks programs for `node`
 */
export async function runChecks(node, checks) {
  const waiting = [...checks]
  const next = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const { code, output } = await run(node, check.args)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name}\n${output}`)
      if (code !== 0) process.exitCode = 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

/** Collects the output, so that the outputs of two checks are not mixed. */
function run(node, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
