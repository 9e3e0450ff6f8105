import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { openLcm } from '#core/lcm.ts'
import { expect, SHARED_HOST, test } from './app.ts'
import { factsOf, sampleCopy, systemFile } from './memories.ts'

test.use(SHARED_HOST)

/** A job starts a process of its own, and a backup is compared row by row. */

/** A condensed summary of the first conversation that holds one, with its sources. */
async function condensedOf(path: string) {
  const lcm = await openLcm(path, { readOnly: true })
  const { conversationId } = await factsOf(path)
  const { summaries } = lcm.strata.get({ conversationId, axis: 'messages' })
  const place = summaries.depth.findIndex((depth, at) => depth === 1 && summaries.inWindow[at] === 1)
  const id = summaries.id[place] ?? ''
  const sources = lcm.dag.lineage(id).sources
  lcm.close()
  return { id, conversationId, sources: sources.length }
}

async function operate(page: Page, id: string, name: RegExp): Promise<Locator> {
  await page.getByRole('button', { name: `Operate on ${id}` }).click()
  await page.getByRole('menuitem', { name }).click()
  return page.getByRole('dialog')
}

async function select(page: Page, conversationId: number, id: string): Promise<void> {
  await page.evaluate(
    ([conversation, node]) => {
      location.hash = `#/conversation/${conversation}/layers?select=${node}`
    },
    [conversationId, id] as const,
  )
}

test('a summary is rewritten as previewed, and restored from the backup', async ({ openMemory, home }) => {
  test.slow()
  const path = sampleCopy(home)
  const { id, conversationId } = await condensedOf(path)
  const page = await openMemory(path)
  await select(page, conversationId, id)
  const detail = page.getByRole('complementary', { name: 'Detail' })
  const text = detail.getByRole('article')
  await expect(text).toBeVisible()

  const dialog = await operate(page, id, /^Rewrite…/)
  // Enter on an opened dialog changes nothing: the way out has the focus.
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  // By hand: the field holds the stored text, and the preview shows what was typed.
  await dialog.getByLabel('Written by').selectOption('hand')
  const field = dialog.getByLabel('The new text')
  await expect(field).not.toBeEmpty()
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeDisabled()
  await field.fill('The retry was removed by hand.')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.locator('td[data-state="added"]')).toContainText('The retry was removed by hand.')
  await dialog.getByRole('button', { name: 'Change…' }).click()
  await dialog.getByLabel('Written by').selectOption('summariser')
  await dialog.getByLabel('Tokens to aim at').fill('120')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText(/before · .*tokens/)).toBeVisible()
  await expect(dialog.getByText(/→ \d+ tokens/).first()).toBeVisible()
  const added = await dialog.locator('td[data-state="added"]').first().innerText()
  await dialog.getByRole('button', { name: 'Write the new text' }).click()
  await expect(dialog.getByText('Done', { exact: true })).toBeVisible()
  await expect(dialog).toContainText(`${path}.backup-`)
  const after = await openLcm(path, { readOnly: true })
  const written = after.retrieval.describe(id, 100_000).content ?? ''
  after.close()
  expect(written).toContain(added.replace(/^\+\s*/, '').slice(0, 30))

  await dialog.getByRole('button', { name: 'Undo…' }).click()
  await expect(dialog.getByRole('heading', { name: 'Restore this backup?' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Leave it as it is' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await expect(dialog.getByRole('heading', { name: 'Restored' })).toBeVisible()
  using restored = await openLcm(path, { readOnly: true })
  expect(restored.retrieval.describe(id, 100_000).content).not.toBe(written)
})

test('a summary is dissolved into its sources from the palette, after a preview of the window', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const { id, conversationId, sources } = await condensedOf(path)
  const page = await openMemory(path)
  await select(page, conversationId, id)
  await expect(page.getByRole('button', { name: `Operate on ${id}` })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dissolve')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Dissolve a summary' })
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText(/^[\d,]+ → [\d,]+ tokens/)).toBeVisible()
  await expect(dialog.locator('code').filter({ hasText: /^\+ / })).toHaveCount(Math.min(sources, 12))
  await dialog.getByRole('button', { name: 'Dissolve' }).click()
  await expect(dialog.getByText('Done', { exact: true })).toBeVisible()
})

test('a summary is transplanted, and its copy is one click away', async ({ openMemory, home }) => {
  const path = sampleCopy(home)
  const { id, conversationId } = await condensedOf(path)
  const page = await openMemory(path)
  await select(page, conversationId, id)
  const dialog = await operate(page, id, /^Transplant/)
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeDisabled()
  await dialog.getByLabel('Into conversation').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText(/under new ids/).last()).toBeVisible()
  await dialog.getByRole('button', { name: 'Transplant' }).click()
  await expect(dialog.getByText('Done', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: /sum_/ }).first().click()
  await expect.poll(() => page.url()).toMatch(/select=sum_/)
})

test('a file of another system offers a working copy instead, which names the file that it was made of', async ({
  openMemory,
  home,
}) => {
  const path = join(home, 'original.db')
  copyFileSync(systemFile('lossless-claw/corrupt/depth_wrong.db'), path)
  const { id, conversationId } = await condensedOf(path)
  const page = await openMemory(path)
  await select(page, conversationId, id)
  const dialog = await operate(page, id, /^Dissolve/)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('stays as it is')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Make working copy…' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Dissolve' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  const banner = page.getByRole('banner')
  await expect(banner).not.toContainText('working copy')
  await banner.getByRole('button', { name: 'read-only' }).click()
  const copying = page.getByRole('dialog', { name: 'Make a working copy' })
  await copying.getByRole('button', { name: 'Make the copy' }).click()
  await copying.getByRole('button', { name: 'Open the copy' }).click()
  const chip = banner.getByTitle('A copy of original.db of lossless-claw. What is changed here is not changed there.')
  await expect(chip).toHaveText('working copy of original.db')
  await expect(banner.getByRole('button', { name: 'read-only' })).toHaveCount(0)
})
