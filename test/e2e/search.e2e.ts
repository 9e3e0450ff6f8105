import { GrepInput } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import { expect, IN_BROWSER, SHARED_HOST, test, toTree } from './app.ts'
import { hitsOf, sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test('search finds while one types, Enter opens a hit, and hits are grouped under what covers them', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search messages and summaries' })
  await expect(field).toBeFocused()
  await page.keyboard.type('gateway')
  const hits = hitsOf(page)
  await expect(hits.first()).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(page.getByRole('region', { name: 'Search' })).toContainText('beginning of one')
  await page.keyboard.type('y')
  await expect(page.getByRole('region', { name: 'Search' })).not.toContainText('beginning of one')
  await expect(hits.first().locator('mark').first()).toHaveText(/gateway/i)
  await expect.poll(() => page.url()).toContain('query=gateway')

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/(messages|layers)\?.*select=/)

  await page.goBack()
  await expect(field).toHaveValue('gateway')
  await expect(hits.first()).toBeVisible()

  await page.getByRole('button', { name: 'Grouped: by conversation' }).click()
  await page.getByRole('menuitemradio', { name: 'by covering summary' }).click()
  const heads = page.getByRole('grid', { name: 'Hits' }).getByRole('button', { name: /^(Fold|Unfold) / })
  await expect(heads.first()).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByRole('grid', { name: 'Hits' })).toContainText('In the window themselves')
  await page.keyboard.press('/')
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await expect(heads.first()).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Enter')
  await expect(heads.first()).toHaveAttribute('aria-expanded', 'true')
})

test(
  'what is typed right after the slash is kept, however late the search is loaded',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    let load = () => {}
    const gate = new Promise<void>((resolve) => {
      load = resolve
    })
    await page.route(/find-with-trace-[^/]*\.js$/, async (route) => {
      await gate
      await route.continue()
    })
    await page.reload()
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await page.keyboard.press('/')
    // Letters that are keys of the window as well: trace, pin, search.
    await page.keyboard.type('tb/pay')
    const field = page.getByRole('combobox', { name: 'Search messages and summaries' })
    await expect(field).toHaveCount(0)
    load()
    await expect(field).toHaveValue('tb/pay')
    await expect(field).toBeFocused()
    await page.keyboard.type('ments')
    await expect(field).toHaveValue('tb/payments')
  },
)

test('a search stays within the selected summary', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await toTree(page)
  await page
    .getByRole('treeitem')
    .filter({ has: page.locator('[title^=sum_]') })
    .nth(1)
    .click()
  await expect(page).toHaveURL(/select=sum_/)
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('gateway')
  const status = page.getByRole('region', { name: 'Search' }).getByRole('status').first()
  await expect(page).toHaveURL(/query=gateway/)
  await expect(status).toContainText(/[1-9]\d*\shits\s·/)
  await expect(hitsOf(page).first().locator('mark').first()).toHaveText(/gateway/i)
  const all = await status.textContent()
  await page.getByRole('button', { name: /^within / }).click()
  await expect(status).not.toContainText(all?.split('·')[0] ?? '')
  await expect(hitsOf(page).first()).toBeVisible()
})

test(
  'the filters of a narrow Find take two lines, with a button for the others, and those that limit the hits stay in sight',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name: 'Find' }).click()
    const [roles, more] = [
      page.getByRole('group', { name: 'Roles' }),
      page.getByRole('button', { name: 'more filters' }),
    ]
    await expect(roles).toBeVisible()
    await expect(more).toBeHidden()
    for (const name of ['all', 'both', 'in or out']) await expect(page.getByText(name, { exact: true })).toHaveCount(0)
    await page.setViewportSize({ width: 900, height: 700 })
    await expect(more).toBeVisible()
    await expect(roles).toBeHidden()
    const bar = page.locator('main [class*="_bar_"]').filter({ has: more })
    expect((await bar.boundingBox())?.height).toBeLessThan(70)
    await more.click()
    await roles.getByRole('button', { name: 'user' }).click()
    await expect(more).toBeHidden()
    await expect(roles).toBeVisible()
    await page.getByRole('button', { name: 'Clear' }).click()
    await more.click()
    await expect(roles).toBeHidden()
  },
)

/** A name of a dozen characters in the rows of hits takes at least so many pixels. */
const DOZEN_PX = 66

test(
  'a hit names as many covering summaries as have room for a dozen characters each, and counts the others',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Find' }).click()
    await page.getByRole('combobox').fill('idempotency key')
    const covered = hitsOf(page).filter({ hasText: 'covered by' })
    await expect(covered.first()).toContainText('lost')
    /** What each row says of its covering summaries, as far as it can be seen. */
    const rows = () =>
      covered.evaluateAll((hits) =>
        hits.map((hit) => {
          const isSeen = (element: Element) => element.checkVisibility()
          const names = [...hit.querySelectorAll('button[aria-label*=" sum_"]')].filter(isSeen)
          const texts = [...hit.querySelectorAll('span')].filter(isSeen).map((span) => span.textContent)
          return {
            names: names.map((name) => ({ px: name.clientWidth, isCut: name.scrollWidth > name.clientWidth })),
            unders: texts.filter((text) => text === 'under').length,
            others: texts.map((text) => Number(/^\+(\d+)$/.exec(text)?.[1] ?? 0)).reduce((sum, one) => sum + one, 0),
          }
        }),
      )
    const numbersOf = (row: Awaited<ReturnType<typeof rows>>[number]) => row.names.length + row.others
    const wide = await rows()
    expect(wide.some((row) => row.names.length === 2)).toBe(true)
    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 800 })
      await expect
        .poll(async () => (await rows()).some((row) => row.names.length === (width === 900 ? 1 : 2)))
        .toBe(true)
      for (const [at, row] of (await rows()).entries()) {
        for (const { px, isCut } of row.names) expect(!isCut || px >= DOZEN_PX, `${width}, row ${at}: ${px}`).toBe(true)
        expect(row.unders, `${width}, row ${at}`).toBe(Math.max(0, row.names.length - 1))
        if (row.names.length > 0 && wide[at]) expect(numbersOf(row)).toBe(numbersOf(wide[at]))
      }
    }
  },
)

test(
  'a summary is said to show a hit only when its text does, and a match is marked where it is opened',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const lcm = await openLcm(path, { readOnly: true })
    const { hits: found } = await lcm.retrieval.grep(GrepInput.parse({ query: 'PAY-1187' }))
    lcm.close()
    const covered = found.filter((hit) => hit.coverInWindow !== null)
    expect(covered.length).toBeGreaterThan(0)
    const page = await openMemory(path)
    await page.getByRole('link', { name: 'Find' }).click()
    await page.getByRole('combobox').fill('PAY-1187')
    const hits = hitsOf(page)
    await expect(hits).toHaveCount(found.length)
    await expect(page.getByRole('grid', { name: 'Hits' })).not.toContainText('seen through')
    for (const { id, coverInWindow, isSeenInCover } of covered) {
      const hit = hits.and(page.locator(`[data-node=${id}]`)).first()
      await expect(hit).toContainText(isSeenInCover ? 'seen in' : 'covered by')
      await expect(hit.getByRole('button', { name: coverInWindow ?? '' })).toBeVisible()
    }

    // A match is marked where it is opened.
    await page.getByRole('combobox').fill('northgate')
    await expect(hitsOf(page).first()).toContainText(/northgate/i)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/select=/)
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)).toBeGreaterThan(0)

    // A question marks its words in every form beside the list, too, and the first one is in sight.
    await page.goBack()
    await page.getByRole('combobox').fill('why did the captures fail?')
    await page.getByRole('radiogroup', { name: 'Search in' }).getByText('summaries', { exact: true }).click()
    await expect(hitsOf(page).first()).toContainText(/first summary|depth \d/)
    await expect(hitsOf(page).first().locator('mark').first()).toHaveText(/^(why|captur\w*|fail\w*)$/i)
    await hitsOf(page).first().click()
    const detail = page.getByRole('complementary', { name: 'Detail' })
    await detail.getByRole('tab', { name: 'Detail' }).click()
    const place = detail.getByRole('status').filter({ hasText: 'match' })
    await expect(place).toHaveText(/^1 of \d+\smatches$/)
    const current = () =>
      page.evaluate(() => {
        const [range] = [...(CSS.highlights.get('found-current') ?? [])] as Range[]
        const top = range?.getBoundingClientRect().top ?? -1
        return { text: `${range}`, isInSight: top > 0 && top < innerHeight }
      })
    const first = await current()
    expect(first.isInSight).toBe(true)
    expect(first.text).toMatch(/^(why|captur\w*|fail\w*)$/i)
    await detail.getByRole('button', { name: 'Previous match' }).click()
    await expect(place).toHaveText(/^(\d+) of \1\smatches$/)
    await expect.poll(async () => (await current()).isInSight).toBe(true)
  },
)

test('a question is answered with passages, modes and filters narrow a search, and an empty result is reported', async ({
  openSample,
}) => {
  const page = await openSample()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ask this')
  await page.keyboard.press('Enter')
  const question = page.getByRole('textbox', { name: 'Question to the memory' })
  await expect(question).toBeFocused()
  await page.keyboard.type('why were customers charged twice')
  await page.keyboard.press('Enter')
  const answer = page.getByRole('article', { name: 'Answer' })
  await expect(answer).toContainText('No model was asked')
  await expect(answer).toContainText(/of 4,000 tokens/)
  await expect(page.getByLabel('Answered by')).toBeVisible()
  expect(
    await answer
      .locator('section')
      .getByRole('button', { name: /message \d/ })
      .count(),
  ).toBeLessThanOrEqual(12)
  await answer
    .getByRole('button', { name: /message \d/ })
    .first()
    .click()
  await expect(page).toHaveURL(/messages\?.*select=msg_/)
  await page.goBack()
  await expect(answer).toBeVisible()

  // Modes and filters narrow a search.
  await page.evaluate(() => {
    location.hash = '#/conversation/1/find'
  })
  const view = page.getByRole('region', { name: 'Search' })
  const field = view.getByRole('combobox')
  const hits = hitsOf(page)
  await field.fill('gateway')
  await expect(hits.first()).toBeVisible()
  await view.getByRole('radiogroup', { name: 'Search in' }).getByText('summaries', { exact: true }).click()
  await expect(hits.first()).toContainText(/first summary|depth \d/)
  await view.getByRole('radiogroup', { name: 'Search in' }).getByText('messages and summaries').click()
  await view.getByRole('radiogroup', { name: 'Mode' }).getByText('regex').click()
  await field.fill('PAY-\\d{4}')
  await expect(hits.first().locator('mark').first()).toHaveText(/^PAY-\d{4}$/)
  await field.fill('PAY-(')
  await expect(view).toContainText(/parenthes|missing|not valid|pattern/i)
  await view.getByRole('radiogroup', { name: 'Mode' }).getByText('literal').click()
  await field.fill('no such words in this memory')
  await expect(hits).toHaveCount(0)
  await expect(view).toContainText(/nothing|no hit|not found/i)
})
