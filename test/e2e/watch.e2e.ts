import { buildMemory } from '../builders/memory.ts'
import { expect, IN_BROWSER, SHARED_HOST, test, toProgram } from './app.ts'

test.use(SHARED_HOST)

test('what goes wrong while an agent works is named in the status line and in Activity, until it is over', async ({
  openMemory,
}) => {
  test.setTimeout(180_000)
  using memory = buildMemory({ conversations: [{ messages: ['The ferry leaves at quay 12.', 'Noted.', 'Go on.'] }] })
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
})

test(
  'the desktop is told once of what goes wrong while nobody looks, where that was chosen',
  IN_BROWSER,
  async ({ openMemory }) => {
    test.setTimeout(240_000)
    using memory = buildMemory({ conversations: [{ messages: ['The ferry leaves at quay 12.', 'Noted.', 'Go on.'] }] })
    const summary = memory.leaf(1, [1, 2])
    const say = (content: string) =>
      memory.db.run('UPDATE summaries SET content = :content WHERE summary_id = :summary', { content, summary })
    say('')
    const page = await openMemory(memory.path)
    // A browser without a window never allows notifications, so the page is given one that does, and writes them down.
    await page.evaluate(() => {
      const told: string[] = []
      class Shown {
        static permission = 'default'
        static async requestPermission() {
          Shown.permission = 'granted'
          return Shown.permission
        }
        constructor(title: string, { body }: NotificationOptions) {
          told.push(`${title}\n${body}`)
        }
      }
      document.hasFocus = () => false
      Object.assign(globalThis, { told, Notification: Shown })
    })
    const choice = page.getByRole('radiogroup', { name: 'Notifications' })
    await toProgram(page, 'Settings')
    await expect(choice.getByRole('radio', { name: 'off' })).toBeChecked()
    expect(await page.evaluate(() => Notification.permission)).toBe('default')
    await choice.getByText('on', { exact: true }).click()
    await expect(choice.getByRole('radio', { name: 'on' })).toBeChecked()
    const told = () => page.evaluate(() => (globalThis as unknown as { told: string[] }).told)
    await page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Activity' }).click()
    const wrong = page.getByRole('region', { name: 'Wrong now' })
    await expect(wrong).toContainText('Summaries say nothing')
    say('The ferry leaves at quay 12.')
    await expect(wrong).toHaveCount(0, { timeout: 60_000 })
    // What was wrong when the window was opened is seen in it.
    expect(await told()).toEqual([])
    say('')
    await expect.poll(told, { timeout: 60_000 }).toEqual([expect.stringMatching(/^Summaries say nothing.*\n.*\.db/)])
    await expect(wrong).toContainText('Summaries say nothing')
    expect(await told()).toHaveLength(1)
  },
)
