import { expect, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

const HOSTILE = '<img src=x onerror=alert(1)> [link](javascript:alert(1)) \u202eevil'

test('a node is pinned and noted by keyboard, marked where it stands, and a removed note comes back', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  const rows = page.getByRole('article').filter({ hasText: 'message ' })
  await rows.first().waitFor()
  await page.keyboard.press('Home')
  const row = page.locator('article[aria-current]')
  await expect(row).toHaveCount(1)
  await page.keyboard.press('b')
  await expect(row.getByRole('img', { name: 'Pinned', exact: true })).toBeVisible()

  await page.keyboard.press('Shift+B')
  const detail = page.getByRole('complementary', { name: 'Detail' })
  const field = detail.getByRole('textbox', { name: 'Note' })
  await expect(field).toBeFocused()
  await field.fill(HOSTILE)
  await field.press('Control+Enter')
  const note = detail.getByRole('region', { name: 'Note' })
  await expect(note).toContainText('<img src=x onerror=alert(1)> [link](javascript:alert(1))')
  await expect(note.locator('img, a')).toHaveCount(0)
  await expect(row.getByRole('img', { name: /^Pinned: <img/ })).toBeVisible()

  await note.getByRole('button', { name: 'Remove' }).click()
  await expect(row.getByRole('img', { name: 'Pinned', exact: true })).toBeVisible()
  await note.getByRole('button', { name: 'Undo' }).click()
  await expect(note).toContainText('onerror')

  // The list, filtered, leads back to the message; so does the palette.
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  const list = page.getByRole('grid', { name: 'Pins and notes' })
  await expect(list.getByRole('row')).toHaveCount(2)
  await page.getByRole('searchbox', { name: 'Filter pins and notes' }).fill('javascript: engineering')
  await expect(list.getByRole('row').nth(1)).toContainText('onerror=alert(1)')
  await list.getByRole('link', { name: 'You are the engineering agent' }).click()
  await expect(page).toHaveURL(/messages\?select=msg_1/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('link javascript')
  await page.getByRole('option', { name: /<img src=x/ }).click()
  await expect(page).toHaveURL(/messages\?select=msg_1/)
})
