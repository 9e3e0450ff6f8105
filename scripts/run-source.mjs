// Runs one TypeScript program of the project on the project's own Node.
import { bootstrap } from './bootstrap.mjs'
import { endLike, run } from './child.mjs'
import { inProject, main, root } from './project.mjs'

/** Runs the program at `path` with the arguments of this process. */
export const runSource = (path) =>
  main(async () => endLike(await run(await bootstrap(), [inProject(path), ...process.argv.slice(2)], { cwd: root })))
