// The `lcm` command of a checkout: runs it from source on the project's own Node.
import { bootstrap } from './bootstrap.mjs'
import { endLike, run } from './child.mjs'
import { inProject, main } from './project.mjs'

/** These commands show the window, so they need the built renderer. */
const SHOWS_THE_WINDOW = new Set(['serve', 'open'])

/**
 * Runs the command with the arguments of this process.
 * @param {string} folder in which the user typed it
 */
export const runLcm = (folder) =>
  main(async () => {
    const args = process.argv.slice(2)
    const node = await bootstrap()
    const command = args.find((argument) => !argument.startsWith('-'))
    if (SHOWS_THE_WINDOW.has(command) && !args.includes('--help')) {
      const { ensureBuild } = await import('./ensure-build.mjs')
      await ensureBuild()
    }
    endLike(await run(node, [inProject('core/doors/cli.ts'), ...args], { cwd: folder }))
  })
