import type { Page } from '@playwright/test'
import { TestMemory } from '../builders/memory.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { sampleCopy, systemFile } from './memories.ts'

test.use(SHARED_HOST)

test('a sound memory has no finding', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await page.getByRole('contentinfo').getByRole('button', { name: 'not checked' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
  // What passed is folded, each check with what it makes sure of.
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByText('coverage_gap')).toBeVisible()
  await expect(page.getByText('Every message is in the window, or covered by a summary that is.')).toBeVisible()
  await expect(page.getByRole('contentinfo').getByRole('button', { name: 'nothing wrong', exact: true })).toBeVisible()
  // Without a finding the repairs take no room.
  await expect(page.getByRole('complementary', { name: 'Detail' })).toHaveCount(0)

  // The report outlives a reload of the window.
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()

  // The first view counts the same checks.
  const ran = /^\d+/.exec(await page.getByText(/^\d+\schecks over/).innerText())?.[0]
  await page.getByRole('link', { name: 'Start' }).click()
  await expect(page.getByRole('region', { name: 'Is the memory sound?' })).toContainText(new RegExp(`${ran}\\schecks`))
})

/** Scans, and waits for the plan that follows: two jobs, each in a process of its own. */
async function scan(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByRole('region', { name: 'Repair plan' }).getByRole('listitem').first()).toBeVisible()
}

/** A sample with two faults that can be repaired from the file alone. */
function damagedSample(home: string): string {
  const path = sampleCopy(home)
  const memory = new TestMemory(path)
  memory.damage(
    'DELETE FROM context_items WHERE conversation_id = 1 AND message_id = (SELECT max(message_id) - 3 FROM context_items WHERE conversation_id = 1)',
  )
  memory.damage('UPDATE summaries SET depth = 7 WHERE summary_rowid = (SELECT max(summary_rowid) FROM summaries)')
  memory.db.close()
  return path
}

test('a plan is applied after a confirmation, and the file is checked again', async ({ openMemory, home }) => {
  const page = await openMemory(damagedSample(home))
  await scan(page)
  const plan = page.getByRole('region', { name: 'Repair plan' })
  const steps = plan.getByRole('checkbox')
  await expect(steps).toHaveCount(2)
  await expect(steps.first()).toBeChecked()
  await plan.getByRole('button', { name: 'None' }).click()
  await expect(plan.getByRole('button', { name: 'Apply steps…' })).toBeDisabled()
  await expect(plan).toContainText('Choose a step to apply it.')
  await expect(plan).toContainText('safe rebuilds what follows from the rest of the file.')
  await plan.getByRole('button', { name: 'All safe' }).click()

  // Every row, before and after.
  await plan
    .getByRole('button', { name: /^1.row$/ })
    .last()
    .click()
  await expect(plan.getByText('depth').last()).toBeVisible()

  await plan.getByRole('button', { name: /^Apply 2.steps…/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expect(dialog).toContainText('backup')
  await dialog.getByRole('button', { name: /^Apply 2.steps$/ }).click()
  await expect(plan.getByRole('heading', { name: /2.steps applied/ })).toBeVisible()
  await expect(plan.getByRole('row', { name: 'depth_mismatch' })).toContainText(/1.*0/)
  await expect(plan.getByRole('button', { name: /^Copy .*\.backup-/ })).toBeVisible()
  // The scan after it is made by itself.
  await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
  await expect(plan.getByText('There is nothing to repair.')).toBeVisible()
})

test('a damaged memory says what is wrong, and findings lead to their nodes and keep the steps that are selected', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(damagedSample(home))
  await scan(page)
  const plan = page.getByRole('region', { name: 'Repair plan' })
  await plan.getByRole('checkbox').first().uncheck()
  await page.getByRole('article').getByRole('button', { name: /sum_/ }).first().click()
  // The plan stays beside the findings, and the detail has the right panel to itself.
  await expect(plan.getByRole('checkbox').first()).not.toBeChecked()
  // The detail of the node shows the finding, and leads back to it.
  const detail = page.getByRole('complementary', { name: 'Detail' })
  await expect(detail.getByRole('button', { name: 'A stored depth is wrong' })).toBeVisible()
  await page.keyboard.press('r')
  await expect(plan).toBeFocused()

  const finding = page.getByRole('article').filter({ hasText: 'coverage_gap' })
  await expect(finding).toBeVisible()
  await expect(page.getByRole('article').filter({ hasText: 'depth_mismatch' })).toBeVisible()
  await finding.getByRole('button', { name: 'coverage_gap' }).click()
  await expect(finding).toContainText('It should be')
  await finding.getByRole('button', { name: /msg_/ }).first().click()
  await expect.poll(() => page.url()).toMatch(/select=msg_\d+/)
  await expect(detail.getByRole('heading', { name: 'Message' })).toBeVisible()
  await expect(page.getByRole('contentinfo').getByRole('button', { name: /^\d+ findings?$/ })).toBeVisible()

  // Findings are walked by keys, and shown in the strata.
  await page.getByRole('link', { name: 'Health' }).click()
  await expect(page.getByRole('article').first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page
    .getByRole('button', { name: /^show in the layers: / })
    .first()
    .click()
  await expect(page.getByText('error found')).toBeVisible()
})

test('the plan for a file of another system can be exported, and not applied', IN_BROWSER, async ({ openMemory }) => {
  const page = await openMemory(systemFile('lossless-claw/corrupt/message_lost_from_context.db'))
  await scan(page)
  const plan = page.getByRole('region', { name: 'Repair plan' })
  await expect(plan).toContainText('stays as it is')
  await expect(plan.getByRole('checkbox')).toHaveCount(0)
  await expect(plan.getByRole('button', { name: 'Repair in a working copy' })).toBeVisible()
  const download = page.waitForEvent('download')
  await plan.getByRole('button', { name: 'Export plan' }).click()
  await page.getByRole('menuitem', { name: 'SQL' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.sql$/)
})
