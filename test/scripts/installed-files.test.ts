import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bootstrap } from '#scripts/bootstrap.mjs'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

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

it('removes them after every installation by npm, also in a folder with another name', () => {
  const folder = temporaryFolder()
  const fonts = join(folder, 'node_modules/@fontsource/noto/files')
  mkdirSync(fonts, { recursive: true })
  for (const name of ['a-400-normal.woff2', 'a-700-normal.woff2', 'a-400-normal.woff'])
    writeFileSync(join(fonts, name), '')
  cpSync(inProject('scripts'), join(folder, 'scripts'), { recursive: true })
  cpSync(inProject('package.json'), join(folder, 'package.json'))
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link, 'junction')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status } = spawnSync(npm, ['run', 'prepare'], { cwd: link, shell: process.platform === 'win32' })
  expect([status, readdirSync(fonts)]).toEqual([0, ['a-400-normal.woff2']])
})
