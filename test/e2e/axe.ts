import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './app.ts'

const SERIOUS = ['serious', 'critical']

/** What there is to say against a page depends on its colours for these rules only. */
export const OF_COLOUR = ['color-contrast', 'link-in-text-block']

async function violationsNow(page: Page, rules?: string[]): Promise<string[]> {
  // Axe is half a megabyte of source: a page that has it is not given it again.
  const hasAxe = await page.evaluate(() => 'axe' in window)
  // The renderer's policy lets nothing be evaluated in the page but what the debugger brings.
  const axe = new AxeBuilder({ page, ...(hasAxe && { axeSource: 'void 0' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations
    .filter(({ impact }) => impact !== null && impact !== undefined && SERIOUS.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`),
    )
}

/** Nothing is loading any more. */
export async function loaded(page: Page): Promise<void> {
  // A view that was asked for is drawn by the second frame, if only as the place where it will be.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
}

/** What axe finds seriously wrong with the page, by some of its rules or all. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  await loaded(page)
  // What is wrong for a moment only, while something loads or fades in, is not wrong.
  let wrong = await violationsNow(page, rules)
  for (let again = 0; wrong.length > 0 && again < 10; again += 1) {
    await page.waitForTimeout(1000)
    wrong = await violationsNow(page, rules)
  }
  return wrong
}
