// Takes some seconds: two windows are opened, and two imports and a check run in processes of their own.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { expect, test } from './app.ts'

/** A session of a version that was not tried, whose fifth record names a parent that was never written. */
function brokenSession(folder: string): string {
  const story = new TranscriptBuilder()
  const later = { timestamp: '2026-03-02T10:00:00.000Z', version: '999.0.0' }
  for (const [n, fields] of [{}, {}, later, later].entries()) {
    const isBroken = n === 2
    story.user(`Where is invoice ${n}?`, isBroken ? { ...fields, parentUuid: 'never-written' } : fields)
    story.answer(`api_${n}`, [text(`Invoice ${n} lies in the ledger.`)], fields)
  }
  return story.write('broken.jsonl', folder)
}

async function importByPath(page: Page, path: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Path of a memory or a transcript' })
  await field.fill(path)
  await field.press('Enter')
  await page.getByRole('button', { name: 'Import 1 file' }).click()
  await expect(page.getByRole('heading', { name: '8 messages imported' })).toBeVisible()
}

test('a session that a resume would load in part says so from its import on, and is mended by a copy', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory()
  await importByPath(page, brokenSession(home))
  const report = page.getByRole('main')
  await expect(report).toContainText('line 5')
  await expect(report).toContainText('Version 999.0.0')
  await page.getByRole('button', { name: 'Open the memory' }).click()

  await page.getByRole('link', { name: 'Window' }).click()
  await expect(page.getByRole('main')).toContainText('4 of 8 messages')
  await page.getByRole('button', { name: 'What a resume would load' }).click()
  await expect(page.getByRole('main')).toContainText('This is what a resume would load: 4 of 8 messages.')
  await expect(page.getByText('Where is invoice 1?')).toHaveCount(0)

  await page.getByRole('button', { name: 'Write a mended copy' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'differs in 1' })).toBeVisible()

  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('broken_chain').first()).toBeVisible()
  const listed = page.getByRole('navigation', { name: 'Conversations' }).getByText('chain breaks')
  await expect(listed).toHaveAttribute('title', /sees 4 of 8 messages/)

  const again = await openMemory()
  const copy = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) => /mended.*\.jsonl$/.test(name))
  await importByPath(again, join(home, copy ?? 'no copy'))
  await expect(again.getByRole('main')).not.toContainText('line 5')
})
