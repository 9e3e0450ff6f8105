import { buildMemory } from '../builders/memory.ts'
import { expect, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test('what goes wrong while an agent works is named in the status line and in Activity, until it is over', async ({
  openMemory,
}) => {
  test.setTimeout(180_000)
  const memory = buildMemory({ conversations: [{ messages: ['The ferry leaves at quay 12.', 'Noted.', 'Go on.'] }] })
  const summary = memory.leaf(1, [1, 2])
  const say = (content: string) =>
    memory.db.run('UPDATE summaries SET content = :content WHERE summary_id = :summary', { content, summary })
  const page = await openMemory(memory.path)
  const status = page.getByRole('contentinfo')
  await expect(status.getByRole('button', { name: 'not checked' })).toBeVisible()
  await expect(status.getByRole('button', { name: /^Summaries/ })).toHaveCount(0)
  say('')
  await status.getByRole('button', { name: /^Summaries say nothing: 1\sfinding/ }).click()
  const wrong = page.getByRole('region', { name: 'Wrong now' })
  await expect(wrong).toContainText('Summaries say nothing')
  await wrong.getByRole('button', { name: 'Copy “lcm repair --plan”' }).click()
  await expect(wrong.getByText('Copied')).toBeVisible()
  say('The ferry leaves at quay 12.')
  await expect(wrong).toHaveCount(0, { timeout: 60_000 })
  memory.close()
})
