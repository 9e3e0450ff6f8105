import { openLcm } from '../../core/lcm.ts'
import { expect, IN_BROWSER, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

test('the transcript scrolls to any selection, and its gutter leads to what covers a message', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const { messages, conversationId } = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Transcript' }).click()
  const feed = page.getByRole('feed', { name: 'Messages' })
  await expect(feed.getByRole('article').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText(`of ${messages} messages`)

  const goTo = page.getByRole('textbox', { name: 'Go to a message by number, id or time' })
  await goTo.fill('120')
  await goTo.press('Enter')
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText(/1[12]\d of/)

  // Selected by the address: it scrolls there.
  await page.evaluate((id) => {
    location.hash = `#/conversation/${id}/transcript?select=msg_60`
  }, conversationId)
  const message = feed.getByRole('article', { name: /msg_60$/ })
  await expect(message).toBeInViewport()

  const stripe = message.getByRole('button', { name: /^Select leaf sum_/ })
  const id = /sum_\w+/.exec((await stripe.getAttribute('aria-label')) ?? '')?.[0] ?? ''
  await stripe.click()
  await expect.poll(() => page.url()).toContain(`select=${id}`)
  await expect(
    page.getByRole('complementary', { name: 'Detail' }).getByRole('button', { name: `Copy ${id}` }),
  ).toBeVisible()
})

test('keys move from message to message, and reasoning and tool calls unfold', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await page.getByRole('link', { name: 'Transcript' }).click()
  const feed = page.getByRole('feed', { name: 'Messages' })
  await expect(feed.getByRole('article').first()).toBeVisible()
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_1$/)
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_2$/)
  await page.keyboard.press('k')
  await expect.poll(() => page.url()).toMatch(/select=msg_1$/)

  // The focus on a button keeps no key from the list, and the arrows follow the lineage.
  await page.getByRole('button', { name: 'End', exact: true }).focus()
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_2$/)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.url()).toMatch(/select=sum_\w+/)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => page.url()).toMatch(/select=msg_\d+/)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByText(/msg_\d+ has no sources/)).toBeVisible()

  await page.keyboard.press('End')
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText(/(\d+) of \1\smessages/)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const call = feed.getByRole('button', { name: /^bash / }).first()
  await expect(call).toHaveAttribute('aria-expanded', 'false')
  await call.click()
  await expect(call).toHaveAttribute('aria-expanded', 'true')
})

test(
  'a compaction is marked where it ran, and the end of the messages of a summary is named as that',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const lcm = await openLcm(path, { readOnly: true })
    const { events } = lcm.timeTravel.timeline(conversationId)
    const [first] = events
    const ids = lcm.reader.of(conversationId).ids
    const newest = `msg_${ids[(first?.messages ?? 0) - 1]}`
    const sources = lcm.retrieval.describe(first?.summaryId ?? '', 100).sources
    lcm.close()
    const page = await openMemory(path)
    const feed = page.getByRole('feed', { name: 'Messages' })
    const showMessage = (id: string) =>
      page.evaluate(
        ([conversation, message]) => {
          location.hash = `#/conversation/${conversation}/transcript?select=${message}`
        },
        [conversationId, id],
      )
    await showMessage(newest)
    await expect(feed.getByRole('article', { name: new RegExp(`${newest}$`) })).toBeVisible()
    const mark = feed.getByText('context was compacted here')
    await expect(mark).toHaveCount(1)
    await expect(mark).toContainText(/[1-9]\d*\ssummar(y|ies) made/)
    await showMessage(sources.at(-1) ?? '')
    await expect(feed.getByRole('article', { name: new RegExp(`${sources.at(-1)}$`) })).toContainText(
      'the range of a summary ends here',
    )
  },
)
