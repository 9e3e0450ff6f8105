import { expect, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test('the bytes of a small file are measured at once, and stay measured after a reload', async ({ openSample }) => {
  const page = await openSample()
  // The chord of the view.
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  const rows = page.getByRole('row')
  await expect(rows.filter({ hasText: /^messages/ }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: /^Advice/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Text stored more than once' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Ledger' })).toBeVisible()
  await expect(page.getByText('lcm ledger')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Settings' })).toHaveAttribute('href', /settings/)
  // Advice never comes with a button that follows it.
  await expect(page.getByRole('main').getByRole('button', { name: /vacuum|delete|compact/i })).toHaveCount(0)

  await page.reload()
  await expect(page.getByRole('button', { name: 'Measure again' })).toBeVisible()
  await expect(rows.filter({ hasText: /^messages/ }).first()).toBeVisible()
})
