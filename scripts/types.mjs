// Checks the types of every folder that has a tsconfig, two at a time.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { bootstrap } from './bootstrap.mjs'
import { inProject, main, root } from './project.mjs'

const FOLDERS = ['core/contract', 'core', 'electron', 'renderer', 'test']
const AT_ONCE = 2

await main(async () => {
  const node = await bootstrap()
  const waiting = FOLDERS.filter((folder) => existsSync(inProject(folder, 'tsconfig.json')))
  const next = async () => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
      const { code, output } = await check(node, folder)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${folder}\n${output}`)
      if (code !== 0) process.exitCode = 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
})

/** Collects the output, so that two folders do not mix theirs. */
function check(node, folder) {
  return new Promise((resolve, reject) => {
    const args = [inProject('node_modules/typescript/bin/tsc'), '-p', `${folder}/tsconfig.json`, '--noEmit', '--pretty']
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
