import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { TestMemory } from '../builders/memory.ts'
import { expect, IN_BROWSER, ON_DESKTOP, THROUGH_SHELL, test } from './app.ts'
import { builtMemory, factsOf, hitsOf, sampleCopy, systemFile, turnTo } from './memories.ts'

test('conversations can be filtered, sorted and gone through by keys', async ({ openMemory, home }) => {
  const path = builtMemory(home, (memory) => {
    for (let n = 0; n < 30; n += 1) {
      const messages = Array.from({ length: n + 1 }, (_, index) => ({
        content: `message ${index} of ${n}`,
        atMs: Date.UTC(2026, 2, 2 + (n % 7), index),
      }))
      memory.conversation({ title: `${n % 2 === 0 ? 'Even' : 'Odd'} number ${n}`, messages })
    }
  })
  const page = await openMemory(path)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list).toContainText('Conversations · 30')
  await list.getByRole('button', { name: /^Sorted by/ }).click()
  await page.getByRole('menuitemradio', { name: 'Size' }).click()
  await expect(list.getByRole('button', { name: /number 29/ })).toBeVisible()

  await list.getByRole('textbox', { name: 'Filter conversations' }).fill('even')
  await expect(list).toContainText('15 of 30')
  await list.getByRole('button', { name: /Even number 26/ }).click()
  await expect(page.getByRole('contentinfo')).toContainText('LCM: 27 msgs')
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('contentinfo')).toContainText('LCM: 29 msgs')
  await list.getByRole('textbox', { name: 'Filter conversations' }).fill('none of them')
  await expect(list).toContainText('None has these words.')
})

test('a long list of conversations is fetched as it is scrolled, and all of it is found by words', async ({
  openMemory,
  home,
}) => {
  const path = builtMemory(home, (memory) => {
    for (let n = 0; n < 250; n += 1) {
      const messages = [{ content: `message of ${n}`, atMs: Date.UTC(2026, 2, 2, 0, n) }]
      memory.conversation({ title: `Conversation ${n} of many`, messages })
    }
  })
  const page = await openMemory(path)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list).toContainText('Conversations · 250')
  await expect(list.getByRole('button', { name: /Conversation 249 of many/ })).toHaveAttribute('aria-current', 'true')
  const oldest = list.getByRole('button', { name: /Conversation 0 of many/ })
  await list.getByRole('button', { name: /Conversation 249 of many/ }).hover()
  await expect(async () => {
    await page.mouse.wheel(0, 3000)
    await expect(oldest).toBeVisible({ timeout: 200 })
  }).toPass()

  await list.getByRole('textbox', { name: 'Filter conversations' }).fill('conversation 17 many')
  await expect(list).toContainText('17 of 250')
  await list.getByRole('button', { name: /Conversation 17 of many/ }).click()
  await expect(list.locator('[aria-current=true]')).toContainText('Conversation 17 of many')

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('View, action, conversation, or an id').fill('conversation 42')
  await page.getByRole('option', { name: /^Conversation 42 of many/ }).click()
  await expect(page).toHaveURL(/conversation\/43\//)
})

test(
  'back and forward work, and a copied address opens the same place',
  THROUGH_SHELL,
  async ({ openMemory, home, hostKind }) => {
    const path = sampleCopy(home)
    const page = await openMemory(path)
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: 'Transcript' }).click()
    await page
      .getByRole('feed', { name: 'Messages' })
      .getByRole('article', { name: /msg_2$/ })
      .click()
    await expect.poll(() => page.url()).toContain('select=msg_2')
    await views.getByRole('link', { name: 'Integrity' }).click()
    await page.goBack()
    await expect(page).toHaveURL(/transcript\?select=msg_2/)
    await expect(page.getByRole('feed', { name: 'Messages' })).toBeVisible()
    await page.goForward()
    await expect(page).toHaveURL(/integrity/)
    await page.goBack()

    const address = page.url()
    await turnTo(page, path, hostKind)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await page.goto(address)
    await expect(page.getByRole('feed', { name: 'Messages' }).getByRole('article', { name: /msg_2$/ })).toBeInViewport()
    await expect(
      page.getByRole('complementary', { name: 'Detail' }).getByRole('button', { name: 'Copy msg_2' }),
    ).toBeVisible()
  },
)

test(
  'the address holds what every view shows, and back and forward bring it again',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const page = await openMemory(path)
    const go = (hash: string) => page.evaluate((to) => location.assign(to), hash)
    const views = page.getByRole('navigation', { name: 'Views' })

    // The strata: axis, colour and zoom.
    await page.getByRole('radiogroup', { name: 'What x means' }).getByText('tokens').click()
    await page.getByRole('radiogroup', { name: 'What colour means' }).getByText('level').click()
    await page.getByRole('button', { name: 'Zoom in (+)' }).click()
    await expect(page).toHaveURL(/strata\.axis=tokens.*strata\.color=level.*strata\.zoom=[\d.]+/)
    const zoomed = new URL(page.url()).hash

    // The context window: moment, what if, form and the two moments of a difference.
    await views.getByRole('link', { name: /^Context/ }).click()
    const view = page.getByRole('region', { name: 'Context window' })
    await expect(view).toContainText('as of now')
    await page.keyboard.press('ArrowLeft')
    await expect(view).not.toContainText('as of now')
    const budget = page.getByRole('slider', { name: 'Budget, slider' })
    await budget.focus()
    await budget.press('ArrowLeft')
    await expect(page).toHaveURL(/context\.at=event-\d+.*context\.budget=\d+/)
    const tried = async () => Number(new URL(page.url()).hash.match(/context\.budget=(\d+)/)?.[1])
    const once = await tried()
    await budget.press('ArrowLeft')
    await expect.poll(tried).toBeLessThan(once)
    await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('payload').click()
    await expect(page).toHaveURL(/context\.form=payload/)
    const context = new URL(page.url()).hash

    await page.goBack()
    await expect.poll(() => new URL(page.url()).hash).toBe(zoomed)
    await expect(page.getByRole('radio', { name: 'level' })).toBeChecked()
    await page.goForward()
    await expect(view).toContainText('"role": "user"')
    await expect.poll(() => new URL(page.url()).hash).toBe(context)

    // A copied link gives the same window elsewhere, where nothing is stored.
    await page.evaluate(() => sessionStorage.clear())
    await go('#/overview')
    await page.reload()
    await go(context)
    await expect(view.getByRole('radio', { name: 'payload' })).toBeChecked()
    await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('list', { exact: true }).click()
    await expect(view).not.toContainText('as of now')

    // The search: its filters, and the question that was asked.
    await go(`#/conversation/${conversationId}/search?query=PAY-%5Cd%2B&search.mode=regex&search.scope=summaries`)
    await expect(page.getByRole('radiogroup', { name: 'Mode' }).getByRole('radio', { name: 'regex' })).toBeChecked()
    await expect(hitsOf(page).first()).toContainText('sum_')
    await go(`#/conversation/${conversationId}/search?ask=1&query=why+were+customers+charged+twice`)
    const question = page.getByRole('textbox', { name: 'Question to the memory' })
    await expect(question).toHaveValue('why were customers charged twice')
    await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible()
    await question.fill('what is PAY-1187')
    await question.press('Enter')
    await expect(page).toHaveURL(/query=what\+is\+PAY-1187/)
    await page.goBack()
    await expect(question).toHaveValue('why were customers charged twice')
  },
)

test(
  'an unknown conversation in the address is reported, and a dialog closes when the address changes',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openMemory(sampleCopy(home))
    const go = (hash: string) => page.evaluate((to) => location.assign(to), hash)
    await expect(page).toHaveURL(/conversation\/\d+\/strata/)
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
    await go('#/conversation/999/strata')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page.getByRole('heading', { name: 'This memory has no conversation 999' })).toBeVisible()
    await expect(page).toHaveURL(/conversation\/999/)
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Open / })
      .click()
    await expect(page.getByRole('application', { name: /^Strata/ })).toBeVisible()
  },
)

test('the palette reaches views, actions, conversations and ids', async ({ openSample }) => {
  const page = await openSample()
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  const run = async (text: string) => {
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('combobox')).toBeFocused()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
  }
  await run('compaction')
  await expect(page).toHaveURL(/compaction/)
  await run('nightly')
  await expect(page.getByRole('navigation', { name: 'Conversations' }).locator('[aria-current=true]')).toContainText(
    'Nightly reconciliation',
  )
  await run('msg_3')
  await expect.poll(() => page.url()).toContain('select=msg_3')
  await run('check integrity')
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
})

test('every view has its key, and ? lists them', async ({ openSample }) => {
  const page = await openSample()
  const views = [
    'overview',
    'strata',
    'context',
    'transcript',
    'search',
    'lineage',
    'compaction',
    'integrity',
    'compare',
  ]
  for (const [index, view] of views.entries()) {
    await page.keyboard.press(String(index + 1))
    await expect(page).toHaveURL(new RegExp(`/${view}`))
    if (view === 'search') {
      // The field takes the focus once its view is loaded, and would take it from the footer when that is later.
      await expect(page.getByRole('combobox', { name: 'Search messages and summaries' })).toBeFocused()
      await page.keyboard.press('Escape')
    }
    await page.getByRole('contentinfo').click({ position: { x: 5, y: 5 } })
  }
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await expect(keys).toContainText('everything by name')
  await page.keyboard.press('Escape')
  await expect(keys).toBeHidden()
})

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
    await tabs.getByRole('link', { name: 'Transcript' }).click()
    await expect(panel).toBeHidden()
    await page.getByRole('article').first().click()
    await expect(panel).toBeVisible()
    await expect(tabs.getByRole('link')).toHaveCount(13)

    // A wider sidebar shows the whole title, also in the next window.
    const title = list.getByText(/^Charges are sent twice/)
    const isCut = () => title.evaluate(({ parentElement: box }) => (box?.scrollWidth ?? 0) > (box?.clientWidth ?? 0))
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
    await expect(tabs.getByRole('link', { name: 'Logs' })).toBeHidden()
    await tabs.getByRole('button', { name: 'More views' }).click()
    await page.getByRole('menuitemradio', { name: 'Logs' }).click()
    await expect(page).toHaveURL(/\/logs/)
  },
)

test('a dark or light theme can be chosen and is remembered', THROUGH_SHELL, async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name }).click()
  }
  await choose('Dark')
  await expect.poll(ground).toBe('rgb(14, 17, 22)')
  await choose('Light')
  await expect.poll(ground).toBe('rgb(251, 250, 248)')
  await page.reload()
  await expect.poll(ground).toBe('rgb(251, 250, 248)')
})

test(
  'what an agent writes meanwhile is shown by itself, and can be paused',
  THROUGH_SHELL,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { messages } = await factsOf(path)
    const page = await openMemory(path)
    const line = page.getByRole('contentinfo')
    await expect(line).toContainText(`LCM: ${messages} msgs`)
    const writer = new TestMemory(path)
    writer.messages((await factsOf(path)).conversationId, 3)
    await expect(line).toContainText(`LCM: ${messages + 3} msgs`)
    await page.getByRole('banner').getByRole('button', { name: /^live/ }).click()
    writer.messages((await factsOf(path)).conversationId, 2)
    await page.waitForTimeout(1500)
    await expect(line).toContainText(`LCM: ${messages + 3} msgs`)
    await page
      .getByRole('banner')
      .getByRole('button', { name: /paused|behind|changes/i })
      .click()
    await expect(line).toContainText(`LCM: ${messages + 5} msgs`)
    writer.db.close()
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
    test.skip(hostKind === 'electron', 'real Electron cannot be told where a dropped file lies')
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

test('a working copy names the file that it was made of', async ({ openMemory, home }) => {
  const original = join(home, 'original.db')
  copyFileSync(systemFile('lossless-claw/small.db'), original)
  const page = await openMemory(original)
  const banner = page.getByRole('banner')
  await expect(banner).not.toContainText('working copy')
  await banner.getByRole('button', { name: 'read-only' }).click()
  const dialog = page.getByRole('dialog', { name: 'Make a working copy' })
  await dialog.getByRole('button', { name: 'Make the copy' }).click()
  await dialog.getByRole('button', { name: 'Open the copy' }).click()
  const chip = banner.getByTitle('A copy of original.db of lossless-claw. What is changed here is not changed there.')
  await expect(chip).toHaveText('working copy of original.db')
  await expect(banner.getByRole('button', { name: 'read-only' })).toHaveCount(0)
})

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
      await views.getByRole('link', { name: /^Context/ }).click()
      await expect(page.getByRole('heading', { name: 'This part of the app did not arrive' })).toBeVisible()

      await views.getByRole('link', { name: 'Overview' }).click()
      await expect(page.getByRole('heading', { name: 'This part of the app did not arrive' })).toHaveCount(0)
      await views.getByRole('link', { name: /^Context/ }).click()
      await page.unroute(code)
      await page.getByRole('button', { name: 'Load the page again' }).click()
      await expect(page.getByRole('region', { name: 'Context window' })).toContainText('what the model sees next turn')
    },
  )
})
