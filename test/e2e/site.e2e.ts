import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeSite } from '#scripts/site.ts'
import { expect, IN_BROWSER, test } from './app.ts'
import { OF_COLOUR, violations } from './axe.ts'

/** Of each kind of page one: pages with long tables take a minute each. */
const READ_ALOUD = ['index.html', 'docs/replay.html', 'docs/extend/rule.html', 'docs/models.html', 'architecture.html']

// Takes half a minute: every page is opened as a phone shows it.
test(
  'every page of the site is read on a phone without scrolling sideways, and every kind of page aloud',
  IN_BROWSER,
  async ({ chromium, home }) => {
    test.setTimeout(300_000)
    const site = join(home, 'site')
    await writeSite(site)
    const context = await (await chromium()).newContext({ viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(70)
    for (const name of pages) {
      await page.goto(pathToFileURL(join(site, name)).href)
      const surplus = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect.soft([name, surplus]).toEqual([name, 0])
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const name of READ_ALOUD) {
        await page.goto(pathToFileURL(join(site, name)).href)
        expect.soft([name, await violations(page, colorScheme === 'dark' ? OF_COLOUR : undefined)]).toEqual([name, []])
      }
    }
    await page.getByText('All pages', { exact: true }).click()
    await page.getByRole('link', { name: 'Codex' }).filter({ visible: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Codex')
    await context.close()
  },
)
