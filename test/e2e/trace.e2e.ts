import type { Locator } from '@playwright/test'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { hitsOf } from './memories.ts'

test.use(SHARED_HOST)

test('words are traced to the window, T traces what is selected, and what nothing says or is not there is called that', async ({
  openSample,
}) => {
  const page = await openSample()
  const go = (hash: string) =>
    page.evaluate((to) => {
      location.hash = to
    }, hash)
  await page.keyboard.press('/')
  await page.getByRole('radio', { name: 'Trace' }).check({ force: true })
  await page.getByRole('searchbox', { name: 'What to trace' }).fill('PAY-1187')
  const places = page.getByRole('list', { name: 'Places that say it' })
  await expect(places.getByRole('listitem')).toHaveCount(7)
  // Whichever place is looked at, it is known: the verdict over all places stands first.
  await expect(page.getByRole('heading', { name: /^Known\. Lost 6 times, said again/ })).toBeVisible()
  await places.getByRole('button', { name: /message 52/ }).click()
  await expect(page).toHaveURL(/trace=msg_52/)
  await expect(
    page.getByRole('heading', { name: /^Lost at Agreed, tomorrow.* sum_e2247.* by compaction 2/ }),
  ).toBeVisible()
  const ladder = page.getByRole('list', { name: 'From the window down to the message' })
  await expect(ladder.getByRole('article')).toHaveCount(5)
  await expect(ladder).toContainText(/told again by message \d+/)
  const detail = page.getByRole('complementary', { name: 'Detail' })
  await expect(detail).toContainText('By expanding')
  await expect(detail).toContainText('lcm expand sum_e2247dac4dd5ab45')
  await expect(detail).toContainText('"PAY-1187"')
  await expect(detail).toContainText('Lost with it')

  await page.getByRole('heading', { name: /^Lost at/ }).click()
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/trace=msg_22/)
  await page.keyboard.press('x')
  await expect(places.getByRole('listitem')).toHaveCount(6)

  await go('#/conversation/1/messages?select=msg_52')
  await expect(detail).toContainText('msg_52')
  const row = page.getByRole('article', { name: /msg_52$/ })
  await expect(row.getByTitle(/^\d+ of its \d+\s?details still stand in the window$/)).toHaveText(/\d+ of \d+ known/)
  await page.keyboard.press('t')
  await expect(page).toHaveURL(/find\?.*trace=msg_52/)
  await expect(page.getByRole('heading', { name: /^Partly lost at/ })).toBeVisible()

  await go('#/conversation/1/find?trace=1&query=zebra99171')
  await expect(page.getByRole('heading', { name: 'Nothing says this' })).toBeVisible()
  await go('#/conversation/1/find?trace=msg_99999')
  const missing = 'There is no message, summary or file "msg_99999"'
  await expect(page.getByRole('region', { name: 'Trace' })).toContainText(missing)
  await go('#/conversation/1/compact?compact.list=history&compact.run=run_nowhere')
  await expect(page.getByText('This conversation has no run run_nowhere')).toBeVisible()
})

test(
  'the words of a search travel: a hit is traced for them, in its own conversation, and a question begins with them',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.evaluate(() => {
      location.hash = '#/conversation/1/find?query=JPY'
    })
    const hit = hitsOf(page).and(page.locator('[data-node^=msg_4]')).first()
    await hit.click()
    await expect(page).toHaveURL(/conversation\/1\/.*select=msg_4/)
    await page.getByRole('contentinfo').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('t')
    await expect(page).toHaveURL(/conversation\/[2-5]\/find.*query=JPY.*trace=msg_4/)
    await expect(page.getByRole('searchbox', { name: 'What to trace' })).toHaveValue('JPY')
    await page.getByRole('radio', { name: 'Ask' }).check({ force: true })
    await expect(page.getByRole('textbox', { name: 'Question to the memory' })).toHaveValue('JPY')
    await page.getByRole('radio', { name: 'Find' }).check({ force: true })
    await expect(page.getByRole('combobox', { name: 'Search messages and summaries' })).toHaveValue('JPY')

    // Whoever turns to another conversation stays there.
    await page.goBack()
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('button', { name: /Double charges/ })
      .click()
    await expect(page).toHaveURL(/conversation\/1\/find/)
  },
)

test(
  'a chosen hit leads to where its words are now, what lost them and how to get them back, without leaving the search',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search messages and summaries' }).fill('PAY-1187')
    await expect(page.getByRole('heading', { name: /^Known\. Lost 6 times, said again/ })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    const panel = page.getByRole('complementary', { name: 'Detail' })
    await expect(panel.getByRole('heading', { name: /^Lost at .* by compaction 2/ })).toBeVisible()
    await expect(panel).toContainText('lcm expand sum_e2247dac4dd5ab45')
    await expect(panel.getByRole('list', { name: 'From the window down to the message' })).toContainText('lost here')
    expect(await cutAtRight(panel)).toEqual([])
    await expect(page).toHaveURL(/\/find\?/)
    // The same words are traced and asked.
    await page.getByRole('radio', { name: 'Trace' }).check({ force: true })
    await expect(page.getByRole('searchbox', { name: 'What to trace' })).toHaveValue('PAY-1187')
  },
)

/** Returns the first words of each part that is wider than its room, and neither scrolls nor ends in an ellipsis. */
function cutAtRight(region: Locator): Promise<readonly string[]> {
  return region.evaluate((root) =>
    [...root.querySelectorAll('*')].flatMap((element) => {
      const { display, overflowX, textOverflow } = getComputedStyle(element)
      // A part of a line has no width of its own, and what is only read out has one pixel.
      const isWider = display !== 'inline' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth
      // Only what scrolls by itself may be wider: the panel as a whole does not scroll to the right.
      const isReached = overflowX === 'scroll' || (overflowX === 'auto' && element.parentElement !== root)
      return isWider && !isReached && textOverflow !== 'ellipsis' ? [`${element.textContent?.slice(0, 80)}`] : []
    }),
  )
}
