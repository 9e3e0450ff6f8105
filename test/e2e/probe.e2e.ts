import { expect, SHARED_HOST, test } from './app.ts'
import { sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test('a probe asks, shows the trace of a question, compares with a compaction, and is written down', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(sampleCopy(home))
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  await page.evaluate(() => {
    location.hash = '#/conversation/1/find?probe=0&limit=20'
  })
  await expect(page.getByRole('heading', { name: 'Would the agent have remembered?' })).toBeVisible()
  await page.getByRole('region', { name: 'Probe' }).getByRole('button', { name: 'Probe' }).first().click()
  const questions = page.getByRole('grid', { name: 'Questions' })
  await expect(questions).toHaveAttribute('aria-rowcount', '21')
  // What is known without looking stands first, and no single number says what an agent still knows.
  const head = page.getByRole('region', { name: 'Probe' }).getByText('known without looking')
  await expect(head).toBeVisible()
  await expect(page.getByRole('contentinfo')).toContainText(
    /\d+\s% known without looking · \d+\s% by one search · \d+\s% lost/,
  )
  // The figure is kept: this view names it, and Activity draws it.
  await expect(page.getByText(/^Known or found in the last probes: \d+\s% at /)).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/logs'
  })
  await expect(
    page.getByRole('slider', { name: /^Known or found when probed. \d+\s% in the last of 1\sprobe/ }),
  ).toBeVisible()
  await page.goBack()

  await page.getByRole('button', { name: /^\S* ?\d+ by search/ }).click()
  await expect(page).toHaveURL(/state=by_search/)
  await page.keyboard.press('ArrowDown')
  await expect(page).toHaveURL(/probe=[1-9]/)
  await expect(page.getByRole('region', { name: /^Question/ })).toContainText('search “')
  await expect(page.getByRole('list', { name: 'From the window down to the message' })).toBeVisible()
  await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('By search')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/messages\?select=msg_/)
  await page.goBack()
  await expect(page.getByRole('region', { name: /^Question/ })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('region', { name: /^Question/ })).toHaveCount(0)
  await page.goForward()
  await expect(page.getByRole('region', { name: /^Question/ })).toBeVisible()

  await page.getByLabel('compare with').selectOption('after a compaction')
  await page.getByRole('button', { name: 'Probe again' }).click()
  await page.getByRole('button', { name: /^only what changed/ }).click()
  await expect(page).toHaveURL(/changed=1/)
  await expect(page.getByRole('img', { name: /^Answers after a compaction/ })).toBeVisible()

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export the report' }).click()
  await page.getByRole('menuitem', { name: 'Markdown' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^probe-.*-1\.md$/)
})
