import type { Locator } from '@playwright/test'
import type { MessageSpec } from '../builders/memory.ts'
import { pdfOf } from '../builders/pdf.ts'
import { pngOf } from '../builders/png.ts'
import { rawMemory } from '../perf/raw-memory.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

const dataUri = (bytes: Uint8Array | string, mime: string) =>
  `data:${mime};base64,${Buffer.from(bytes as Uint8Array).toString('base64')}`

const messagesOf = (home: string, ...messages: readonly MessageSpec[]): string =>
  builtMemory(home, (memory) => {
    memory.conversation({ messages })
  })

test(
  'a long tool result and a line of 200,000 characters are drawn in part, each with one button for the rest',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const lines = Array.from({ length: 400 }, (_, line) => `row ${line} of the result`).join('\n')
    const path = messagesOf(
      home,
      { role: 'user', content: `${'x'.repeat(200_000)} the end of the line` },
      { role: 'tool', content: lines, parts: [{ part_type: 'tool', is_content: 1, tool_call_id: 'lost' }] },
    )
    const page = await openMemory(path)
    await page.getByRole('link', { name: 'Messages' }).click()
    const feed = page.getByRole('feed', { name: 'Messages' })
    const line = feed.getByRole('article', { name: 'user msg_1' })
    await line.getByRole('button', { name: /more characters/ }).click()
    await expect(line).toContainText('of 200,020 in this line')
    expect((await line.innerText()).length).toBeLessThan(8_000)

    const result = feed.getByRole('article', { name: 'tool msg_2' })
    await expect(result).toContainText('row 23 of the result')
    await expect(result).not.toContainText('row 24 of the result')
    await expect(result).toContainText('no call')
    const rest = result.getByRole('button', { name: /more lines/ })
    await expect(rest).toHaveCount(1)
    await rest.click()
    await expect(result).toContainText('row 399 of the result')
  },
)

test(
  'hidden characters are named, code is coloured, and a text that rendering would change is shown as it is stored',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const code = 'const fee = 12 // in cents\nexport const text = fee.toFixed(2)'
    const path = messagesOf(
      home,
      { role: 'user', content: 'The first line is -*- mode: python -*- and stays.' },
      { role: 'assistant', content: 'This is **bold**.' },
      { role: 'user', content: 'if (admin\u202e // nimda \u2066check\u2069) pass\u200bword' },
      { role: 'user', content: `Like this:\n\n\`\`\`ts\n${code}\n\`\`\`` },
    )
    const page = await openMemory(path)
    await page.getByRole('link', { name: 'Messages' }).click()
    const feed = page.getByRole('feed', { name: 'Messages' })
    const changed = feed.getByRole('article', { name: 'user msg_1' })
    await expect(changed).toContainText('-*- mode: python -*-')
    await expect(changed.getByTitle(/because rendering would change/)).toBeVisible()
    const rendered = feed.getByRole('article', { name: 'assistant msg_2' })
    await expect(rendered.locator('strong')).toHaveText('bold')
    const hidden = feed.getByRole('article', { name: 'user msg_3' })
    await expect(hidden.getByRole('img', { name: /right-to-left override/i })).toBeVisible()
    await expect(hidden.getByRole('img', { name: /zero.width space/i })).toBeVisible()
    // What is copied is what is stored.
    expect(await hidden.textContent()).toContain('pass\u200bword')

    const block = feed.locator('pre code')
    await expect(block.locator('[data-look="comment"]')).toHaveText('// in cents')
    await expect(block.locator('[data-look="keyword"]').first()).toHaveText('const')
    expect(await block.textContent()).toBe(code)

    await page.getByRole('radio', { name: 'source' }).click()
    await expect(rendered).toContainText('This is **bold**.')
  },
)

test(
  'a picture of a message is shown small and then larger, and what cannot be shown says why',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const broken = Buffer.from(pngOf(40, 30)).fill(0, 33)
    const pdf = pdfOf(['First page of the paper', 'Second page (4711)'], {
      catalog: '/OpenAction << /S /JavaScript /JS (window.pwned = true) >>',
      page: '/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 300 400] /A << /S /URI /URI (https://evil.example/) >> >>]',
    })
    const file = (name: string, mime: string, url: string) => ({
      part_type: 'file' as const,
      file_name: name,
      file_mime: mime,
      file_url: url,
    })
    const path = messagesOf(home, {
      role: 'user',
      content: 'Look at these.',
      parts: [
        { part_type: 'text', is_content: 1 },
        file('blue.png', 'image/png', dataUri(pngOf(640, 480), 'image/png')),
        file('broken.png', 'image/png', dataUri(broken, 'image/png')),
        file('drawing.svg', 'image/svg+xml', dataUri('<svg onload="alert(1)"/>', 'image/svg+xml')),
        file('paper.pdf', 'application/pdf', dataUri(pdf, 'application/pdf')),
        file('half.pdf', 'application/pdf', dataUri('%PDF-1.7\n1 0 obj <<', 'application/pdf')),
        file('elsewhere.png', 'image/png', 'https://evil.example/file.png'),
      ],
    })
    const outside: string[] = []
    const page = await openMemory(path)
    page.on('request', (request) => {
      if (request.url().includes('evil.example')) outside.push(request.url())
    })
    await page.getByRole('link', { name: 'Messages' }).click()
    const message = page.getByRole('feed', { name: 'Messages' }).getByRole('article', { name: 'user msg_1' })
    const picture = message.getByRole('img', { name: 'blue.png' })
    await expect(picture).toBeVisible()
    await expect(message).toContainText('640 × 480 pixels')
    const heightOf = async () => (await picture.boundingBox())?.height ?? 0
    const small = await heightOf()
    expect(small).toBeLessThanOrEqual(180)
    await message.getByRole('button', { name: 'blue.png' }).click()
    await expect.poll(heightOf).toBeGreaterThan(small * 2)

    await expect(message).toContainText('The picture is damaged and cannot be drawn.')
    await expect(message).toContainText('not shown: it is no PNG, JPEG, GIF, WebP or PDF')
    await expect(message).toContainText(/PDF · 2\spages/)
    await expect(message).toContainText('The page is not shown: it is damaged.')

    const first = message.getByRole('img', { name: 'Page 1 of paper.pdf' })
    await expect.poll(() => darkPixels(first)).toBeGreaterThan(20)
    await message.getByRole('button', { name: 'Page 1 of paper.pdf' }).press('Enter')
    const pages = message.getByRole('region', { name: 'Pages of paper.pdf' })
    await expect(pages).toContainText('First page of the paper')
    await expect(pages.getByRole('button', { name: 'Show it small' })).toBeFocused()
    await pages.getByRole('button', { name: 'Next page' }).press('Enter')
    await expect(pages.getByRole('status')).toHaveText('Page 2 of 2')
    await expect(pages).toContainText('Second page (4711)')
    await expect.poll(() => darkPixels(pages.getByRole('img'))).toBeGreaterThan(100)
    // A link on a page is a part of its picture.
    await expect(pages.getByRole('link')).toHaveCount(0)
    await expect(message.getByRole('img')).toHaveCount(2)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    expect(outside).toEqual([])
  },
)

/** Counts the pixels of a picture in which something is drawn on white. */
const darkPixels = (picture: Locator): Promise<number> =>
  picture.evaluate((image) => {
    const { naturalWidth: width, naturalHeight: height } = image as HTMLImageElement
    const pen = new OffscreenCanvas(Math.max(1, width), Math.max(1, height)).getContext('2d')
    if (pen === null || width === 0) return 0
    pen.drawImage(image as HTMLImageElement, 0, 0)
    return pen.getImageData(0, 0, width, height).data.filter((value, at) => at % 4 === 0 && value < 128).length
  })

test(
  'a long transcript draws only the messages that have room when one comes back to it',
  IN_BROWSER,
  async ({ openMemory }) => {
    const { path, db } = rawMemory(100_000)
    db.close()
    const page = await openMemory(path)
    const tab = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name })
    const messages = page.getByRole('feed', { name: 'Messages' }).getByRole('article')
    await tab('Messages').click()
    await expect(messages.first()).toBeVisible()
    await tab('Find').click()
    await expect(messages).toHaveCount(0)
    await page.evaluate(() => {
      const main = document.querySelector('main')
      const drawn = { most: 0 }
      Object.assign(window, { drawn })
      new MutationObserver(() => {
        drawn.most = Math.max(drawn.most, document.querySelectorAll('[role=feed] article').length)
      }).observe(main as Element, { childList: true, subtree: true })
    })
    await tab('Messages').click()
    await expect(messages.first()).toBeVisible()
    await page.waitForTimeout(500)
    const most = await page.evaluate(() => (window as unknown as { drawn: { most: number } }).drawn.most)
    expect(most).toBeLessThan(25)
  },
)
