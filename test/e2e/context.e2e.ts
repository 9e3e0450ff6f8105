import { expect, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

test('the context window lists each item with its reason, and shows what a smaller budget leaves out', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const facts = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: /^Context/ }).click()
  const view = page.getByRole('region', { name: 'Context window' })
  const table = view.getByRole('table', { name: 'Items of the context window' })
  await expect(view).toContainText(`${facts.contextTokens.toLocaleString('en')}`)
  await expect(table.getByRole('row').nth(1)).toContainText('always in')

  const row = table.getByRole('row').filter({ hasText: 'sum_' }).first()
  await expect(row).toContainText(/stands for \d+ messages/)
  const id = (await row.getByRole('button', { name: /^sum_/ }).textContent())?.trim() ?? ''
  await row.click()
  const detail = page.getByRole('complementary', { name: 'Detail' })
  await expect(detail.getByRole('button', { name: `Copy ${id}` })).toBeVisible()

  // One at a time at the right side: what was asked for last.
  const whatIf = view.getByRole('complementary', { name: 'What if' })
  await expect(whatIf).toBeHidden()
  await view.getByRole('button', { name: 'What if' }).click()
  await expect(whatIf).toBeVisible()
  await expect(detail).toBeHidden()
  await table.getByRole('row').nth(1).click()
  await expect(whatIf).toBeHidden()
  await expect(detail).toBeVisible()
  await view.getByRole('button', { name: 'What if' }).click()

  const budget = view.getByRole('textbox', { name: 'budget' })
  await budget.fill('3,000')
  await budget.press('Enter')
  await expect(view).toContainText('of 3,000')
  await expect(table).toContainText(/out: .*tokens/)
  await view.getByRole('textbox', { name: 'fresh tail' }).fill('0')
  await view.getByRole('textbox', { name: 'fresh tail' }).press('Enter')
  await expect(view).toContainText('of 3,000')
})

test('the payload is shown as each provider accepts it', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await page.getByRole('link', { name: /^Context/ }).click()
  const view = page.getByRole('region', { name: 'Context window' })
  await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('payload').click()
  await view.getByText('Anthropic').click()
  await expect(view).toContainText('"system": "You are the engineering agent')
  await view.getByText('OpenAI').click()
  await expect(view).toContainText('"role": "system"')
})
