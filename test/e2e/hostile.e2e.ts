import type { Page } from '@playwright/test'
import { VIEWS, factsOf as viewFacts } from '#renderer/views.ts'
import type { MessageSpec } from '../builders/memory.ts'
import { expect, SHARED_HOST, THROUGH_SHELL, test } from './app.ts'
import { builtMemory, factsOf, hitsOf } from './memories.ts'

test.use(SHARED_HOST)

const PWNED = 'window.pwned = true'
const HOSTILE = [
  `<script>${PWNED}</script>`,
  `</script></style></title><script>${PWNED}</script>`,
  `<img src="https://evil.example/pixel.png" onerror="${PWNED}">`,
  `<iframe src="https://evil.example/frame"></iframe>`,
  `<svg onload="${PWNED}"><a href="javascript:${PWNED}">svg</a></svg>`,
  `<form action="https://evil.example/form"><button>send</button></form>`,
  `<style>@import "https://evil.example/style.css"; * { display: none }</style>`,
  `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `![remote picture](https://evil.example/picture.png)`,
  `[click me](javascript:${PWNED})`,
  `[a page](https://evil.example/page)`,
  `[data](data:text/html,<script>${PWNED}</script>)`,
  `<https://evil.example/auto>`,
  `https://evil.example/bare`,
  `\`\`\`html\n<script>${PWNED}</script>\n\`\`\``,
  '\u001b[31mred\u001b[0m \u009b2J \u0007 \u0000 \r over',
  '\u202eesrever\u202c \u2066isolated\u2069',
  `{{constructor.constructor("${PWNED}")()}}`,
  `$$\\href{javascript:${PWNED}}{x}$$`,
]

function hostileMemory(home: string): string {
  return builtMemory(home, (memory) => {
    const id = memory.conversation({
      title: `</title><img src=x onerror="${PWNED}"> \u202eeltit`,
      sessionId: `<script>${PWNED}</script>`,
    })
    const messages: MessageSpec[] = [
      ...HOSTILE.map((content, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content,
      })),
      { role: 'assistant' as const, content: `one long line ${'x'.repeat(1_000_000)} end of the long line` },
      {
        role: 'assistant' as const,
        content: 'A call with hostile names.',
        parts: [
          { part_type: 'text' as const, is_content: 1 },
          {
            part_type: 'tool' as const,
            tool_call_id: 'c1',
            tool_name: `<img src=x onerror="${PWNED}">`,
            tool_input: JSON.stringify({ command: HOSTILE.join('\n'), file_path: `javascript:${PWNED}` }),
          },
          {
            part_type: 'file' as const,
            file_name: `<b>${PWNED}</b>.png`,
            file_mime: 'image/png',
            file_url: 'https://evil.example/file.png',
          },
          { part_type: 'reasoning' as const, text_content: HOSTILE.join('\n\n') },
        ],
      },
    ]
    const numbers = memory.messages(id, messages)
    memory.leaf(id, numbers.slice(0, HOSTILE.length), { content: HOSTILE.join('\n\n'), tokens: 40 })
    memory.largeFile(id, {
      file_name: `<img src=x onerror="${PWNED}">.csv`,
      mime_type: 'text/html',
      storage_uri: 'https://evil.example/file',
      exploration_summary: HOSTILE.join('\n'),
      byte_size: 10,
    })
  })
}

/** What must never happen on a page: counted from its first moment. */
async function guard(page: Page): Promise<{ outside: string[]; dialogs: string[] }> {
  const seen = { outside: [] as string[], dialogs: [] as string[] }
  page.on('request', (request) => {
    const url = new URL(request.url())
    const isOwn = ['127.0.0.1', 'localhost', 'bundle', 'bundle.app.localhost'].includes(url.hostname)
    if (!isOwn && url.protocol !== 'data:' && url.protocol !== 'blob:') seen.outside.push(request.url())
  })
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('popup', (popup) => seen.outside.push(popup.url()))
  return seen
}

test(
  'hostile text is shown as text in every view: nothing runs, loads, opens or navigates',
  THROUGH_SHELL,
  async ({ openMemory, home }) => {
    test.slow()
    const path = hostileMemory(home)
    const page = await openMemory(path)
    const seen = await guard(page)
    const start = new URL(page.url())
    const { conversationId } = await factsOf(path)
    await page.reload()
    await expect(page.getByRole('contentinfo')).toContainText('LCM: 21 msgs')

    const stillOurs = async () => {
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
      expect(new URL(page.url()).origin).toBe(start.origin)
      expect(seen).toEqual({ outside: [], dialogs: [] })
      await expect(
        page.locator('main iframe, main form[action], main base, main script, main img[src^="http"]'),
      ).toHaveCount(0)
      await expect(page.locator('a[href^="javascript:"], a[href^="data:"]')).toHaveCount(0)
    }
    for (const view of VIEWS.filter((one) => viewFacts(one).scope !== 'program')) {
      await page.evaluate(
        ([id, name]) => {
          location.hash = `#/conversation/${id}/${name}`
        },
        [conversationId, view] as const,
      )
      await expect(page.getByRole('navigation', { name: 'Views' })).toBeVisible()
      await page.waitForTimeout(150)
      await stillOurs()
    }

    await page.evaluate((id) => {
      location.hash = `#/conversation/${id}/messages?select=msg_1`
    }, conversationId)
    const feed = page.getByRole('feed', { name: 'Messages' })
    await expect(feed.getByRole('article', { name: /msg_1$/ })).toContainText(`<script>${PWNED}</script>`)
    await expect(feed.getByRole('article', { name: /msg_2$/ })).toContainText('</script></style></title>')
    for (let number = 1; number <= 21; number += 1) {
      await page.evaluate(
        ([id, n]) => {
          location.hash = `#/conversation/${id}/messages?select=msg_${n}`
        },
        [conversationId, number] as const,
      )
      await expect(feed.getByRole('article', { name: new RegExp(`msg_${number}$`) })).toBeInViewport()
    }
    const calls = feed.getByRole('article', { name: /msg_21$/ }).getByRole('button', { expanded: false })
    for (let left = await calls.count(); left > 0; left -= 1) await calls.first().click()
    await stillOurs()

    // A link that cannot lead anywhere: clicking it must not leave the page.
    await page.evaluate((id) => {
      location.hash = `#/conversation/${id}/messages?select=msg_10`
    }, conversationId)
    const link = feed.getByRole('article', { name: /msg_10$/ }).getByText('click me')
    await expect(link).toBeVisible()
    await link.click()
    await feed
      .getByRole('article', { name: /msg_11$/ })
      .getByText('a page')
      .click()
    await page.waitForTimeout(300)
    await stillOurs()

    // The same text as a summary, in the detail panel, rendered and as it is.
    await page.evaluate((id) => {
      location.hash = `#/conversation/${id}/window`
    }, conversationId)
    const items = page.getByRole('grid', { name: 'Items of the window' })
    await items
      .getByRole('row')
      .filter({ has: page.locator('[title^=sum_]') })
      .first()
      .click()
    const detail = page.getByRole('complementary', { name: 'Detail' })
    await expect(detail).toContainText(PWNED)
    await detail.getByRole('radiogroup', { name: 'Show the text' }).getByText('source').click()
    await expect(detail).toContainText(`<script>${PWNED}</script>`)
    await stillOurs()

    await page.evaluate((id) => {
      location.hash = `#/conversation/${id}/find?query=script`
    }, conversationId)
    await expect(hitsOf(page).first()).toContainText('script')
    await stillOurs()
    expect(await page.title()).toContain('LCM Inspector')
  },
)

test('a line of a megabyte neither freezes nor widens the window', async ({ openMemory, home }) => {
  const path = hostileMemory(home)
  const page = await openMemory(path)
  await expect(page.getByRole('contentinfo')).toContainText('LCM:')
  const startedAtMs = Date.now()
  await page.evaluate(() => {
    location.hash = '#/conversation/1/messages?select=msg_20'
  })
  const message = page.getByRole('feed', { name: 'Messages' }).getByRole('article', { name: /msg_20$/ })
  await expect(message).toContainText('one long line xxx')
  // Only against a freeze: the machine may be busy with everything else.
  expect(Date.now() - startedAtMs).toBeLessThan(15_000)
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }))
  expect(scroll).toBeLessThanOrEqual(client)
})
