import { expect, SHARED_HOST, THROUGH_SHELL, test } from './app.ts'

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
