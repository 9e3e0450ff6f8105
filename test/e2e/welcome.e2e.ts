import { copyFileSync, mkdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { meaningOf } from '#core/contract/glossary.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { expect, IN_BROWSER, THROUGH_SHELL, test } from './app.ts'
import { violations } from './axe.ts'
import { badFiles, damageTable, factsOf, hitsOf, sampleCopy, systemFile, turnTo } from './memories.ts'

const openByPath = async (page: Page, path: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Path of a memory or a transcript' }).fill(path)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
}

test(
  'the sample opens from the first page, and is among the recent files afterwards',
  THROUGH_SHELL,
  async ({ openMemory, home }) => {
    const sample = await factsOf(sampleCopy(home))
    const page = await openMemory()
    await expect(page.getByRole('heading', { name: 'LCM Inspector', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Open the sample' }).click()
    await expect(page.getByRole('navigation', { name: 'Conversations' })).toContainText(sample.title)
    await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${sample.messages} msgs`)

    await page.getByRole('banner').getByRole('button', { name: 'LCM Inspector' }).click()
    const recent = page.getByRole('button', { name: /sample/ }).filter({ hasText: 'native' })
    await expect(recent).toBeVisible()
    await recent.click()
    await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${sample.messages} msgs`)
  },
)

test(
  'the tour of the sample leads in five steps from a question to the compaction that lost the answer, and can be left at any time',
  THROUGH_SHELL,
  async ({ openMemory }) => {
    const page = await openMemory()
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('region', { name: 'Tour', exact: true })
    const title = tour.getByRole('heading', { level: 3 })
    const next = () => tour.getByRole('button', { name: 'Next step' }).click()
    await expect(tour).toContainText('1 of 5')
    await expect(title).toHaveText('What did the agent forget?')
    await expect(page.getByRole('searchbox', { name: 'What did the agent forget?' })).toBeVisible()
    await next()
    await expect(title).toHaveText('Who said it?')
    await expect(hitsOf(page).first()).toContainText('PAY-1187')
    await next()
    await expect(title).toHaveText('Where was it lost?')
    await expect(page.getByRole('heading', { name: /^Lost at .* by compaction 2/ })).toBeVisible()
    await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('By expanding')
    await next()
    await expect(title).toHaveText('Which compaction lost it?')
    await expect(page.getByRole('button', { name: /^Compaction 2|Mar 3, 16:31/ }).first()).toBeVisible()
    await next()
    await expect(tour).toContainText('5 of 5')
    const context = page.getByRole('region', { name: 'Window of the conversation' })
    await expect(context).toContainText('stands for')
    // The terms that stand here are explained.
    await expect(page.getByTitle(meaningOf('fresh tail'))).toContainText(/newest \d+ stay/)
    await expect(context.getByTitle(meaningOf('τ soft, τ hard')).first()).toBeVisible()

    // It goes on after a reload, and Back leads to the step before.
    await page.reload()
    await tour.getByRole('button', { name: 'Back' }).click()
    await expect(tour).toContainText('4 of 5')
    await tour.getByRole('button', { name: 'Leave the tour' }).click()
    await expect(tour).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await expect(tour).toHaveCount(0)
  },
)

test(
  'the sample offers its tour above the first questions, and one click refuses it for good',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    const offer = page.getByRole('region', { name: 'Tour of the sample' })
    await expect(offer).toContainText('Follow one lost detail of this sample in five steps')
    expect(await violations(page)).toEqual([])
    await offer.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('region', { name: 'Tour', exact: true })
    await expect(tour).toContainText('1 of 5')
    await expect(offer).toHaveCount(0)
    await tour.getByRole('button', { name: 'Leave the tour' }).click()
    await expect(offer).toHaveCount(0)

    await page.evaluate(() => localStorage.removeItem('lcm:tour-settled'))
    await page.reload()
    await offer.getByRole('button', { name: 'Do not offer the tour again' }).click()
    await expect(offer).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('region', { name: 'What does the model see next turn?' })).toBeVisible()
    await expect(offer).toHaveCount(0)
  },
)

test(
  'a backup is not listed as a memory, and what was opened before stands once',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const folder = join(home, '.openclaw')
    mkdirSync(folder)
    const path = join(folder, 'lcm.db')
    for (const target of [path, `${path}.backup-20260302T090000000Z.db`, join(folder, 'lcm.db.bak')])
      copyFileSync(systemFile('lossless-claw/small.db'), target)
    // It was written long before it is opened.
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    const page = await openMemory()
    const rows = page.getByRole('listitem').filter({ hasText: '.openclaw/lcm.db' })
    await expect(page.getByRole('heading', { name: 'Found on this machine · 1', exact: true })).toBeVisible()
    await expect(rows).toHaveCount(1)
    await rows.getByRole('button').first().click()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await page.getByRole('banner').getByRole('button', { name: 'LCM Inspector' }).click()
    await expect(page.getByRole('heading', { name: 'Opened before' })).toBeVisible()
    await expect(page.getByText('All that were found were opened before')).toBeVisible()
    await expect(rows.locator('time')).not.toHaveAttribute('datetime', /^2023-/)
    await expect(rows).toHaveCount(1)
  },
)

test('a typed path opens a memory, and a wrong one is answered with reason and next step', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory()
  await expect(page.getByRole('textbox', { name: 'Path of a memory or a transcript' })).toBeFocused()
  for (const { path, says } of badFiles(home).filter(({ title }) => !title.includes('newer'))) {
    await openByPath(page, path)
    await expect(page.getByRole('alert')).toContainText(says)
  }
  const path = sampleCopy(home)
  await openByPath(page, path)
  await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${(await factsOf(path)).messages} msgs`)
})

test('a file that cannot be opened has a page of its own, and one of a newer version can be read on request', async ({
  openSample,
  home,
  hostKind,
}) => {
  const page = await openSample()
  for (const { path, title, says } of badFiles(home)) {
    await turnTo(page, path, hostKind)
    await expect(page.getByRole('heading', { name: title }), path).toBeVisible()
    await expect(page.getByRole('main').or(page.getByRole('alert')).first()).toContainText(says)
  }
  // The last one is of a newer version.
  await page.getByRole('button', { name: 'Read what can be read' }).click()
  await expect(page.getByRole('banner').getByText('read-only')).toBeVisible()
  await expect(page.getByText('No conversation yet')).toBeVisible()
})

test('a transcript becomes a memory of its own, and bad lines are reported by number', async ({ openMemory, home }) => {
  const story = new TranscriptBuilder()
  for (let n = 0; n < 30; n += 1) {
    story.user(`Where is invoice ${n}?`)
    story.answer(`api_${n}`, [text(`Invoice ${n} lies in the ledger.`)])
  }
  story.raw('{"type":"user", this line is broken')
  const path = join(home, 'session.jsonl')
  writeFileSync(path, story.lines.map((line) => `${line}\n`).join(''))

  const page = await openMemory()
  await openByPath(page, path)
  await expect(page.getByRole('heading', { name: '1 transcript with 60 messages' })).toBeVisible()
  await page.getByRole('button', { name: 'Import 1 file' }).click()
  await expect(page.getByRole('heading', { name: '60 messages imported, 1 line left out' })).toBeVisible()
  await page.getByText('session.jsonl').click()
  await expect(page.getByText('line 61')).toBeVisible()
  await page.getByRole('button', { name: 'Open the memory' }).click()
  await expect(page.getByRole('contentinfo')).toContainText('LCM: 60 msgs')
  await expect(page.getByRole('banner')).toContainText('session.db')
})

test('the folders of the machine can be browsed', THROUGH_SHELL, async ({ openMemory, home, hostKind }) => {
  const memory = sampleCopy(home, 'a-memory.db')
  const page = await openMemory()
  const browse = hostKind === 'browser' ? 'Open a memory…' : 'Browse folders…'
  await page.getByRole('button', { name: browse }).click()
  const dialog = page.getByRole('dialog', { name: 'Open a memory or a transcript' })
  await expect(dialog).toContainText(home)
  await dialog.getByRole('button', { name: /a-memory\.db/ }).click()
  await expect(page.getByRole('contentinfo')).toContainText(`LCM: ${(await factsOf(memory)).messages} msgs`)
})

test(
  'a memory with a damaged page is one page that leads to salvage, in place of views that cannot read it',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    damageTable(path, 'messages')
    const page = await openMemory(path)
    await expect(page.getByRole('heading', { name: 'The database is damaged' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Views' })).toHaveCount(0)
    await expect(page.getByRole('contentinfo')).toHaveCount(0)
    await page.getByRole('alert').getByRole('button').first().click()
    const dialog = page.getByRole('dialog', { name: 'Salvage what can be read' })
    await expect(dialog).toContainText('stays as it is')
    // The new file makes the window ask again for the damaged one, and the report stays in sight meanwhile.
    await dialog.getByRole('button', { name: 'Salvage', exact: true }).click()
    await dialog.getByRole('button', { name: 'Open the salvaged memory' }).click()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await expect(page.getByRole('banner')).toContainText('sample-salvaged.db')
  },
)

test('a damaged memory is salvaged into a new one', async ({ openMemory, home }) => {
  const path = join(home, 'cut.db')
  copyFileSync(systemFile('lossless-claw/small.db'), path)
  truncateSync(path, Math.floor(statSync(path).size * 0.9))
  const page = await openMemory(path)
  await expect(page.getByRole('heading', { name: 'The file ends too early' })).toBeVisible()
  await page.getByRole('button', { name: 'Salvage what can be read…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Salvage what can be read' })
  await dialog.getByRole('button', { name: 'Salvage', exact: true }).click()
  await expect(dialog.getByRole('rowheader', { name: 'messages', exact: true })).toBeVisible()
  await expect(dialog).toContainText('missing at the end of the file')
  await dialog.getByRole('button', { name: 'Open the salvaged memory' }).click()
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  await expect(page.getByRole('banner')).toContainText('cut-salvaged.db')
})
