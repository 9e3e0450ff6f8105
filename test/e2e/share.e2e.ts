import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, fromMemoryMenu, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'
import { watchForErrors } from './page-errors.ts'

test.use(SHARED_HOST)

const HOSTILE = `</script><script>window.pwned = 1</script><img src="https://evil.example/x.png" onerror="window.pwned = 1">`

test(
  'a conversation is shared as one page that works from disk without a network',
  IN_BROWSER,
  async ({ openMemory, chromium, home }) => {
    const path = builtMemory(home, (memory) => {
      const conversation = memory.conversation({ title: 'A plan <b>for</b> the harbour' })
      const early = memory.messages(conversation, [
        'The crane lifts at most 40 tonnes.',
        HOSTILE,
        'Ask ada@example.com before the tide.',
      ])
      const leaf = memory.leaf(conversation, early, { content: 'The crane and the tide.' })
      memory.condensed(conversation, [leaf], { content: 'All about the harbour.' })
      memory.messages(conversation, ['What is the limit of the crane?'])
    })
    const page = await openMemory(path)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await fromMemoryMenu(page, 'Share this conversation…')
    const dialog = page.getByRole('dialog', { name: 'Share this conversation' })
    await expect(dialog.getByRole('checkbox')).toBeChecked()
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save the page' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('A-plan-b-for-b-the-harbour.html')
    await expect(dialog.getByRole('status')).toContainText('was saved')
    const file = join(home, 'shared.html')
    await download.saveAs(file)
    expect(readFileSync(file, 'utf8')).not.toContain('ada@example.com')

    const context = await (await chromium()).newContext({ offline: true })
    const shared = await context.newPage()
    const wrong: string[] = []
    watchForErrors(shared, (error) => wrong.push(error))
    shared.on('request', (request) => {
      if (!request.url().startsWith('file:')) wrong.push(`asked for ${request.url()}`)
    })
    await shared.addInitScript(() => {
      const { querySelectorAll } = Element.prototype
      Element.prototype.querySelectorAll = function (this: Element, selectors: string) {
        document.documentElement.dataset.lookUps = String(Number(document.documentElement.dataset.lookUps ?? 0) + 1)
        return querySelectorAll.call(this, selectors)
      }
    })
    await shared.goto(pathToFileURL(file).href)
    await expect(shared.getByRole('heading', { name: /A plan <b>for<\/b> the harbour/ })).toBeVisible()
    await expect(shared.getByRole('img', { name: 'Strata' })).toBeVisible()
    // What each of its two summaries was made from is looked up once, and nothing of a message.
    await expect(shared.locator('html')).toHaveAttribute('data-look-ups', '2')
    // Hostile text is text.
    await expect(shared.getByText('window.pwned = 1').first()).toBeVisible()
    expect(await shared.evaluate(() => 'pwned' in window)).toBe(false)
    await expect(shared.locator('main img, main script, main iframe')).toHaveCount(0)

    // From a message up to the window, and back down.
    const lineage = shared.getByRole('complementary', { name: 'Lineage' })
    await shared.getByRole('link', { name: 'msg_1', exact: true }).last().click()
    await expect(lineage.getByRole('heading', { name: /The crane lifts/ })).toBeVisible()
    await expect(lineage.getByRole('link')).toHaveText(['The crane and the tide', 'All about the harbour'])
    await lineage.getByRole('link', { name: 'The crane and the tide' }).click()
    await expect(lineage.getByText('Made from · 3')).toBeVisible()

    // Its own search, by keyboard.
    await shared.keyboard.press('/')
    await shared.keyboard.type('40 TONNES')
    await expect(shared.getByRole('status')).toHaveText('1 of 6')
    await expect(shared.getByRole('article')).toHaveCount(1)
    await shared.keyboard.press('Escape')
    await expect(shared.getByRole('article')).toHaveCount(4)
    expect(wrong).toEqual([])
    await context.close()
  },
)
