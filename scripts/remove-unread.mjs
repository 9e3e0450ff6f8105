// Run by npm after `npm ci` and `npm install` (`prepare` in package.json): a sixth of what they install is never read.
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inProject } from './project.mjs'

/** Removes Node's headers for compilers, and fonts in other weights and formats. */
export function removeUnread() {
  const remove = (...path) => rmSync(inProject('node_modules', ...path), { recursive: true, force: true })
  for (const name of namesIn('node/node_modules').filter((one) => one.startsWith('node-')))
    remove('node/node_modules', name, 'include')
  for (const font of namesIn('@fontsource'))
    for (const file of namesIn(`@fontsource/${font}/files`))
      if (!file.endsWith('-400-normal.woff2')) remove('@fontsource', font, 'files', file)
}

function namesIn(folder) {
  const path = inProject('node_modules', folder)
  return existsSync(path) ? readdirSync(path) : []
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) removeUnread()
