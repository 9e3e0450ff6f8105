// The tools of `npm run lint`, as arguments of `node`.
import { inProject, root } from './project.mjs'

const tool = (path, ...args) => [inProject('node_modules', path), ...args]

/** dependency-cruiser on the source in the current folder, by the rules of the project. */
export const readImports = (outputType) =>
  tool(
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    `--config=${inProject('.dependency-cruiser.mjs')}`,
    `--output-type=${outputType}`,
    ...['core', 'electron', 'renderer'],
  )

/** knip on the folder: finds unused files, exports and dependencies. */
export const findUnused = (folder = root) =>
  tool('knip/bin/knip.js', `--directory=${folder}`, '--no-progress', '--treat-config-hints-as-errors')

export const LINT_TOOLS = [
  { name: 'style', args: tool('@biomejs/biome/bin/biome', 'check', '.') },
  { name: 'imports', args: readImports('err-long') },
  { name: 'unused', args: findUnused() },
]
