import type { Locator } from '@playwright/test'
import { expect, SHARED_HOST, test } from './app.ts'
import { sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test('a comparison asks what is compared first, differences are walked by keyboard, and a copied link shows the same', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(sampleCopy(home))
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  await page.evaluate(() => {
    location.hash = '#/conversation/1/compare'
  })
  // No job begins before somebody says what is compared.
  const question = page.getByRole('heading', { name: 'What do you want to compare?' })
  await expect(question).toBeVisible()
  // The ways to begin stand below each other, each as wide as the others.
  const ways = page.locator('div', { has: question }).last().getByRole('button')
  await expect(ways).toHaveCount(3)
  const boxes = await Promise.all((await ways.all()).map((way) => way.boundingBox()))
  expect(new Set(boxes.map((box) => `${box?.x} ${box?.width}`)).size).toBe(1)
  await page.getByRole('button', { name: 'Before and after the last compaction' }).click()
  const differences = page.getByRole('grid', { name: 'Differences' })
  await expect(differences).toHaveAttribute('aria-rowcount', '13')
  await expect(page).toHaveURL(/a=message-\d+/)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/difference=2/)
  await expect(page.getByRole('region', { name: 'A', exact: true })).toContainText('of 84 details')
  await expect(page.getByRole('region', { name: 'B', exact: true })).toContainText(
    'has the same, but not in its window',
  )

  // The button stands beside what it compares, also with its longer name.
  const middleOf = async (one: Locator): Promise<number> => {
    const box = await one.boundingBox()
    return box ? Math.round(box.y + box.height / 2) : -1
  }
  const [again, chosen] = [page.getByRole('button', { name: 'Compare again' }), page.getByLabel('window of B')]
  expect(Math.abs((await middleOf(again)) - (await middleOf(chosen)))).toBeLessThanOrEqual(2)

  // In a low window the view is scrolled, and no text stands over the list.
  const whole = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 900, height: 700 })
  await expect
    .poll(async () => {
      const [list, text] = [differences, page.getByRole('region', { name: 'A', exact: true })]
      const [above, below] = [await list.boundingBox(), await text.boundingBox()]
      return above && below && above.height > 100 && above.y + above.height <= below.y + 1
    })
    .toBe(true)
  await page.setViewportSize(whole)

  // In a comparison a digit filters; elsewhere it opens a view.
  await page.keyboard.press('3')
  await expect(page).toHaveURL(/only=b/)
  await expect(differences).toHaveAttribute('aria-rowcount', '11')
  await page.keyboard.press('1')
  await expect(differences).toHaveAttribute('aria-rowcount', '13')

  await page.keyboard.press('s')
  await expect(page).toHaveURL(/b=message-\d+/)
  await expect(page.getByRole('radio', { name: 'only A 10' })).toBeVisible()
  const link = await page.evaluate(() => location.hash)
  await page.evaluate(() => {
    location.hash = '#/conversation/1/start'
  })
  await page.evaluate((hash) => {
    location.hash = hash
  }, link)
  await expect(page.getByRole('radio', { name: 'only A 10' })).toBeVisible()

  // An address without sides asks again, also while a comparison is shown.
  await page.evaluate(() => {
    location.hash = '#/conversation/1/compare'
  })
  await expect(question).toBeVisible()
  // What the last compaction changed can be linked to. Another side is compared as both are now.
  await page.evaluate(() => {
    location.hash = '#/conversation/1/compare?a=last'
  })
  await expect(page).toHaveURL(/[?&]a=message-\d+/)
  await page.getByRole('button', { name: /^B: / }).click()
  await page
    .getByRole('dialog', { name: 'Side B' })
    .getByRole('button', { name: /Nightly reconciliation/ })
    .click()
  await expect(page).toHaveURL(/compare\?b-conversation=4$/)
})

test('another memory is chosen by its path, and an unknown one is said', async ({ openMemory, home }) => {
  const path = sampleCopy(home)
  const page = await openMemory(path)
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  await page.evaluate(() => {
    location.hash = '#/conversation/5/compare'
  })
  await page.getByRole('button', { name: /^B: / }).click()
  const dialog = page.getByRole('dialog', { name: 'Side B' })
  await dialog.getByLabel('Other memory').fill(`${path}.missing`)
  await dialog.getByRole('button', { name: 'Take the other memory' }).click()
  await expect(page.getByText(/^There is no file at .*missing/).filter({ visible: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.getByRole('button', { name: /^B: / }).click()
  await dialog.getByLabel('Other memory').fill(path)
  await dialog.getByRole('button', { name: 'Take the other memory' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'No difference' })).toBeVisible()

  // Two histories without a common message are not laid beside each other.
  await page.evaluate(() => {
    location.hash = '#/conversation/5/compare?b-conversation=2'
  })
  await expect(page.getByRole('heading', { name: 'Nothing in common' })).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Differences' })).toBeVisible()
})
