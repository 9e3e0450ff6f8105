import { VIEWS } from '#renderer/views.ts'
import { expect, IN_BROWSER, SHARED_HOST, THROUGH_SHELL, test } from './app.ts'
import { OF_COLOUR, violations } from './axe.ts'
import { factsOf, sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test(
  'a theme can be chosen and is remembered, and the desktop’s own colours come first',
  THROUGH_SHELL,
  async ({ openMemory }) => {
    const page = await openMemory()
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Theme' }).click()
      await page.getByRole('menuitemradio', { name, exact: true }).click()
    }
    await choose('Dark')
    await expect.poll(ground).toBe('rgb(14, 17, 22)')
    await choose('Light')
    await expect.poll(ground).toBe('rgb(251, 250, 248)')
    await page.reload()
    await expect.poll(ground).toBe('rgb(251, 250, 248)')
    await choose('High contrast')
    await expect.poll(ground).toBe('rgb(0, 0, 0)')

    // The system is followed in its wish for more contrast.
    await choose('As the system')
    await page.emulateMedia({ colorScheme: 'dark', contrast: 'more' })
    await expect.poll(ground).toBe('rgb(0, 0, 0)')
    await page.emulateMedia({ colorScheme: 'light', contrast: 'more' })
    await expect.poll(ground).toBe('rgb(255, 255, 255)')
    await choose('Dark')
    await page.emulateMedia({ colorScheme: 'light', contrast: null, forcedColors: 'active' })
    const canvas = await page.evaluate(() => {
      const element = document.createElement('i')
      element.style.cssText = 'forced-color-adjust: none; color: Canvas'
      document.body.append(element)
      return getComputedStyle(element).color
    })
    await expect.poll(ground).toBe(canvas)
  },
)

const DARK = { colorScheme: 'dark', forcedColors: null } as const
const LIGHT = { colorScheme: 'light', forcedColors: null } as const
const MORE = [
  { name: 'high contrast', ...DARK, contrast: 'more' },
  { name: 'light, more contrast', ...LIGHT, contrast: 'more' },
] as const
/** Views share their parts, and forced colours come from the system: each view is looked at in one of the two. */
const FORCED = [
  { name: 'forced dark colours', ...DARK, contrast: null, forcedColors: 'active' },
  { name: 'forced light colours', ...LIGHT, contrast: null, forcedColors: 'active' },
] as const

test('every view can be read with more contrast and in forced colours', IN_BROWSER, async ({ openMemory, home }) => {
  // Axe looks at every element of every view three times.
  test.setTimeout(300_000)
  const path = sampleCopy(home)
  const { conversationId } = await factsOf(path)
  const page = await openMemory(path)
  const found: Record<string, string[]> = {}
  for (const [at, view] of VIEWS.entries()) {
    await page.evaluate((hash) => location.assign(hash), `#/conversation/${conversationId}/${view}?select=msg_3`)
    await expect(page).toHaveURL(new RegExp(`/${view}`))
    for (const { name, ...media } of [...MORE, FORCED[at % 2 === 0 ? 0 : 1]]) {
      await page.emulateMedia(media)
      const wrong = await violations(page, OF_COLOUR)
      if (wrong.length > 0) found[`${view}, ${name}`] = wrong
    }
  }
  expect(found).toEqual({})
})
