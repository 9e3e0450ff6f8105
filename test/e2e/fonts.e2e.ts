import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

const TITLE = 'JPY 決済の再試行 结算 결제'
const SYMBOLS = '✓ ⚠ ⟳ ⏱ ★ ☂ ⌘ ① ⬆ ↳ ☑ ♻ 🚀 🎉 🐛'

test(
  'Chinese, Japanese, Korean, symbols and emoji are drawn on a machine without fonts for them',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = builtMemory(home, (memory) => void memory.conversation({ title: TITLE, messages: [SYMBOLS] }))
    const page = await openMemory(path)
    await page.evaluate(() => location.assign('#/conversation/1/messages'))
    await expect(page.getByRole('feed', { name: 'Messages' })).toContainText(SYMBOLS)
    await expect(page.getByRole('navigation', { name: 'Conversations' })).toContainText(TITLE)

    // A missing glyph looks like that of a character that no font can have.
    const boxesIn = (text: string, token: string) =>
      page.evaluate(
        ([characters, name]) => {
          const pen = new OffscreenCanvas(48, 48).getContext('2d', { willReadFrequently: true })
          if (pen === null) throw new Error('there is no canvas')
          const font = getComputedStyle(document.documentElement).getPropertyValue(name)
          const pixelsOf = (character: string): string => {
            pen.clearRect(0, 0, 48, 48)
            pen.font = `32px ${font}`
            pen.fillText(character, 4, 36)
            return pen.getImageData(0, 0, 48, 48).data.join()
          }
          const missing = pixelsOf('\u{10fffd}')
          return [...characters].filter((character) => character !== ' ' && pixelsOf(character) === missing)
        },
        [text, token] as const,
      )
    expect(await boxesIn('\u{10fffe}\u0378', '--font')).toHaveLength(2)
    for (const token of ['--font', '--mono']) await expect.poll(() => boxesIn(TITLE + SYMBOLS, token)).toEqual([])
  },
)
