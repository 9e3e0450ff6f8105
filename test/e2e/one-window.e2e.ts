import { join } from 'node:path'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { decapodWriter } from '../builders/systems/decapod.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { expect, IN_BROWSER, test } from './app.ts'

const ENV = { LCM_TOKEN_BUDGET: '300', LCM_FRESH_TAIL_COUNT: '2' }
test.use({ appEnv: ENV })

test('a session over its budget has the same window in every view', IN_BROWSER, async ({ openMemory, home }) => {
  const path = join(home, 'lcm.db')
  writeStory(decapodWriter, path, decapodWriter.tell(tellStory({ seed: 7, sessions: 1, turns: 40 })))
  const lcm = await openLcm(path, { readOnly: true, settings: readSettings(ENV) })
  const [row] = lcm.stats.conversations()
  lcm.close()
  if (!row) throw new Error('no conversation was written')
  expect(row.leftOutTokens).toBeGreaterThan(0)
  const pressure = `${Math.floor(row.pressure * 100)}\u00a0%`
  const [window, active, leftOut] = [row.contextTokens, row.activeTokens, row.leftOutTokens].map((tokens) =>
    tokens.toLocaleString('en'),
  )

  const page = await openMemory(path)
  const open = (view: string | RegExp) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click()
  await expect(page.getByRole('contentinfo')).toContainText(`${Math.floor(row.pressure * 100)} % of window`)
  await expect(page.getByRole('contentinfo')).toContainText('left out')
  // A session without a title is called by what was said first.
  await expect(
    page.getByRole('navigation', { name: 'Conversations' }).getByRole('button').filter({ hasText: /\d/ }).first(),
  ).not.toContainText(/sess-|conversation \d/)
  await open('Start')
  const figures = page.getByRole('region', { name: 'What does the model see next turn?' })
  await expect(figures).toContainText(`${window}\u00a0tokens`)
  await expect(figures).toContainText('of a window of 300\u00a0tokens')
  await expect(figures).toContainText(pressure)
  // The same sentence in both places, and one threshold.
  const sentence = `${active} tokens want in, ${window} fit into 300, ${leftOut} are left out`
  await expect(figures).toContainText(sentence)
  await open('Layers')
  await expect(page.getByRole('toolbar', { name: 'Layers' })).toContainText('left out')
  await open(/^Window/)
  const context = page.getByRole('region', { name: 'Window of the conversation' })
  await expect(context).toContainText(`${window} tokens of 300`)
  await expect(context).toContainText(sentence)
  // The file stores no window: it is told as worked out, with the rule.
  await expect(context).toContainText('worked out from this file, which stores no window')
  await expect(context).toContainText('every message is in it')
  await open('Compact')
  await expect(page.getByRole('main')).toContainText(`${window} of 300\u00a0tokens (${pressure})`)
  await expect(page.getByRole('main')).toContainText(`${leftOut} of ${active} tokens left out`)
  await expect(page.getByRole('heading', { name: 'Compact before the next turn' })).toBeVisible()
})
