import { TestMemory } from '../builders/memory.ts'
import { expect, test } from './app.ts'
import { sampleCopy } from './memories.ts'

test('a sound memory has no finding', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await page.getByRole('contentinfo').getByRole('button', { name: 'not checked' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
  await expect(page.getByText('coverage_gap')).toBeVisible()
  await expect(page.getByRole('contentinfo').getByRole('button', { name: 'nothing wrong', exact: true })).toBeVisible()

  // The report outlives a reload of the window.
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
})

test('a damaged one says what is wrong, and a finding leads to its node', async ({ openMemory, home }) => {
  const path = sampleCopy(home)
  const memory = new TestMemory(path)
  memory.damage(
    'DELETE FROM context_items WHERE conversation_id = 1 AND message_id = (SELECT max(message_id) - 3 FROM context_items WHERE conversation_id = 1)',
  )
  memory.damage('UPDATE summaries SET depth = 7 WHERE summary_rowid = (SELECT max(summary_rowid) FROM summaries)')
  memory.db.close()
  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Integrity' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  const finding = page.getByRole('article').filter({ hasText: 'coverage_gap' })
  await expect(finding).toBeVisible()
  await expect(page.getByRole('article').filter({ hasText: 'depth_mismatch' })).toBeVisible()
  await finding.getByRole('button', { name: 'coverage_gap' }).click()
  await expect(finding).toContainText('It should be')
  await finding.getByRole('button', { name: /^msg_/ }).first().click()
  await expect.poll(() => page.url()).toMatch(/select=msg_\d+/)
  await expect(
    page.getByRole('complementary', { name: 'Detail' }).getByRole('heading', { name: 'Message' }),
  ).toBeVisible()
  await expect(page.getByRole('contentinfo').getByRole('button', { name: /^\d+ findings?$/ })).toBeVisible()
})
