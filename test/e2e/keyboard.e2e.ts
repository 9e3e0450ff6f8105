import { VIEWS } from '#renderer/views.ts'
import { expect, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test('the palette reaches views, actions, conversations and ids, every view has its key, and ? lists them', async ({
  openSample,
}) => {
  const page = await openSample()
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  const run = async (text: string) => {
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('combobox')).toBeFocused()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
  }
  // A list of rows is no stop of its own.
  await expect(
    page.getByRole('navigation', { name: 'Conversations' }).locator('[data-virtuoso-scroller]'),
  ).toHaveAttribute('tabindex', '-1')
  await run('compact')
  await expect(page).toHaveURL(/compact/)
  await run('nightly')
  await expect(page.getByRole('navigation', { name: 'Conversations' }).locator('[aria-current=true]')).toContainText(
    'Nightly reconciliation',
  )
  await run('msg_3')
  await expect.poll(() => page.url()).toContain('select=msg_3')
  await run('check the memory')
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()

  for (const [index, view] of VIEWS.slice(0, 9).entries()) {
    await page.keyboard.press(String(index + 1))
    await expect(page).toHaveURL(new RegExp(`/${view}`))
    if (view === 'find') {
      // The field takes the focus once its view is loaded, and would take it from the footer when that is later.
      await expect(page.getByRole('combobox', { name: 'Search messages and summaries' })).toBeFocused()
      await page.keyboard.press('Escape')
    }
    await page.getByRole('contentinfo').click({ position: { x: 5, y: 5 } })
  }
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await expect(keys).toContainText('everything by name')
  await page.keyboard.press('Escape')
  await expect(keys).toBeHidden()
  // In a comparison the first digits filter, and its keys come first.
  await page.keyboard.press('8')
  await page.keyboard.press('2')
  await expect(page).toHaveURL(/\/compare/)
  await page.keyboard.press('?')
  await expect(keys.getByRole('heading', { level: 2 }).nth(1)).toHaveText('In a comparison')
  await page.keyboard.press('Escape')
  await page.keyboard.press('5')
  await expect(page).toHaveURL(/\/layers/)
  await page.keyboard.press('?')
  await expect(keys.getByRole('heading', { level: 2 }).nth(1)).toHaveText('In the layers')
})
