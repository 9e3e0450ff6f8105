import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliPath } from '#test/builders/built-program.ts'
import { losslessClawWriter } from '#test/builders/systems/lossless.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { written } from './copying.ts'

it('a copy that is killed leaves nothing at its target, and the next one is complete', async () => {
  const from = written(losslessClawWriter('0.15.3'), tellStory({ seed: 3, sessions: 60, turns: 40 }))
  const to = join(temporaryFolder(), 'copy.db')
  const run = (): ReturnType<typeof spawn> =>
    spawn(process.execPath, [cliPath, 'copy', '--from', from, '--to', to], { stdio: 'ignore' })
  const names = (): string[] => readdirSync(join(to, '..'))
  const killed = run()
  await expect.poll(names, { interval: 5 }).toContainEqual(expect.stringMatching(/^copy\.db\.partial-/))
  killed.kill('SIGKILL')
  await new Promise((done) => killed.once('close', done))
  expect(names()).not.toContain('copy.db')
  const next = run()
  expect(await new Promise((done) => next.once('close', done))).toBe(0)
  expect(names()).toEqual(['copy.db'])
})
