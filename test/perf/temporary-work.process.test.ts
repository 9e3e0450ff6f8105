import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { inTemporaryFolder, programOutput } from './temporary-work.ts'

/** Names its folder and starts a program that starts another, which shares its standard error and never ends. */
const ENDLESS = `
  import { inTemporaryFolder, programOutput } from ${JSON.stringify(new URL('./temporary-work.ts', import.meta.url))}
  const program = \`
    const { execFileSync } = require('node:child_process')
    const last = 'console.error("working"); setInterval(() => {}, 1000)'
    execFileSync(process.execPath, ['-e', last], { stdio: 'inherit' })\`
  await inTemporaryFolder(async (folder, stop) => {
    console.log('folder ' + folder)
    await programOutput(['--eval', program], folder, stop)
  })`

it.each(['SIGINT', 'SIGTERM'] as const)(
  'removes its folder and ends every program that it started on %s',
  async (signal) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', ENDLESS], { stdio: 'pipe' })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    await expect.poll(() => said).toContain('working')
    const folder = /folder (.*)/.exec(said)?.[1] ?? ''
    expect(existsSync(folder)).toBe(true)
    child.kill(signal)
    // A stream closes when the last process that shares it has ended.
    expect(await once(child, 'close')).toEqual([null, signal])
    expect(existsSync(folder)).toBe(false)
  },
)

it('removes its folder when the work fails, and reports what the program printed last', async () => {
  let seen = ''
  const work = inTemporaryFolder(async (folder, stop) => {
    seen = folder
    await programOutput(['--eval', 'process.exit(3)'], folder, stop)
  })
  await expect(work).rejects.toThrow('--eval ended with 3')
  expect(existsSync(seen)).toBe(false)
})

it('returns what a program printed in the given folder', async () => {
  const folder = temporaryFolder()
  const printed = await programOutput(['--print', 'process.cwd()'], folder, new AbortController().signal)
  expect(printed.trim()).toBe(folder)
})
