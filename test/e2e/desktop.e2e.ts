import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateHistory } from '../builders/history.ts'
import { expect, ON_DESKTOP, test } from './app.ts'
import { builtMemory, factsOf, sampleCopy } from './memories.ts'

// What only the desktop app has: its bridge, its windows, its menu and dialogs.

test(
  'the page is sandboxed, with no Node, one narrow bridge and no way out of the app',
  ON_DESKTOP,
  async ({ openSample }) => {
    const page = await openSample()
    const seen = await page.evaluate(() => ({
      node: [
        typeof Reflect.get(window, 'process'),
        typeof Reflect.get(window, 'require'),
        typeof Reflect.get(window, 'Buffer'),
      ],
      bridge: Object.keys(window.lcmHost ?? {}).sort(),
      opened: window.open('https://evil.example/') === null,
    }))
    expect(seen).toEqual({
      node: ['undefined', 'undefined', 'undefined'],
      bridge: ['kind', 'onMenu', 'openMemory', 'openNewerMemory', 'pathForFile', 'pickMemory', 'pickTranscripts'],
      opened: true,
    })
    const before = page.url()
    await page.evaluate(() => {
      location.href = 'https://evil.example/'
    })
    await page.waitForTimeout(300)
    expect(page.url()).toBe(before)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  },
)

test(
  'the dialogs of the desktop open a memory and import transcripts',
  ON_DESKTOP,
  async ({ openMemory, electronApp, home }) => {
    const memory = sampleCopy(home)
    const page = await openMemory()
    await electronApp()?.evaluate(({ app, dialog }) => {
      dialog.showOpenDialog = async () => {
        app.emit('test-dialog-dismissed')
        return { canceled: true, filePaths: [] }
      }
    })
    const dismissed = electronApp()?.evaluate(
      ({ app }) => new Promise<void>((resolve) => app.once('test-dialog-dismissed' as 'activate', () => resolve())),
    )
    await page.getByRole('button', { name: 'Open a memory…' }).click()
    await dismissed
    await expect(page.getByRole('heading', { name: 'LCM Inspector', level: 1 })).toBeVisible()
    await electronApp()?.evaluate(({ dialog }, path) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] })
    }, memory)
    await page.getByRole('button', { name: 'Open a memory…' }).click()
    await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${(await factsOf(memory)).messages} msgs`)
  },
)

test(
  'the app records its own beginning and end, beside what its cores record, and no path',
  ON_DESKTOP,
  async ({ openSample, electronApp, home }) => {
    await openSample()
    const pid = electronApp()?.process().pid
    await electronApp()?.close()
    const logs = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => /lcm-.*\.jsonl$/.test(name))
    const text = logs.map((name) => readFileSync(join(home, name), 'utf8')).join('')
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; pid: number })
    const own = lines.filter((line) => line.event.startsWith('app.'))
    expect(own).toMatchObject([
      { event: 'app.started', source: 'process', pid },
      { event: 'app.done', outcome: 'closed', pid },
    ])
    expect(lines.map(({ event }) => event)).toContain('memory.opened')
    expect(text).not.toContain(home)
  },
)

test('the menu reaches the page', ON_DESKTOP, async ({ openSample, electronApp }) => {
  const page = await openSample()
  const choose = (id: string) =>
    electronApp()?.evaluate(({ Menu }, item) => Menu.getApplicationMenu()?.getMenuItemById(item)?.click(), id)
  await choose('palette')
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
  await page.keyboard.press('Escape')
  await choose('keys')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  await choose('find')
  await expect(page.getByRole('combobox', { name: 'Search messages and summaries' })).toBeFocused()
})

test(
  'a second start with a file opens a second window, and the first stays as it is',
  ON_DESKTOP,
  async ({ openMemory, electronApp, home }) => {
    const one = sampleCopy(home)
    const two = builtMemory(
      home,
      (memory) => void memory.conversation({ title: 'Second', messages: ['hello'] }),
      'two.db',
    )
    const page = await openMemory(one)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    const app = electronApp()
    const next = app?.waitForEvent('window')
    await app?.evaluate(
      ({ app: running }, [path, folder]) => {
        const argv = running.isPackaged ? ['app', path] : ['electron', '.', path]
        running.emit('second-instance', { preventDefault: () => undefined }, argv, folder)
      },
      [two, home] as const,
    )
    const second = await next
    if (!second) throw new Error('no second window')
    await expect(second.getByRole('contentinfo')).toContainText('LCM: 1 msg |')
    await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${(await factsOf(one)).messages} msgs`)
  },
)

test(
  'closing the app during a job leaves a whole file, and nothing beside it',
  ON_DESKTOP,
  async ({ openMemory, electronApp, home }) => {
    test.slow()
    const folder = join(home, 'memory')
    mkdirSync(folder)
    const path = builtMemory(folder, (memory) => {
      const messages = generateHistory({ seed: 5, messages: 6000 }).map(({ role, content }) => ({ role, content }))
      memory.conversation({ title: 'Long', messages })
    })
    const page = await openMemory(path)
    await page.getByRole('link', { name: 'Compact' }).click()
    await page.getByRole('button', { name: 'Compact…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }).click()
    await expect(page.getByRole('main').getByRole('button', { name: 'Cancel' })).toBeVisible()
    await electronApp()?.close()
    expect(readdirSync(folder)).toEqual(['built.db'])
    expect((await factsOf(path)).messages).toBe(6000)

    const again = await openMemory(path)
    await again.getByRole('link', { name: 'Health' }).click()
    await again.getByRole('button', { name: 'Check now' }).click()
    // Where the machine is too busy to end the run in time, it is cut off: its lock stays until the next run.
    await expect(again.getByRole('heading', { name: /^(Nothing is wrong|One warning)$/ })).toBeVisible()
    const findings = again.getByRole('article')
    await expect(findings.filter({ hasNotText: /stale_lock|never_compacted/ })).toHaveCount(0)
  },
)
