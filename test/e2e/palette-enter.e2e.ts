import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

test('Enter in the palette waits for a conversation of this name', IN_BROWSER, async ({ openMemory, home }) => {
  // The palette lists fewer conversations before something is typed, and the wanted one is the oldest.
  const path = builtMemory(home, (memory) => {
    memory.conversation({ title: 'Nightly reconciliation', messages: [{ content: 'begin', atMs: Date.UTC(2026, 0) }] })
    for (let n = 1; n <= 80; n += 1)
      memory.conversation({ title: `Later ${n}`, messages: [{ content: 'begin', atMs: Date.UTC(2026, 1, 1, 0, n) }] })
  })
  const page = await openMemory(path)
  await expect(page.getByRole('navigation', { name: 'Conversations' })).toContainText('Later 80')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  for (const pause of [false, true]) {
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('nightly')
    if (pause) await expect(palette.getByRole('option').first()).toHaveText(/Nightly reconciliation/)
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
    await expect(page.getByRole('contentinfo')).toContainText('LCM: 1 msg')
    await expect(page).toHaveURL(/conversation\/1\/(?!search)/)
    await page.goto(new URL('#/conversation/40/layers', page.url()).href)
    await expect(page).toHaveURL(/conversation\/40\//)
  }
})
