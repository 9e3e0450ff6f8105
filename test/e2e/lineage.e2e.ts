import type { Page } from '@playwright/test'
import { expect, SHARED_HOST, test, toStrata, toTree } from './app.ts'
import { builtMemory, sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

const passages = (page: Page) => page.getByRole('complementary', { name: 'Source passages' })
const sentences = (page: Page) => page.locator('[data-claim]')

test('the lineage goes from the window down to the messages, by key', async ({ openSample }) => {
  const page = await openSample()
  await toTree(page)
  const tree = page.getByRole('tree', { name: 'Summaries and what they stand for' })
  await expect(tree.getByRole('treeitem').nth(1)).toBeVisible()
  const where = page.getByRole('navigation', { name: 'Where it stands in the window' })
  await expect(where).toContainText('window #')

  // To the first source, its first source, and so on, until there is a message.
  await page.keyboard.press('ArrowLeft')
  await expect(page).toHaveURL(/layers\?select=sum_/)
  await expect(where).toContainText('›')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(page).toHaveURL(/layers\?select=msg_/)
  await expect(page.getByRole('region', { name: 'Lineage' })).toContainText('in the window')
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/layers\?select=sum_/)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/messages|layers/)
})

test('the head of the lineage says the layer of the summary in full in a small window', async ({ openSample }) => {
  const page = await openSample()
  await page.setViewportSize({ width: 900, height: 700 })
  await toStrata(page)
  const head = page.getByRole('region', { name: 'Lineage' }).locator('header')
  const layer = head.getByRole('button', { name: /^depth \d Copy sum_/ })
  await expect(layer).toBeVisible()
  expect(await layer.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

test('the graph holds every summary, finds one by its words, and keys lead to sources, dependents and neighbours', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.evaluate(() => {
    location.hash = '#/conversation/1/layers?layers.form=graph'
  })
  const graph = page.getByRole('region', { name: 'Graph' })
  const cards = graph.locator('.react-flow__node')
  const selection = () => new URL(page.url()).hash.match(/select=(sum_[^&]+)/)?.[1] ?? null
  await expect(graph.getByRole('status').first()).toHaveText(/36\ssummaries · 32\slinks/)
  await expect(cards.first()).toBeVisible()
  await expect(graph.getByRole('img', { name: 'All 36 summaries in small' })).toBeVisible()

  await graph.getByRole('searchbox').fill('webhook')
  await expect(graph.getByRole('status').first()).toContainText('Enter goes to the next')
  await page.keyboard.press('Enter')
  await expect.poll(selection).not.toBeNull()
  const first = selection()
  await page.keyboard.press('Enter')
  await expect.poll(selection).not.toBe(first)
  await graph.getByRole('searchbox').fill('')

  // To what was made of it, back to a source, and along its column; the card of the selection is in sight.
  await graph.getByRole('group', { name: /^36\ssummaries/ }).focus()
  await page.keyboard.press('End')
  await expect.poll(selection).not.toBe(first)
  const last = selection()
  await page.keyboard.press('ArrowUp')
  await expect.poll(selection).not.toBe(last)
  await page.keyboard.press('ArrowDown')
  await expect.poll(selection).toBe(last)
  await page.keyboard.press('ArrowRight')
  await expect.poll(selection).not.toBe(last)
  await page.keyboard.press('ArrowLeft')
  await expect(cards.filter({ has: page.getByTitle(selection() ?? '') })).toBeInViewport()

  // Another form keeps the selection.
  const kept = selection()
  await page.getByRole('radiogroup', { name: 'How the layers are shown' }).getByText('tree').click()
  await expect(page.getByRole('navigation', { name: 'Where it stands in the window' })).toBeVisible()
  expect(selection()).toBe(kept)
})

test('a sentence and words that are selected show where they come from, and passages open in their messages', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(sampleCopy(home))
  await toTree(page)
  await expect(sentences(page).first()).toHaveAttribute('data-support', /supported|weak|none/)
  await page.keyboard.press('n')
  await expect(sentences(page).first()).toHaveAttribute('aria-pressed', 'true')
  await expect(passages(page)).toContainText(/carries it/)
  await expect(passages(page).locator('mark').first()).toBeVisible()
  await expect(page.locator('[data-claim="0"] [data-match]').first()).toBeVisible()
  await page.keyboard.press('p')
  await expect(sentences(page).first()).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('n')
  await passages(page)
    .getByRole('button', { name: /message \d/ })
    .first()
    .click()
  await expect(page).toHaveURL(/messages\?select=msg_/)
  await page.goBack()
  await expect(sentences(page).first()).toBeVisible()

  await page.keyboard.press('n')
  await expect(sentences(page).first()).toBeFocused()
  for (let words = 0; words < 4; words += 1) await page.keyboard.press('Shift+ArrowRight')
  await expect(passages(page)).toContainText('Where the selected words come from')
  await expect(
    passages(page)
      .getByRole('button', { name: /message \d|first summary|depth \d/ })
      .first(),
  ).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(passages(page)).not.toContainText('Where the selected words come from')

  // The detail of a summary leads here.
  await page
    .getByRole('treeitem')
    .filter({ has: page.locator('[title^=sum_]') })
    .nth(1)
    .click()
  await expect(page).toHaveURL(/select=sum_/)
  await page.getByRole('radiogroup', { name: 'How the layers are shown' }).getByText('drawing').click()
  await page.getByRole('button', { name: 'Check against its sources' }).click()
  await expect(page).toHaveURL(/layers\?select=sum_/)
})

test('an invented claim is marked, with what the source says instead', async ({ openMemory, home }) => {
  const path = builtMemory(home, (memory) => {
    const conversation = memory.conversation()
    const message = memory.message(conversation, {
      content: 'The nightly export failed at 03:30 because port 8443 was closed by the firewall of the depot.',
    })
    memory.leaf(conversation, [message], {
      content:
        'The nightly export failed because port 9443 was closed by the firewall of the depot. The board approved a budget for Lisbon.',
    })
  })
  const page = await openMemory(path)
  await toTree(page)
  await expect(sentences(page).nth(0)).toHaveAttribute('data-support', 'weak')
  await expect(sentences(page).nth(1)).toHaveAttribute('data-support', 'none')
  await expect(page.locator('[data-standing="nowhere"]').first()).toHaveText('9443')
  await sentences(page).nth(0).click()
  await expect(passages(page)).toContainText('8443')
})
