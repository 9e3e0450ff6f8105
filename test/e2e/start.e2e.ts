import type { Locator } from '@playwright/test'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { expect, fromMemoryMenu, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test('the first view of a file answers four questions, and leads from words to what became of them', async ({
  openSample,
}) => {
  test.setTimeout(180_000)
  const page = await openSample()
  await expect(page).toHaveURL(/conversation\/1\/start$/)
  const answer = (name: string) => page.getByRole('region', { name })
  const window = answer('What does the model see next turn?')
  await expect(window).toContainText(/50,883\stokens · 25\s% · 4\ssummaries and 152 of 377\smessages/)
  await expect(window).toContainText(/due at 150,000 tokens, in about 43\sturns/)
  await expect(answer('Is the memory sound?').getByRole('button', { name: 'Check now' })).toBeVisible()
  await expect(answer('How is it layered?')).toContainText(/377\smessages → 28\sfirst summaries → 7 → 1/)
  // What the newest compactions lost comes one after another, and is told by the history, too.
  const losses = answer('What got lost, and when?')
  await expect(losses).toContainText('16,769 → 2,816')
  await expect(losses.getByText(/^[\d,]+ lost(, [\d,]+ changed)?$/)).toHaveCount(3, { timeout: 120_000 })
  // Of the details beside a compaction those are shown for which there is room.
  const cut = await losses.locator('[class*="_chip_"]').evaluateAll(
    (chips) =>
      chips.filter((chip) => {
        const [own, line] = [chip.getBoundingClientRect(), chip.parentElement?.getBoundingClientRect()]
        if (line === undefined || own.top >= line.bottom) return false
        return own.right > line.right + 1 || own.bottom > line.bottom + 1
      }).length,
  )
  expect(cut).toBe(0)

  await page.getByRole('searchbox', { name: 'What did the agent forget?' }).fill('PAY-1187')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/conversation\/1\/find\?query=PAY-1187&trace=1$/)
  await expect(page.getByRole('searchbox', { name: 'What to trace' })).toHaveValue('PAY-1187')
  await page.getByRole('button', { name: 'In this conversation' }).click()
  await page.getByRole('menu').getByText('every conversation').click()
  await expect(page).toHaveURL(/find\.everywhere=1/)
  await expect(page.getByRole('button', { name: 'In every conversation' })).toBeVisible()
})

test('the first view draws its answers before the figures that follow them', async ({ openSample }) => {
  const page = await openSample()
  const history = page.getByRole('region', { name: 'Tokens in the window over time' })
  await expect(history.getByRole('slider')).toBeVisible()
  await page.getByRole('link', { name: 'Messages' }).click()
  await expect(history).toHaveCount(0)
  await page.evaluate(() => {
    const order: string[] = []
    Object.assign(window, { order })
    new MutationObserver(() => {
      for (const name of ['How is it layered?', 'Tokens in the window over time']) {
        if (document.querySelector(`section[aria-label="${name}"]`) && !order.includes(name)) order.push(name)
      }
      order.push('change')
    }).observe(document.querySelector('main') as Element, { childList: true, subtree: true })
  })
  await page.getByRole('link', { name: 'Start' }).click()
  await expect(history.getByRole('slider')).toBeVisible()
  const order = await page.evaluate(() => (window as unknown as { order: string[] }).order)
  const between = order.slice(order.indexOf('How is it layered?') + 1, order.indexOf('Tokens in the window over time'))
  expect(between).toContain('change')
  // What a file may not record at all stands last.
  await expect(page.getByRole('main').getByRole('heading').last()).toHaveText('Prompt cache')
})

test('an address from before leads to the first view, which shows what it showed', async ({ openSample }) => {
  const page = await openSample()
  await page.evaluate(() => {
    location.hash = '#/conversation/1/overview?overview.scope=all'
  })
  await expect(page.getByRole('grid', { name: 'All conversations' })).toBeVisible()
  await expect(page).toHaveURL(/conversation\/1\/conversations$/)
})

test('the curve of the window leads to its messages and runs, and all conversations stand in a table', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.evaluate(() => {
    location.hash = '#/conversation/1/start'
  })
  const chart = page.getByRole('slider', { name: /^Tokens in the window over 377 messages/ })
  await expect(chart).toBeVisible()
  // Days, and what stands at the end of the axis.
  await expect(chart.locator('text', { hasText: /^Mar 4$/ })).toBeVisible()
  await expect(chart).toHaveAttribute('aria-valuetext', /Mar 6.*after message 377$/)

  // The scale of what compactions freed stands in the chart as a whole.
  const scale = await chart.locator('text', { hasText: /^≤ 14.k$/ }).boundingBox()
  expect(scale?.x).toBeGreaterThanOrEqual((await page.getByRole('main').boundingBox())?.x ?? Number.NaN)

  // How full the window was at most is said at the left of the buttons, on their line.
  const [label, buttons] = await Promise.all([
    page.getByText(/^fullest .* tokens$/).boundingBox(),
    page.getByRole('radiogroup', { name: 'Time shown' }).boundingBox(),
  ])
  if (label === null || buttons === null) throw new Error('the label or the buttons are not on screen')
  expect(label.x + label.width).toBeLessThanOrEqual(buttons.x)
  expect(Math.abs(label.y + label.height / 2 - buttons.y - buttons.height / 2)).toBeLessThan(4)

  await chart.focus()
  await page.keyboard.press('PageUp')
  await expect(chart).toHaveAttribute('aria-valuetext', /Mar 5, .* → .* tokens, its compaction freed 13,953.tokens$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/compact\?compact\.list=history&compact\.run=run_/)
  // The run is opened, and says what it lost when it is asked.
  await page.getByRole('button', { name: 'Show what it lost' }).click()
  await expect(page.getByRole('region', { name: 'What the compaction lost' })).toContainText(
    'details that left the window',
    {
      timeout: 120_000,
    },
  )
  await page.goBack()

  await chart.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await expect(chart).toHaveAttribute('aria-valuetext', /after message 1$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/messages\?select=msg_1/)
  await page.goBack()

  // The last day alone, in the address, by keys.
  await page.getByRole('radiogroup', { name: 'Time shown' }).getByRole('radio', { name: 'all' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/start\.range=24h/)
  await chart.focus()
  await page.keyboard.press('Home')
  await expect(chart).toHaveAttribute('aria-valuetext', /Mar 5, .*after message 2\d\d$/)
  await expect(page.getByRole('region', { name: 'Tokens in the window over time' })).toContainText('0 compaction steps')

  await page.getByRole('radiogroup', { name: 'What the axis shows' }).getByText('messages').click()
  await expect(page).toHaveURL(/start\.axis=messages/)
  await expect(chart.locator('text', { hasText: /^200$/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Prompt cache' })).toContainText('Not recorded')

  // The table is sorted and filtered in the address.
  await fromMemoryMenu(page, 'All conversations')
  const table = page.getByRole('grid', { name: 'All conversations' })
  const rows = table.getByRole('row')
  await expect(table).toHaveAttribute('aria-rowcount', '6')
  // The curve stands right below the rows, however high the window is.
  const bottom = async (of: Locator) => (await of.boundingBox().then((box) => box && box.y + box.height)) ?? Number.NaN
  const curve = page.getByRole('region', { name: 'Tokens in the window over time' })
  await expect.poll(async () => ((await curve.boundingBox())?.y ?? 0) - (await bottom(rows.last()))).toBeLessThan(24)
  // The heading with the arrow is the one by which the rows are in order.
  await expect(table.getByRole('columnheader', { name: /^changed/ })).toHaveAttribute('aria-sort', 'descending')
  await expect(rows.nth(1)).toContainText('Double charges after the retry rollout')
  // In a small window some rows and, below them, the curve have room, and nothing reaches out of it.
  await page.setViewportSize({ width: 900, height: 700 })
  await expect.poll(async () => (await table.boundingBox())?.height).toBeGreaterThanOrEqual(82)
  expect((await curve.boundingBox())?.y).toBeGreaterThanOrEqual(await bottom(table))
  await curve.scrollIntoViewIfNeeded()
  await expect(curve).toBeInViewport()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  await page.setViewportSize({ width: 1440, height: 900 })
  // Losses come one after another.
  await expect(rows.nth(1).getByRole('gridcell').last()).toHaveText(/\d/)

  await table.getByRole('button', { name: 'messages' }).click()
  await table.getByRole('button', { name: /^messages/ }).click()
  await expect(page).toHaveURL(/conversations\.reversed=1&conversations\.sort=messages/)
  await expect(rows.last()).toContainText('Double charges')

  // What was lost is counted for all of them, and those that were never compacted stand last.
  await table.getByRole('button', { name: 'lost details' }).click()
  await expect(rows.nth(2)).toContainText('Nightly reconciliation')
  await expect(rows.nth(2).getByRole('gridcell').last()).toHaveText(/\d/)
  await expect(rows.nth(1)).toContainText('Double charges')
  // The selected conversation is shown over time, and nothing is claimed about what was not checked.
  await expect(rows.nth(1)).toContainText('not checked')
  await rows.nth(2).getByRole('gridcell').nth(1).click()
  await expect(page.getByRole('region', { name: 'Tokens in the window over time' })).toContainText(
    'Nightly reconciliation',
  )

  // The others are drawn beside it, and what its last compaction lost stands beside the table.
  const report = page.getByRole('main').getByRole('region', { name: 'Loss report' })
  await page.getByRole('radiogroup', { name: 'What the axis shows' }).getByText('time').click()
  await page.getByRole('button', { name: /^Double charges.* 25\s%$/ }).click()
  await expect(report).toContainText('Double charges')
  await expect(report.getByRole('heading', { name: /^Lost: 2\sconstraints, .* paths and \d+\sothers$/ })).toBeVisible()
  await expect(report.getByRole('listitem').filter({ hasText: 'Order ids are' })).toContainText('message 203')
  await expect(page.getByText(/^468\smessages · .* tokens stored → .* in the windows$/)).toBeVisible()

  await page.getByRole('radiogroup', { name: 'Which conversations' }).getByText('compacted 2').click()
  await expect(page.getByRole('heading', { name: '2 of 5 conversations' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter conversations by words' }).fill('nightly')
  await expect(page.getByRole('heading', { name: '1 of 5 conversations' })).toBeVisible()

  await rows.nth(1).getByRole('gridcell').nth(1).click()
  await table.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/conversation\/4\/start/)
  await expect(page.getByRole('region', { name: 'What does the model see next turn?' })).toBeVisible()
})

test('a run has the same size in the loss report of its conversation and in the history of compactions', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.evaluate(() => {
    location.hash = '#/conversation/1/start?start.scope=all'
  })
  const table = page.getByRole('grid', { name: 'All conversations' })
  await table.getByRole('row').filter({ hasText: 'Double charges' }).getByRole('gridcell').nth(1).click()
  const report = page.getByRole('main').getByRole('region', { name: 'Loss report' })
  const size = report.getByText(/^[\d,]+ → [\d,]+$/)
  await expect(size).toBeVisible({ timeout: 60_000 })
  const said = (await size.textContent()) ?? ''
  await report.getByRole('button', { name: 'Show the compaction' }).click()
  await expect(page).toHaveURL(/compact\.run=run_/)
  await expect(page.getByRole('button', { name: said, expanded: true })).toBeVisible()
})

/** A Claude Code session of forty answers, the cache of which is used until a pause of half an hour, and one compaction. */
async function withBreak(): Promise<TestMemory> {
  const memory = buildMemory()
  const story = new TranscriptBuilder()
  let sent = 0
  for (let answer = 0; answer < 40; answer += 1) {
    const timestamp = new Date(Date.UTC(2026, 2, 2, 9, answer + (answer >= 25 ? 30 : 0))).toISOString()
    const added = 900 + (answer % 5) * 300
    const read = answer === 25 ? 0 : sent
    const written = sent + added - read
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 9,
    }
    story.user(`Question ${answer}`, { timestamp })
    story.answer(`msg_${answer}`, [text(`Answer ${answer}`)], { timestamp }, { usage })
    sent += added
  }
  await importOne(memory.db, story.write())
  memory.leaf(1, [1, 2, 3, 4, 5, 6], { content: 'The first three answers.', atMs: Date.UTC(2026, 2, 2, 9, 20) })
  memory.db.close()
  return memory
}

test('the prompt cache is drawn answer by answer, with its breaks and what they cost', async ({ openMemory }) => {
  const page = await openMemory((await withBreak()).path)
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  const cache = page.getByRole('region', { name: 'Prompt cache' })
  await expect(cache.getByRole('img', { name: /^40 answers: .* 1 break, / })).toBeVisible()
  await expect(cache.getByRole('row').nth(1)).toContainText('after a pause of 31 min')
  await cache.getByRole('button', { name: 'msg_52' }).click()
  await expect(page).toHaveURL(/messages\?select=msg_52/)
  await page.goBack()

  // The lanes below the curve: what was sent, with the break, and what the compaction freed.
  const chart = page.getByRole('slider', { name: /^Tokens in the window/ })
  await expect(chart.getByText('freed', { exact: true })).toBeVisible()
  const broken = await chart.locator('path[class*="broken"]').boundingBox()
  if (broken === null) throw new Error('the break is not drawn')
  await page.mouse.move(broken.x + broken.width / 2, broken.y + broken.height / 2)
  await expect(chart.getByText(/1.cache break: .* sent again/)).toBeVisible()
  await page.mouse.down()
  await page.mouse.up()
  await expect(page).toHaveURL(/messages\?select=msg_52/)
})
