import type { Locator } from '@playwright/test'
import { expect, SHARED_HOST, test, toProgram } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test('the context window lists each item with its reason, and shows what a smaller budget leaves out', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const facts = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: /^Window/ }).click()
  const view = page.getByRole('region', { name: 'Window of the conversation' })
  const table = view.getByRole('grid', { name: 'Items of the window' })
  await expect(view).toContainText(`${facts.contextTokens.toLocaleString('en')}`)
  await expect(table.getByRole('row').nth(1)).toContainText('always in')

  const row = table
    .getByRole('row')
    .filter({ has: page.locator('[title^=sum_]') })
    .first()
  await expect(row).toContainText(/stands for \d+ messages/)
  const id = (await row.locator('[title^=sum_]').first().getAttribute('title')) ?? ''
  await row.click()
  const detail = page.getByRole('complementary', { name: 'Detail' })
  await expect(detail.getByRole('button', { name: `Copy ${id}` })).toBeVisible()

  // A moment in the middle of a run is named in full.
  await page.setViewportSize({ width: 1440, height: 900 })
  const time = view.getByRole('group', { name: 'Time' })
  for (let steps = 0; steps < 2; steps += 1)
    await time.getByRole('button', { name: 'To the compaction before' }).click()
  const moment = time.getByRole('paragraph')
  await expect(moment).toContainText(/in compaction \d+ of \d+, step \d+ of \d+/)
  expect(await moment.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0)
  await time.getByRole('button', { name: 'now' }).click()
  // The present stands on the line of the slider.
  await expect(moment).toHaveText('as of now')
  const topOf = async (of: Locator) => (await of.boundingBox())?.y ?? 0
  expect(await topOf(moment)).toBeLessThan((await topOf(time.getByRole('button', { name: 'now' }))) + 20)

  // Beside the detail at 1280 pixels the list keeps its words, and no tab is out of reach.
  await page.setViewportSize({ width: 1280, height: 800 })
  const widthOf = async (of: Locator) => (await of.boundingBox())?.width ?? 0
  await expect.poll(() => widthOf(view)).toBeGreaterThanOrEqual(560)
  await toProgram(page, 'Activity')
  await expect(page).toHaveURL(/\/activity/)
  await expect(detail).toBeHidden()
  await expect(page.getByRole('button', { name: /right panel/ })).toBeHidden()
  await page.getByRole('button', { name: 'Back to the memory' }).click()
  await expect(detail.getByRole('button', { name: `Copy ${id}` })).toBeVisible()

  // What if is a form of the window, with the items beside it.
  const whatIf = view.getByRole('region', { name: 'What if' })
  await expect(whatIf).toBeHidden()
  const shownAs = view.getByRole('radiogroup', { name: 'Shown as' })
  await shownAs.getByText('what if').click()
  await expect(whatIf).toBeVisible()
  await expect(detail.getByRole('button', { name: `Copy ${id}` })).toBeVisible()
  await table.getByRole('row').nth(1).click()
  await expect(detail.getByRole('button', { name: 'Copy msg_1', exact: true })).toBeVisible()

  // The table itself takes the keys, and tells a screen reader which row they are on.
  await table.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  const second = table.getByRole('row').nth(2)
  await expect(second).toHaveAttribute('aria-selected', 'true')
  await expect(table).toHaveAttribute('aria-activedescendant', (await second.getAttribute('id')) ?? '')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/messages\?/)
  await page.goBack()
  await expect(whatIf).toBeVisible()

  const budget = whatIf.getByRole('textbox', { name: 'budget' })
  await budget.fill('3,000')
  await budget.press('Enter')
  await expect(view).toContainText('of 3,000')
  // What is left out is folded, so that the list begins with what the model sees.
  const left = table.getByRole('button', { name: /items left out here, .*\stokens/ }).first()
  await expect(table.getByRole('row').nth(1)).toContainText('always in')
  await left.click()
  await expect(table).toContainText(/out: .*tokens/)
  await whatIf.getByRole('textbox', { name: 'newest' }).fill('0')
  await whatIf.getByRole('textbox', { name: 'newest' }).press('Enter')
  await expect(view).toContainText('of 3,000')

  // The other forms say that settings are tried, and put them back.
  await shownAs.getByText('list').click()
  await view.getByRole('button', { name: 'Other settings tried: reset' }).click()
  await expect(view).not.toContainText('of 3,000')
})

test('the payload is shown as each provider accepts it', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await page.getByRole('link', { name: /^Window/ }).click()
  const view = page.getByRole('region', { name: 'Window of the conversation' })
  await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('payload').click()
  await view.getByText('Anthropic').click()
  await expect(view).toContainText('"system": "You are the engineering agent')
  await view.getByText('OpenAI').click()
  await expect(view).toContainText('"role": "system"')
})
