import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bootstrap } from '#scripts/bootstrap.mjs'
import { inProject } from '#scripts/project.mjs'

/** Folders and files under a folder of `node_modules`, each with its path, or none when the folder is not there. */
function namesIn(folder: string): string[] {
  const path = inProject('node_modules', folder)
  return existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
}

it('keeps of what is installed neither the headers of Node nor fonts in other weights and formats', async () => {
  await bootstrap()
  const files = namesIn('@fontsource').filter((path) => /\.woff2?$/.test(path))
  expect(files.some((path) => path.includes('noto-sans-sc'))).toBe(true)
  expect(files.filter((path) => !path.endsWith('-400-normal.woff2'))).toEqual([])
  expect(namesIn('node/node_modules').filter((path) => path.endsWith(join('include', 'node')))).toEqual([])
})
