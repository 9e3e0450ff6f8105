import { expect, IN_BROWSER, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

test(
  'the log shows what was done, in charts, lines and jobs, also after the window is loaded anew',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const page = await openMemory(path)
    const go = (view: string) =>
      page.evaluate((place) => {
        location.hash = place
      }, `#/conversation/${conversationId}/${view}`)
    await go('integrity')
    await page.getByRole('button', { name: 'Check now' }).click()
    await expect(page.getByRole('contentinfo')).toContainText('nothing wrong')

    await go('logs')
    const log = page.getByRole('grid', { name: 'Log' })
    await expect(log.getByRole('row', { name: /scan\.done/ })).toBeVisible()
    const cut = await log
      .getByRole('gridcell')
      .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length)
    expect(cut).toBe(0)
    await expect(page.getByRole('slider', { name: /Failed checks\. 0.errors, 0.warnings/ })).toBeVisible()

    // In a small window the lines are scrolled to below the charts, and some of them have room.
    const before = page.viewportSize()
    await page.setViewportSize({ width: 900, height: 700 })
    await log.scrollIntoViewIfNeeded()
    await expect.poll(async () => (await log.boundingBox())?.height).toBeGreaterThanOrEqual(150)
    await expect(log.getByRole('row').nth(1)).toBeInViewport()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
    if (before !== null) await page.setViewportSize(before)

    await log.getByRole('row', { name: /scan\.done/ }).click()
    const drawer = page.getByRole('complementary', { name: 'Line of the log' })
    await expect(drawer.getByRole('heading', { name: 'A check ended' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)
    await page.keyboard.press('j')
    await expect(drawer).toBeVisible()

    const field = page.getByRole('searchbox', { name: 'Filter the log' })
    await field.fill('scan.done')
    await expect(log.getByRole('row', { name: /job\.started/ })).toHaveCount(0)
    await field.fill('no-such-event')
    await expect(page.getByRole('heading', { name: 'No line fits' })).toBeVisible()
    await field.fill('')

    await page.getByRole('slider').first().focus()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('heading', { name: 'No line fits' })).toBeVisible()
    await page.getByRole('button', { name: 'Whole time' }).click()
    await expect(log.getByRole('row', { name: /scan\.done/ })).toBeVisible()

    await page.reload()
    await page.getByText('Jobs', { exact: true }).click()
    await expect(page.getByRole('row', { name: /integrity.*done/ })).toBeVisible()
  },
)
