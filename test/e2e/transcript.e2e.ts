import { openLcm } from '#core/lcm.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

test('keys move from message to message, tool calls unfold, and the transcript scrolls to any selection', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const { messages, conversationId } = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Messages' }).click()
  const feed = page.getByRole('feed', { name: 'Messages' })
  await expect(feed.getByRole('article').first()).toBeVisible()
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_1$/)
  await expect(feed.getByText(/^\d+ of \d+ known$/).first()).toBeVisible()
  await expect(page.getByTitle('first summary: a stripe beside the messages that it stands for')).toBeVisible()
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_2$/)
  await page.keyboard.press('k')
  await expect.poll(() => page.url()).toMatch(/select=msg_1$/)

  // The focus on a button keeps no key from the list, and the arrows follow the lineage.
  await page.getByRole('button', { name: 'Last', exact: true }).focus()
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
  await page.getByRole('button', { name: 'First', exact: true }).click()
  const call = feed.getByRole('button', { name: /^bash / }).first()
  await expect(call).toHaveAttribute('aria-expanded', 'false')
  await call.click()
  await expect(call).toHaveAttribute('aria-expanded', 'true')

  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText(`of ${messages} messages`)

  const goTo = page.getByRole('textbox', { name: 'Go to a message by number, id or time' })
  await goTo.fill('120')
  await goTo.press('Enter')
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText(/1[12]\d of/)

  // Selected by the address: it scrolls there.
  await page.evaluate((id) => {
    location.hash = `#/conversation/${id}/messages?select=msg_60`
  }, conversationId)
  const message = feed.getByRole('article', { name: /msg_60$/ })
  await expect(message).toBeInViewport()

  const stripe = message.getByRole('button', { name: /^Select first summary sum_/ })
  const id = /sum_\w+/.exec((await stripe.getAttribute('aria-label')) ?? '')?.[0] ?? ''
  await stripe.click()
  await expect.poll(() => page.url()).toContain(`select=${id}`)
  await expect(
    page.getByRole('complementary', { name: 'Detail' }).getByRole('button', { name: `Copy ${id}` }),
  ).toBeVisible()
})

test('results and sub-agents are folded under their calls, and keys, links and the map reach every message', async ({
  openMemory,
  home,
}) => {
  const path = sampleCopy(home)
  const { messages, conversationId } = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Messages' }).click()
  const feed = page.getByRole('feed', { name: 'Messages' })
  const call = feed.getByRole('article', { name: 'assistant msg_3' })
  const first = call.getByRole('article', { name: 'tool msg_4' })
  const second = call.getByRole('article', { name: 'tool msg_5' })
  await expect(first).toBeVisible()
  const fold = first.getByRole('button', { name: /^result/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await expect(first).toContainText('order_id')

  // Keys go from the call to its results and on.
  await page.evaluate(() => {
    location.hash = `${location.hash.replace(/\?.*/, '')}?select=msg_3`
  })
  await expect(call).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('j')
  await expect(first).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('j')
  await expect(second).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('j')
  await expect.poll(() => page.url()).toMatch(/select=msg_6$/)
  await page.keyboard.press('k')
  await expect(second).toHaveAttribute('aria-current', 'true')
  // Enter would press the button that was clicked before.
  await fold.blur()
  await page.keyboard.press('Enter')
  await expect(second.getByRole('button', { name: /^result/ })).toHaveAttribute('aria-expanded', 'true')

  const goTo = page.getByRole('textbox', { name: 'Go to a message by number, id or time' })
  await goTo.fill('29')
  await goTo.press('Enter')
  await expect(feed.getByRole('article', { name: 'tool msg_29' })).toBeInViewport()

  await page.evaluate(() => {
    location.hash = '#/conversation/1/messages?select=msg_115'
  })
  const started = feed.getByRole('article', { name: 'assistant msg_115' })
  const agent = started.getByRole('region', { name: 'Sub-agent: Map webhook handling' })
  const folded = agent.getByRole('button', { name: /^sub-agent/ })
  await expect(folded).toContainText(/18\smessages · .*tokens/)
  await expect(folded).toHaveAttribute('aria-expanded', 'false')
  await folded.click()
  await expect(agent.getByRole('article', { name: 'user msg_130' })).toContainText('Find every place that receives')
  await agent.getByRole('button', { name: 'Open as a conversation' }).click()
  await expect.poll(() => page.url()).toContain('#/conversation/2/messages')

  // The map beside it shows what was found, and a click or a drag on it goes there.
  await page.evaluate((id) => {
    location.hash = `#/conversation/${id}/messages?query=PAY-1187`
  }, conversationId)
  const map = page.locator('[data-hits]')
  await expect(map).not.toHaveAttribute('data-hits', '0')
  const box = await map.boundingBox()
  if (box === null) throw new Error('the map is not in sight')
  const counter = page.getByRole('region', { name: 'Transcript' })
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(middle.x, middle.y)
  await page.mouse.down()
  await expect(counter).toContainText(/1[789]\d of/)
  await page.mouse.move(middle.x, box.y + box.height + 40)
  await expect(counter).toContainText(`${messages} of`)
  await page.mouse.move(middle.x, box.y + 1)
  await page.mouse.up()
  await expect(counter).toContainText(/\D1 of/)
})

test(
  'messages are copied in every form, and a compaction is marked where it ran',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const lcm = await openLcm(path, { readOnly: true })
    const { events } = lcm.timeTravel.timeline(conversationId)
    const [first] = events
    const ids = lcm.reader.of(conversationId).ids
    const newest = `msg_${ids[(first?.messages ?? 0) - 1]}`
    lcm.close()
    const page = await openMemory(path)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('link', { name: 'Messages' }).click()
    const feed = page.getByRole('feed', { name: 'Messages' })
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    const copy = async (menu: string, form: string) => {
      await page.getByRole('button', { name: menu }).click()
      await page.getByRole('menu', { name: menu }).getByRole('menuitem', { name: form }).click()
    }
    await copy('Copy msg_2 as…', 'Markdown')
    await expect.poll(copied).toMatch(/^### user · msg_2 · .*\n\nMorning\. Support/)
    await copy('Copy msg_2 as…', 'JSON')
    await expect.poll(copied).toContain('"id": "msg_2"')
    await copy('Copy msg_2 as…', 'Link')
    await expect.poll(copied).toMatch(/^http.*messages\?select=msg_2$/)

    // Shift and a click select a range, J extends it, and the address holds it.
    await feed.getByRole('article', { name: 'user msg_2' }).click()
    await feed
      .getByRole('article', { name: 'assistant msg_3' })
      .click({ modifiers: ['Shift'], position: { x: 60, y: 14 } })
    const bar = page.getByRole('toolbar', { name: 'Selected messages' })
    await expect(bar).toContainText(/2\smessages selected, 2 to 3/)
    await page.keyboard.press('J')
    await expect(bar).toContainText(/3\smessages selected, 2 to 4/)
    await expect.poll(() => page.url()).toContain('messages.range=2-4')
    await copy('Copy the selected messages as…', 'Plain text')
    await expect.poll(copied).toMatch(/^\[user · msg_2 [\s\S]*\n\[assistant · msg_3 [\s\S]*\n\[tool · msg_4 /)
    await page.keyboard.press('Escape')
    await expect(bar).toBeHidden()

    const showMessage = (id: string) =>
      page.evaluate(
        ([conversation, message]) => {
          location.hash = `#/conversation/${conversation}/messages?select=${message}`
        },
        [conversationId, id],
      )
    await showMessage(newest)
    await expect(feed.getByRole('article', { name: new RegExp(`${newest}$`) })).toBeVisible()
    const mark = feed.getByText('context was compacted here')
    await expect(mark).toHaveCount(1)
    await expect(mark).toContainText(/[1-9]\d*\ssummar(y|ies) made/)
  },
)
