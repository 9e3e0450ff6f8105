import { TestMemory } from '../builders/memory.ts'
import { expect, test } from './app.ts'
import { sampleCopy, systemFile } from './memories.ts'

test.use({ appEnv: { LCM_CHECK_ON_OPENING: 'true' } })

test('a copy says what copying changed, and offers all steps of its plan where none is safe', async ({
  openMemory,
}) => {
  test.slow()
  const page = await openMemory(systemFile('hermes-lcm/damaged.db'))
  const plan = page.getByRole('region', { name: 'Repair plan' })
  await page.getByRole('link', { name: 'Health' }).click()
  await plan.getByRole('button', { name: 'Repair in a working copy' }).click()
  const copying = page.getByRole('region', { name: 'What copying changed' })
  await expect(copying).toContainText(/Copying settled \d+ findings of the original and brought \d+ that only a native/)
  await expect(copying).toContainText('A summary is called the wrong kind')
  await expect(plan).toContainText('No step is safe enough to be chosen by itself')
  await plan.getByRole('button', { name: /^Apply all \d+.steps…/ }).click()
  const dialog = page.getByRole('dialog')
  const chosen = Number(/Apply (\d+)/.exec((await dialog.getByRole('heading').first().textContent()) ?? '')?.[1])
  expect(await dialog.getByRole('listitem').count()).toBe(chosen)
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
})

test('a memory is checked when it is opened, and each conversation shows its health', async ({ openMemory, home }) => {
  const path = sampleCopy(home)
  const memory = new TestMemory(path)
  memory.damage(
    'DELETE FROM context_items WHERE conversation_id = 1 AND message_id = (SELECT max(message_id) - 3 FROM context_items WHERE conversation_id = 1)',
  )
  memory.db.close()
  const page = await openMemory(path)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list.getByRole('img', { name: /^Check: 1.error, 1.warning$/ })).toHaveCount(1)
  await expect(list.getByRole('img', { name: 'Check: nothing wrong', exact: true })).toHaveCount(4)
  await expect(page.getByRole('contentinfo').getByRole('button', { name: /^2.findings$/ })).toBeVisible()
})
