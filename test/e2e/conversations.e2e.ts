import type { Locator } from '@playwright/test'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

test('conversations can be filtered, sorted and gone through by keys, and a long list is fetched as it is scrolled', async ({
  openMemory,
  home,
}) => {
  const path = builtMemory(home, (memory) => {
    for (let n = 0; n < 250; n += 1) {
      const messages = Array.from({ length: n < 30 ? n + 1 : 1 }, (_, index) => ({
        content: `message ${index} of ${n}`,
        atMs: Date.UTC(2026, 2, 2, 0, n),
      }))
      memory.conversation({ title: `Conversation ${n} of many, ${n % 2 === 0 ? 'even' : 'odd'}`, messages })
    }
  })
  const page = await openMemory(path)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  const status = page.getByRole('contentinfo')
  await expect(list).toContainText('Conversations · 250')
  await expect(list.getByRole('button', { name: /Conversation 249 of many/ })).toHaveAttribute('aria-current', 'true')
  const oldest = list.getByRole('button', { name: /Conversation 0 of many/ })
  let turns = 0
  await expect(async () => {
    // At the end of a page the browser holds the wheel fast until the pointer is over another row.
    await list.hover({ position: { x: 100, y: 400 + 42 * (turns % 2) } })
    turns += 1
    await page.mouse.wheel(0, 3000)
    await expect(oldest).toBeVisible({ timeout: 200 })
  }).toPass()

  const filter = list.getByRole('textbox', { name: 'Filter conversations' })
  await filter.fill('conversation 17 many')
  await expect(list).toContainText('17 of 250')
  await list.getByRole('button', { name: /Conversation 17 of many/ }).click()
  await expect(list.locator('[aria-current=true]')).toContainText('Conversation 17 of many')
  await filter.fill('')

  await list.getByRole('button', { name: /^Sorted by/ }).click()
  await page.getByRole('menuitemradio', { name: 'Size' }).click()
  await expect(list.getByRole('button', { name: /Conversation 29 of many/ })).toBeVisible()
  await filter.fill('even')
  await expect(list).toContainText('125 of 250')
  await list.getByRole('button', { name: /Conversation 26 of many/ }).click()
  await expect(status).toContainText('LCM: 27 msgs')
  await page.keyboard.press('ArrowUp')
  await expect(status).toContainText('LCM: 29 msgs')
  await filter.fill('none of them')
  await expect(list).toContainText('None has these words.')

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('View, action, conversation, or an id').fill('conversation 42')
  await page.getByRole('option', { name: /^Conversation 42 of many/ }).click()
  await expect(page).toHaveURL(/conversation\/43\//)
})

test('a long name is cut at its own end, also where it is written from right to left', async ({ openMemory, home }) => {
  const path = builtMemory(home, (memory) => {
    memory.conversation({
      title: `ראשון ${'ועוד מילים '.repeat(20)}אחרון`,
      messages: [`ראשון ${'ועוד מילים '.repeat(60)}`],
    })
  })
  const page = await openMemory(path)
  const startsInSight = async (name: Locator): Promise<void> =>
    expect
      .poll(() =>
        name.evaluate((cut) => {
          const first = document.createRange()
          const text = document.createTreeWalker(cut, NodeFilter.SHOW_TEXT).nextNode()
          if (text === null) return null
          first.setStart(text, 0)
          first.setEnd(text, 1)
          return first.getBoundingClientRect().right <= cut.getBoundingClientRect().right + 1
        }),
      )
      .toBe(true)
  const listed = page.getByRole('navigation', { name: 'Conversations' }).getByText('ראשון')
  await expect(listed).toBeVisible()
  await startsInSight(listed)
  await page.evaluate(() => location.assign('#/conversation/1/window'))
  await startsInSight(page.getByRole('main').getByRole('row').getByText('ראשון'))
})

test('forks and sub-agents stand below what they came from, and arrows lead there and back', async ({
  openMemory,
  home,
}) => {
  const path = builtMemory(home, (memory) => {
    const first = memory.conversation({ title: 'The first', messages: ['one', 'two', 'three'] })
    memory.conversation({ title: 'Another', messages: ['other'] })
    memory.conversation({ title: 'What it started', parentConversationId: first, messages: ['below', 'and below'] })
  })
  const page = await openMemory(path)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list.getByRole('button', { name: /first|Another|started/ })).toHaveText([
    /The first/,
    /What it started/,
    /Another/,
  ])
  const child = list.getByRole('button', { name: /What it started/ })
  await expect(child.getByRole('img', { name: 'sub-agent of conversation 1' })).toBeVisible()
  await child.click()
  await expect(child).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('ArrowLeft')
  await expect(page).toHaveURL(/conversation\/1\//)
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/conversation\/3\//)
  await page.keyboard.press('\\')
  const detail = page.getByRole('complementary')
  await expect(detail.getByText('Family · 2')).toBeVisible()
  await expect(detail.getByText('Came from')).toBeVisible()
})

test(
  'the list of conversations is asked for after the layers that a window begins with',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    const list = page.getByRole('navigation', { name: 'Conversations' }).locator('button[aria-current=true]')
    await expect(list.first()).toBeVisible()
    const frames: string[] = []
    page.on('websocket', (socket) => {
      const note = (way: string) => (frame: { payload: string | Buffer }) => frames.push(`${way} ${frame.payload}`)
      socket.on('framesent', note('asked'))
      socket.on('framereceived', note('answered'))
    })
    await page.reload()
    await expect(list.first()).toBeVisible()
    const layers = /^asked \{"i":"(\w+)".*"\/strata\/get"/.exec(
      frames.find((frame) => frame.includes('/strata/get')) ?? '',
    )
    const answered = frames.findIndex((frame) => frame.startsWith(`answered {"i":"${layers?.[1]}"`))
    const asked = frames.findIndex((frame) => frame.includes('"families":true'))
    expect(answered).toBeGreaterThan(-1)
    expect(asked).toBeGreaterThan(answered)
  },
)
