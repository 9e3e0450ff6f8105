import { expect, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test('a detail that a compaction lost is kept by its pin, stands among the pins, and is let go again', async ({
  openSample,
}) => {
  test.setTimeout(180_000)
  const page = await openSample()
  const showLosses = async () => {
    await page.evaluate(() => {
      location.hash = '#/conversation/1/compact?compact.list=history'
    })
    await page.getByRole('button', { name: /→/ }).first().click()
    await page.getByRole('button', { name: 'Show what it lost' }).click()
  }
  await showLosses()
  const losses = page.getByRole('region', { name: 'What the compaction lost' })
  const first = losses.getByRole('listitem').first()
  await first.getByRole('button', { name: 'Keep this' }).click({ timeout: 120_000 })
  const kept = first.getByRole('button', { name: 'Kept' })
  await expect(kept).toHaveAttribute('aria-pressed', 'true')

  await page.keyboard.press('g')
  await page.keyboard.press('b')
  const pins = page.getByRole('grid', { name: 'Pins and notes' })
  await expect(pins.getByRole('row')).toHaveCount(2)
  await showLosses()
  await kept.click()
  await expect(first.getByRole('button', { name: 'Keep this' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await expect(page.getByText('Nothing is pinned or noted')).toBeVisible()
})
