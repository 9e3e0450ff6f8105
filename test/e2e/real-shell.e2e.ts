import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ElectronApplication } from '@playwright/test'
import { expect, test, UNDER_OLDER } from './app.ts'
import { builtMemory, factsOf, sampleCopy } from './memories.ts'

// What only a real Electron does: a second process that hands its arguments over and ends, and a core that dies.

/** Starts the same program once more, as a click on a file or a link does. Answers when it has ended by itself. */
async function startAgain(app: ElectronApplication | undefined, argument: string): Promise<void> {
  if (!app) throw new Error('no app')
  const { spawnfile, spawnargs } = app.process()
  const switches = spawnargs.filter((one) => /^--(?:user-data-dir=|no-sandbox|disable-gpu)/.test(one))
  const env = (await app.evaluate(() => process.env)) as NodeJS.ProcessEnv
  const second = spawn(spawnfile, [argument, ...switches], { env, stdio: 'ignore' })
  expect((await once(second, 'exit'))[0]).toBe(0)
}

test(
  'a second process with a file gives it to the first one, which opens a window',
  UNDER_OLDER,
  async ({ openMemory, electronApp, home }) => {
    const one = sampleCopy(home)
    const two = builtMemory(
      home,
      (memory) => void memory.conversation({ title: 'Second', messages: ['hello'] }),
      'two.db',
    )
    const page = await openMemory(one)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    const next = electronApp()?.waitForEvent('window')
    await startAgain(electronApp(), two)
    await expect(((await next) ?? page).getByRole('contentinfo')).toContainText('LCM: 1 msg |')
    await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${(await factsOf(one)).messages} msgs`)
  },
)

test(
  'a link shows the file that it wants to open, and leads to its view when the user agrees',
  UNDER_OLDER,
  async ({ openMemory, electronApp, home }) => {
    const file = sampleCopy(home)
    const page = await openMemory()
    await expect(page.getByRole('heading', { name: 'LCM Inspector', level: 1 })).toBeVisible()
    await electronApp()?.evaluate(({ dialog }) => {
      dialog.showMessageBox = async (...given: unknown[]) => {
        Reflect.set(globalThis, 'asked', given.at(-1))
        return { response: 1, checkboxChecked: false }
      }
    })
    await startAgain(electronApp(), `lcm-inspector://open?${new URLSearchParams({ file, view: 'health' })}`)
    await expect(page.getByRole('button', { name: 'Check now' })).toBeVisible()
    expect(await electronApp()?.evaluate(() => Reflect.get(globalThis, 'asked'))).toMatchObject({ detail: file })
  },
)

test(
  'a window whose core was killed shows its memory again after a reload, and the app goes on',
  UNDER_OLDER,
  async ({ openSample, electronApp }) => {
    const page = await openSample()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await electronApp()?.evaluate(() => {
      const [core] = Reflect.get(globalThis, 'startedWorkers') as { processId: number }[]
      if (core) process.kill(core.processId, 'SIGKILL')
    })
    await page.reload()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  },
)
