import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { printError } from '../cli/output.ts'
import { runCli } from '../cli/program.ts'
import { fileError } from '../db/memory-file.ts'

/** `lcm`, from the sources in a checkout (core/entry) or built (out/main). */
const isSource = import.meta.url.endsWith('.ts')
const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe went away (`lcm grep … | head`): nothing is left to say.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.exit(printError(fileError(error, 'standard output'), false))
  })
}

process.exitCode = await runCli(
  process.argv.slice(2),
  {
    root,
    workerUrl: new URL(isSource ? './worker.ts' : './worker.js', import.meta.url),
    rendererDir: join(root, 'out/renderer'),
    resourcesDir: join(root, 'resources'),
  },
  version,
)
