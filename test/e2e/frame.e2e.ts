import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { VIEWS } from '#renderer/views.ts'
import { expect, fromMemoryMenu, IN_BROWSER, ON_DESKTOP, test, toProgram } from './app.ts'
import { builtMemory, sampleCopy } from './memories.ts'

test(
  'the right panel opens for a selection, and every column has room from 900 to 2560 pixels',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = builtMemory(home, (memory) => {
      memory.conversation({
        title: 'Charges are sent twice after the retry of a payment that timed out',
        messages: [{}],
      })
      memory.conversation({ title: 'Refunds', messages: [{}] })
    })
    const page = await openMemory(path)
    await page.setViewportSize({ width: 2560, height: 1440 })
    const tabs = page.getByRole('navigation', { name: 'Views' })
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const panel = page.getByRole('complementary', { name: 'Detail' })
    const boxOf = async (of: Locator) => (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    // A wide window is used: the figures stand beside the answers.
    const more = page.getByRole('heading', { name: 'More about this conversation' })
    await expect.poll(async () => (await boxOf(more)).x).toBeGreaterThan(1280)
    await tabs.getByRole('link', { name: 'Messages' }).click()
    await expect(panel).toBeHidden()
    await page.getByRole('article').first().click()
    await expect(panel).toBeVisible()
    await expect(tabs.getByRole('link')).toHaveCount(8)

    // A wider sidebar shows the whole title, also in the next window.
    const title = list.getByText(/^Charges are sent twice/)
    const isCut = () =>
      title.evaluate((text) =>
        [text, text.parentElement].some((box) => box !== null && box.scrollWidth > box.clientWidth),
      )
    expect(await isCut()).toBe(true)
    const line = page.getByRole('separator', { name: 'Resize list of conversations' })
    await line.focus()
    for (let steps = 0; steps < 16; steps += 1) await page.keyboard.press('ArrowRight')
    expect(await isCut()).toBe(false)
    await page.reload()
    await expect(title).toBeVisible()
    expect(await isCut()).toBe(false)

    // Side by side at 1280 pixels, and over the view at 900, where it is closed by the key.
    await page.setViewportSize({ width: 1280, height: 800 })
    const view = page.getByRole('main')
    await expect.poll(async () => (await boxOf(view)).width).toBeGreaterThanOrEqual(560)
    expect((await boxOf(list)).width).toBeGreaterThanOrEqual(240)
    expect((await boxOf(panel)).x).toBeGreaterThanOrEqual((await boxOf(view)).x + (await boxOf(view)).width)
    await page.setViewportSize({ width: 900, height: 700 })
    await expect.poll(async () => (await boxOf(view)).width).toBeGreaterThanOrEqual(560)
    await expect(panel).toBeVisible()
    await page.keyboard.press('\\')
    await expect(panel).toBeHidden()
    // No view is wider than its column.
    for (const place of [...VIEWS, 'find?trace=msg_1', 'layers?layers.form=tree']) {
      await page.evaluate((to) => location.assign(to), `#/conversation/1/${place}`)
      await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(900)
      const overflow = await view.evaluate((main) =>
        [...main.querySelectorAll('*')]
          .filter((element) => {
            const style = getComputedStyle(element)
            return element.scrollWidth > element.clientWidth + 1 && style.overflowX === 'auto'
          })
          .map((element) => element.className),
      )
      expect(overflow, place).toEqual([])
    }
    // Every tab is in sight in the smallest window, too, and the rest is in a menu.
    await tabs.getByRole('link', { name: 'Start' }).click()
    const right = (await boxOf(view)).x + (await boxOf(view)).width
    for (const tab of [...(await tabs.getByRole('link').all()), tabs.getByRole('button', { name: 'Memory' })]) {
      const box = await boxOf(tab)
      expect(box.x + box.width).toBeLessThanOrEqual(right)
    }
    await fromMemoryMenu(page, 'SQL')
    await expect(page).toHaveURL(/\/sql/)
    await expect(tabs.getByRole('button', { name: 'Memory: SQL' })).toBeVisible()

    // What belongs to the program has no conversation around it, and leads back to where one was.
    await toProgram(page, 'Activity')
    await expect(page).toHaveURL(/\/activity/)
    await expect(list).toBeHidden()
    await expect(tabs).toBeHidden()
    await page.getByRole('button', { name: 'Back to the memory' }).click()
    await expect(page).toHaveURL(/\/sql/)
  },
)

/** Drops files on the window as a person does. Only the stand-in for the desktop can be given their paths. */
const drop = (page: Page, paths: readonly string[]): Promise<void> =>
  page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer()
    for (const path of dropped) {
      const file = new File([''], path.split('/').at(-1) ?? '')
      Object.defineProperty(file, 'path', { value: path })
      dataTransfer.items.add(file)
    }
    const init = { bubbles: true, cancelable: true, dataTransfer }
    const target = document.querySelector('main') ?? document.body
    target.dispatchEvent(new DragEvent('dragover', init))
    target.dispatchEvent(new DragEvent('drop', init))
  }, paths)

test(
  'a browser cannot open what is dropped on an open memory, and says what can be done instead',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openMemory(sampleCopy(home))
    const status = page.getByRole('contentinfo')
    await expect(status).toContainText('LCM:')
    const before = page.url()
    await drop(page, [join(home, 'sample.db')])
    await expect(page.getByRole('alert')).toContainText('type its path on the welcome page')
    expect(page.url()).toBe(before)
    await expect(status).toContainText('LCM:')
  },
)

test(
  'what is dropped on an open memory is opened, or searched for transcripts',
  ON_DESKTOP,
  async ({ openSample, home, hostKind }) => {
    test.skip(hostKind === 'electron' || hostKind === 'older', 'real Electron cannot be told where a dropped file lies')
    const other = builtMemory(
      home,
      (memory) => void memory.conversation({ title: 'Other', messages: ['hello'] }),
      'other.db',
    )
    const page = await openSample()
    await drop(page, [other])
    await expect(page.getByRole('navigation', { name: 'Conversations' })).toContainText('Other')

    const sessions = join(home, 'project', 'sessions')
    mkdirSync(sessions, { recursive: true })
    writeFileSync(join(sessions, 'a.jsonl'), '{"role":"user","content":"hi"}\n{"role":"assistant","content":"hello"}\n')
    await drop(page, [join(home, 'project')])
    await expect(page.getByRole('heading', { name: '1 transcript with 2 messages' })).toBeVisible()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page.getByRole('button', { name: 'Open a memory…' })).toBeVisible()
  },
)

test.describe('a view whose code does not arrive', () => {
  test.use({ allowedPageErrors: [/ERR_FAILED|Failed to fetch dynamically imported module/] })

  test(
    'is reported in its place, and shown when the page is loaded again',
    IN_BROWSER,
    async ({ openMemory, home }) => {
      const page = await openMemory(sampleCopy(home))
      const code = /\/context-view-[^/]*\.js$/
      await page.route(code, (route) => route.abort())
      // What has arrived by now is asked for anew.
      await page.reload()
      const views = page.getByRole('navigation', { name: 'Views' })
      await views.getByRole('link', { name: /^Window/ }).click()
      await expect(page.getByRole('heading', { name: 'This part of the app did not arrive' })).toBeVisible()

      await views.getByRole('link', { name: 'Layers' }).click()
      await expect(page.getByRole('heading', { name: 'This part of the app did not arrive' })).toHaveCount(0)
      await views.getByRole('link', { name: /^Window/ }).click()
      await page.unroute(code)
      await page.getByRole('button', { name: 'Load the page again' }).click()
      await expect(page.getByRole('region', { name: 'Window of the conversation' })).toContainText(
        'what the model sees next turn',
      )
    },
  )
})
