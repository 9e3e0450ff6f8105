// Takes the pictures of the README and the site: each shows a view of the sample memory, or of a damaged file of another system.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { inProject } from '#scripts/project.mjs'
import { test } from './app.ts'
import { hitsOf, systemFile } from './memories.ts'

const SUMMARY = 'sum_a6251754ec86ad4f'
const sample = inProject('resources/sample.db')
/** The window shortens paths below the user's home folder. */
const folder = join(homedir(), 'lcm-pictures')

test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Scene = {
  readonly name: string
  readonly theme: 'dark' | 'light'
  readonly file: string
  /** The address of the view behind the conversation. */
  readonly view: string
  /** Makes the view complete, and returns when everything in it is drawn. */
  readonly prepare: (page: Page) => Promise<void>
}

const strata = async (page: Page): Promise<void> => {
  await page.getByRole('group', { name: new RegExp(`^Lineage of ${SUMMARY}`) }).waitFor()
}

const SCENES: readonly Scene[] = [
  {
    name: 'start-dark',
    theme: 'dark',
    file: sample,
    view: 'start',
    prepare: (page) =>
      page
        .getByText(/^[\d,]+ lost(, [\d,]+ changed)?$/)
        .nth(2)
        .waitFor(),
  },
  { name: 'strata-dark', theme: 'dark', file: sample, view: `layers?select=${SUMMARY}`, prepare: strata },
  { name: 'strata-light', theme: 'light', file: sample, view: `layers?select=${SUMMARY}`, prepare: strata },
  {
    name: 'context-dark',
    theme: 'dark',
    file: sample,
    view: 'window?window.form=what-if',
    prepare: (page) => page.getByRole('button', { name: 'Plan compaction…' }).waitFor(),
  },
  {
    name: 'transcript-light',
    theme: 'light',
    file: sample,
    view: 'messages?select=msg_6',
    prepare: (page) => page.getByRole('article', { name: /msg_6$/ }).waitFor(),
  },
  {
    name: 'search-light',
    theme: 'light',
    file: sample,
    view: 'find?query=idempotency%20key',
    prepare: (page) => hitsOf(page).nth(6).waitFor(),
  },
  {
    name: 'find-dark',
    theme: 'dark',
    file: sample,
    view: 'find?query=PAY-1187',
    prepare: (page) => hitsOf(page).nth(3).waitFor(),
  },
  {
    name: 'trace-dark',
    theme: 'dark',
    file: sample,
    view: 'find?trace=msg_52&query=PAY-1187',
    prepare: async (page) => {
      await page.getByRole('heading', { name: /^Lost at/ }).waitFor()
      await page.getByRole('list', { name: 'From the window down to the message' }).waitFor()
    },
  },
  {
    name: 'probe-dark',
    theme: 'dark',
    file: sample,
    view: 'find?probe=12&compare=after',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^only what changed/ }).waitFor()
      await page.getByRole('list', { name: 'From the window down to the message' }).waitFor()
    },
  },
  {
    name: 'lineage-light',
    theme: 'light',
    file: sample,
    view: `layers?layers.form=tree&select=${SUMMARY}`,
    prepare: async (page) => {
      await page.locator('[data-claim]').filter({ hasText: 'The key becomes' }).first().click()
      await page.getByRole('complementary', { name: 'Source passages' }).getByText('supported').first().waitFor()
    },
  },
  {
    name: 'integrity-dark',
    theme: 'dark',
    file: systemFile('lossless-claw/corrupt/context_dangling_summary.db'),
    view: 'health',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByRole('button', { name: 'Repair in a working copy' }).waitFor()
    },
  },
  {
    name: 'compaction-dark',
    theme: 'dark',
    file: sample,
    view: 'compact',
    prepare: (page) =>
      page
        .getByText(/details are lost/)
        .first()
        .waitFor(),
  },
]

for (const { name, theme, file, view, prepare } of SCENES) {
  test(`the picture ${name} shows the present window`, async ({ openMemory }) => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const path = join(folder, 'lcm.db')
    copyFileSync(file, path)
    const page = await openMemory(path)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.getByRole('contentinfo').getByText('LCM:').waitFor()
    await page.evaluate((hash) => {
      // Whoever knows the program has refused its tour.
      localStorage.setItem('lcm:tour-settled', 'true')
      window.dispatchEvent(new Event('lcm:tour'))
      location.hash = hash
    }, `#/conversation/1/${view}`)
    await prepare(page)
    // The last answer may still be on its way, and the last frame of a canvas may not be drawn yet.
    await page.waitForTimeout(2000)
    await page.screenshot({ path: inProject(`docs/screenshots/${name}.png`) })
  })
}
