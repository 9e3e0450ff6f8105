import type { Locator, Page } from '@playwright/test'
import { generateHistory } from '../builders/history.ts'
import { TestMemory } from '../builders/memory.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory, sampleCopy, systemFile } from './memories.ts'

test.use(SHARED_HOST)

// The three jobs of the product, with their clicks counted, and each by keyboard alone.

/** A job in the background, a backup, or a comparison. */
const LONG = { timeout: 120_000 }

function counted() {
  const clicks: string[] = []
  const click = async (name: string, target: Locator) => {
    await target.click(LONG)
    clicks.push(name)
  }
  return { clicks, click }
}

/** Goes from one control to the next until the wanted one has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled(LONG)
  for (let presses = 0; presses < 200; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the Tab key does not reach it')
}

const press = async (page: Page, target: Locator): Promise<void> => {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

const dropped = (page: Page) => page.getByRole('heading', { name: /lost at/i })

test(
  'a search says after two clicks where a fact was lost and how to get it back',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    const { clicks, click } = counted()
    await click('search', page.getByRole('banner').getByRole('button', { name: /Search messages/ }))
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('PAY-1187')
    await click('hit', page.getByRole('grid', { name: 'Hits' }).locator('[data-node=msg_52]'))
    await expect(dropped(page)).toBeVisible(LONG)
    await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('By expanding')
    expect(clicks).toHaveLength(2)
  },
)

test('a trace says where a fact was lost by keyboard alone', IN_BROWSER, async ({ openSample }) => {
  const page = await openSample()
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('PAY-1187')
  await expect(page).toHaveURL(/query=PAY-1187/)
  await expect(page.getByRole('grid', { name: 'Hits' }).locator('mark').first()).toHaveText('PAY-1187')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/messages\?.*select=msg_/)
  await page.keyboard.press('t')
  await expect(page).toHaveURL(/trace=msg_/)
  await expect(dropped(page)).toBeVisible(LONG)
})

/** Opens a conversation that can be compacted. What its compaction loses is found in a fraction of the time that the sample takes. */
async function openCompactable(openMemory: (path: string) => Promise<Page>, home: string): Promise<Page> {
  const messages = generateHistory({ seed: 7, messages: 160 }).map(({ role, content }) => ({ role, content }))
  const page = await openMemory(builtMemory(home, (memory) => memory.conversation({ title: 'Compactable', messages })))
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  return page
}

const differences = (page: Page) => page.getByRole('grid', { name: 'Differences' })

test(
  'a compaction by hand goes from the strata to what it changed in four clicks',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openCompactable(openMemory, home)
    const { clicks, click } = counted()
    const compact = page.getByRole('main').getByRole('button', { name: 'Compact…' })
    await click('plan', compact)
    await expect(page).toHaveURL(/compact/)
    await click('compact', compact)
    await click('confirm', page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }))
    await click('compare', page.getByRole('link', { name: 'Compare before and after' }))
    await expect(differences(page)).toBeVisible(LONG)
    expect(clicks).toHaveLength(4)
  },
)

test(
  'a compaction is run from its plan, its losses are seen and it is undone in three clicks',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    test.slow()
    const page = await openCompactable(openMemory, home)
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    const { clicks, click } = counted()
    await click('compact', page.getByRole('main').getByRole('button', { name: 'Compact…' }))
    await click('confirm', page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }))
    await expect(page.getByRole('region', { name: 'What the compaction lost' })).toContainText(
      'that left the window',
      LONG,
    )
    await click('undo', page.getByRole('button', { name: 'Undo this compaction' }))
    await expect(page.getByRole('heading', { name: 'Compaction taken back' })).toBeVisible(LONG)
    expect(clicks).toHaveLength(3)
  },
)

test('a compaction is planned, run and compared by keyboard alone', IN_BROWSER, async ({ openMemory, home }) => {
  const page = await openCompactable(openMemory, home)
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await press(page, page.getByRole('main').getByRole('button', { name: 'Compact…' }))
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }))
  await press(page, page.getByRole('link', { name: 'Compare before and after' }))
  await expect(differences(page)).toBeVisible(LONG)
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/difference=1/)
})

test.describe('a damaged memory', () => {
  test.use({ appEnv: { LCM_CHECK_ON_OPENING: 'true' } })

  test(
    'a damaged file of another system is repaired in a copy four clicks after it was opened',
    IN_BROWSER,
    async ({ openMemory }) => {
      test.slow()
      const page = await openMemory(systemFile('lossless-claw/corrupt/message_lost_from_context.db'))
      const { clicks, click } = counted()
      const plan = page.getByRole('region', { name: 'Repair plan' })
      await click('findings', page.getByRole('contentinfo').getByRole('button', { name: /^\d+.findings?$/ }))
      await click('copy', plan.getByRole('button', { name: 'Repair in a working copy' }))
      // The copy opens where the file was left, and is checked by itself.
      await expect(page).toHaveURL(/file=[^&]*copy.*#\/conversation\/\d+\/health/)
      await click('apply', plan.getByRole('button', { name: /^Apply \d+.steps?…/ }))
      await click('confirm', page.getByRole('dialog').getByRole('button', { name: /^Apply \d+.steps?$/ }))
      await expect(plan.getByRole('heading', { name: /applied/ })).toBeVisible()
      expect(clicks).toHaveLength(4)
    },
  )

  test('is repaired by keyboard alone, from its opening on', IN_BROWSER, async ({ openMemory, home }) => {
    test.slow()
    const path = sampleCopy(home)
    const memory = new TestMemory(path)
    memory.damage('UPDATE summaries SET depth = 7 WHERE summary_rowid = (SELECT max(summary_rowid) FROM summaries)')
    memory.db.close()
    const page = await openMemory(path)
    await expect(page.getByRole('contentinfo').getByRole('button', { name: /^1.finding$/ })).toBeVisible(LONG)
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    const plan = page.getByRole('region', { name: 'Repair plan' })
    await press(page, plan.getByRole('button', { name: /^Apply 1.step…/ }))
    await press(page, page.getByRole('dialog').getByRole('button', { name: /^Apply 1.step$/ }))
    await expect(plan.getByRole('heading', { name: /1.step applied/ })).toBeVisible(LONG)
    await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible(LONG)
  })
})
