import { generateHistory } from '../builders/history.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory, factsOf, sampleCopy, systemFile } from './memories.ts'

test.use(SHARED_HOST)

/** What is lost is listed within seconds, and within a minute or two on a busy machine. */
const LONG = { timeout: 180_000 }

test('a compaction goes from decision to plan, confirmation, run and result, the figures follow, and it is taken back', async ({
  openMemory,
  home,
}) => {
  test.slow()
  const path = sampleCopy(home)
  const before = await factsOf(path)
  const page = await openMemory(path)
  const line = page.getByRole('contentinfo')
  await expect(line).toContainText(`${before.summaries} summaries`)
  // The plan is one click from where the need for it is read.
  for (const view of ['Window', 'Start', 'Layers']) {
    await page.getByRole('link', { name: new RegExp(`^${view}`) }).click()
    await expect(page.getByRole('main').getByRole('button', { name: 'Compact…' })).toBeVisible()
  }
  await page.getByRole('button', { name: 'Compact…' }).click()
  await expect(page.getByRole('row', { name: /: compact at/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible()
  // The plan has words, and tells what would be lost before anything happens.
  const steps = page.getByRole('grid', { name: 'Steps of the plan' }).getByRole('row')
  await expect(steps.nth(1)).toContainText('12\u00a0messages from Right, it inherited none to NAME READY')
  const outlook = page.getByText('143\u00a0messages and 3\u00a0earlier summaries leave the window')
  await expect(outlook).toContainText(
    /4 of 21\u00a0new summaries come, [\d,]+\u00a0details are lost and \d+ changed\.$/,
    LONG,
  )
  const planned = page.getByRole('region', { name: 'What would be lost' })
  const [, details = ''] = /Of ([\d,]+)\sdetails that leave the window/.exec((await planned.textContent()) ?? '') ?? []
  await steps.nth(1).click()
  await expect(page.getByText(/1,330\u00a0tokens become at most 600, \d+\u00a0details are lost/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Compare the window before and after it' })).toHaveAttribute(
    'href',
    /compare\?b=after$/,
  )
  await page.getByRole('button', { name: 'Compact…' }).click()

  const dialog = page.getByRole('dialog', { name: 'Compact this conversation?' })
  await expect(dialog).toContainText(path)
  await expect(dialog).toContainText('No message is changed or deleted')
  await expect(dialog).toContainText(/loses[\d,]+\u00a0details are lost/)
  // The dangerous button is not the default one.
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  expect(await factsOf(path)).toEqual(before)

  await page.getByRole('button', { name: 'Compact…' }).click()
  await dialog.getByRole('button', { name: 'Compact', exact: true }).click()
  const result = page.getByRole('status').filter({ hasText: 'less in the window' })
  await expect(result).toContainText(/\d+\snew\ssummaries, \d+\s% less in the window/)
  await expect(result).toContainText('ended because')
  const after = await factsOf(path)
  expect(after.contextTokens).toBeLessThan(before.contextTokens * 0.7)
  expect(after.summaries).toBeGreaterThan(before.summaries)
  expect(after.messages).toBe(before.messages)
  await expect(line).toContainText(`${after.summaries} summaries`)
  const losses = page.getByRole('region', { name: 'What the compaction lost' })
  // What is lost is what was told before.
  await expect(losses).toContainText(`Of ${details}\u00a0details that left the window`, LONG)

  await page.getByRole('link', { name: 'Compare before and after' }).click()
  await expect(page.getByRole('grid', { name: 'Differences' })).toBeVisible()
  await page.goBack()

  await page.getByRole('main').getByRole('button', { name: /sum_/ }).first().click()
  await expect.poll(() => page.url()).toMatch(/select=sum_/)
  await losses
    .getByRole('listitem')
    .first()
    .getByTitle(/Trace it$/)
    .click()
  await expect.poll(() => page.url()).toMatch(/trace=(?:msg|sum)_/)
  await page.getByRole('link', { name: 'Compact' }).click()

  // Compacting again would make the same summaries, so it is undone without a question.
  await page.getByRole('button', { name: 'Undo this compaction', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Compaction taken back' })).toBeVisible()
  const undone = page.getByRole('main').getByRole('status').filter({ hasText: 'Compaction taken back' })
  await expect(undone).toContainText('143\u00a0messages and 3\u00a0earlier summaries into the model’s window')
  await expect(undone).toContainText(`→ ${before.contextTokens.toLocaleString('en-US')}\u00a0tokens`)
  expect(await factsOf(path)).toEqual({ ...before, updatedAtMs: expect.any(Number) })
  await expect(page.getByRole('contentinfo')).toContainText(`| ${before.summaries} summaries`)
  await page.getByRole('radio', { name: /^history/ }).check({ force: true })
  await expect(page.getByRole('button', { name: /taken back$/ })).toHaveCount(1)
})

test('a run of the history is taken back, messages that came since stay, and it cannot be taken back twice', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const before = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Compact' }).click()
  await page.getByRole('radio', { name: /^history/ }).check({ force: true })
  const run = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Mar 5, 10:54/ }) })
  await run.getByRole('button', { name: /^Mar 5, 10:54/ }).click()
  await run.getByRole('button', { name: 'Undo this compaction…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo this compaction?' })
  await expect(dialog).toContainText('that came since')
  // The button that changes the file is not the default one.
  await expect(dialog.getByRole('button', { name: 'Leave it as it is' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Undo the compaction' }).click()
  await expect(run.getByRole('button', { name: /taken back$/ })).toBeVisible()
  await expect(run.getByRole('button', { name: 'Undo this compaction…' })).toHaveCount(0)
  const after = await factsOf(path)
  expect(after.messages).toBe(before.messages)
  expect(after.summaries).toBeLessThan(before.summaries)
})

test.describe('a long compaction', () => {
  // Thousands of small summaries: it takes many times as long as the page takes to load again.
  test.use({ appEnv: { LCM_LEAF_CHUNK_TOKENS: '400', LCM_LEAF_TARGET_TOKENS: '300' } })

  test('a window that reloads during a compaction finds it again and can cancel it', async ({ openMemory, home }) => {
    test.slow()
    const path = builtMemory(home, (memory) => {
      const messages = generateHistory({ seed: 5, messages: 15_000 }).map(({ role, content }) => ({ role, content }))
      memory.conversation({ title: 'Long', messages })
    })
    const page = await openMemory(path)
    await page.getByRole('link', { name: 'Compact' }).click()
    await page.getByRole('button', { name: 'Compact…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }).click()
    const cancel = page.getByRole('main').getByRole('button', { name: 'Cancel' })
    await expect(cancel).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Compacting now' })).toBeVisible()
    await page.reload()
    await expect(cancel).toBeVisible()
    await cancel.click()
    await expect(page.getByText(/cancelled/i).first()).toBeVisible()
    const { messages, summaries } = await factsOf(path)
    expect(messages).toBe(15_000)
    await expect(page.getByRole('contentinfo')).toContainText(
      `| ${summaries.toLocaleString('en-US')} summar${summaries === 1 ? 'y' : 'ies'} `,
    )
  })
})

test(
  'the fresh tail of the plan begins where the fresh tail of the what-if begins',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openMemory(sampleCopy(home))
    await page.getByRole('link', { name: 'Compact' }).click()
    const strip = page.getByRole('img', { name: /newest messages from message/ })
    const configured = await strip.getAttribute('aria-label')
    await page.getByRole('link', { name: /^Window/ }).click()
    await page.getByRole('radiogroup', { name: 'Shown as' }).getByText('what if').click()
    const view = page.getByRole('region', { name: 'What if' })
    const tail = view.getByRole('textbox', { name: 'newest' })
    await tail.fill('1')
    await tail.press('Enter')
    await view.getByRole('button', { name: 'Plan compaction…' }).click()
    await expect(strip).toBeVisible()
    await expect(strip).not.toHaveAttribute('aria-label', configured ?? '')
  },
)

test.describe('a file of another system', () => {
  test('is shown in every view, and offers no button that cannot work', async ({ openMemory }) => {
    const page = await openMemory(systemFile('lossless-claw/small.db'))
    await expect(page.getByRole('banner').getByText('read-only')).toBeVisible()
    await expect(page.getByRole('banner')).toContainText('lossless-claw')
    for (const view of ['Start', 'Layers', 'Window', 'Messages', 'Find', 'Health']) {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click()
      await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
    }
    await page.getByRole('link', { name: 'Compact' }).click()
    await expect(page.getByText('Read-only file.')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Compact…' })).toHaveCount(0)
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await expect(page.getByRole('heading', { name: 'Nothing is wrong' })).toBeVisible()
  })
})
