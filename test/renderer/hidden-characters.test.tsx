import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { splitHidden, withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { MarkdownRendered } from '#renderer/ui/texts/markdown-rendered.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { processorClock } from '../builders/busy-machine.ts'

const signsIn = (text: string): readonly string[] =>
  splitHidden(text).flatMap((piece) => (piece.kind === 'hidden' ? [piece.sign] : []))

const BIDI = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
const WIDTHLESS = '\u200b\u2060\u2063\ufeff\u00ad\u180e'
const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...BIDI,
      ...WIDTHLESS,
      '\u200d',
      '\u200c',
      '\ufe0f',
      '\u0000',
      '\u001b',
      '\r',
      '\n',
      '\u{e0041}',
      '👩',
      'a',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

describe('the hidden characters of a text', () => {
  it('leaves no character of the text out: joined, the pieces are the text', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(
          splitHidden(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })

  it('draws no override, isolate, mark or zero width character outside of a mark', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const drawn = splitHidden(text).flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
        for (const char of BIDI + WIDTHLESS) expect(drawn.join('')).not.toContain(char)
      }),
    )
  })

  it.each([
    ['an override', 'a\u202eb', ['RLO']],
    ['equal ones in a row, counted', 'a\u200b\u200b\u200bb', ['ZWSP ×3']],
    ['different ones in a row', '\u2066\u202e', ['LRI RLO']],
    ['a colour of a terminal', '\u001b[31mred\u001b[0m', ['ESC', 'ESC']],
    ['NUL', 'a\u0000b', ['NUL']],
    ['a joiner between letters that do not join', 'pass\u200dword', ['ZWJ']],
    ['a carriage return within a line', 'old\rnew', ['CR']],
  ])('marks %s', (_, text, signs) => {
    expect(signsIn(text)).toEqual(signs)
  })

  it.each([
    ['an emoji of several', '👩\u200d👩\u200d👧'],
    ['an emoji with a colour of skin', '👩🏽\u200d💻'],
    ['an emoji with its selector', '❤\ufe0f 1\ufe0f\u20e3'],
    ['a flag that is written with tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Hebrew and Arabic', 'שלום مرحبا'],
    ['lines that end as on Windows', 'a\r\n\tb\r\n'],
  ])('leaves %s alone', (_, text) => {
    expect(signsIn(text)).toEqual([])
  })

  it('says what tag characters spell, because a model reads them', () => {
    const text = `hello${[...'ignore me'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')}`
    expect(splitHidden(text)[1]).toMatchObject({ sign: 'TAG ×9', name: 'Tag characters, which spell “ignore me”' })
  })

  it('takes time that is proportional to the length of the text', () => {
    const usedMs = processorClock()
    for (const text of [
      '\u200b'.repeat(500_000),
      'a\u202e'.repeat(100_000),
      '🏴'.repeat(100_000),
      '\u{e0041}'.repeat(200_000),
    ])
      splitHidden(text)
    expect(usedMs()).toBeLessThan(5_000)
  })
})

describe('a drawn text', () => {
  it('names a hidden character in the tooltip and for a screen reader, and keeps it for copying', () => {
    const html = renderToStaticMarkup(<MarkedText text={'a\u202eb'} />)
    expect(html).toMatch(/^a<span .*aria-label="U\+202E right-to-left override".*<\/span>b$/)
    expect(html).toContain('title="U+202E right-to-left override"')
    expect(html.replaceAll(/<[^>]*>/g, '')).toBe('a\u202eb')
  })

  it('marks them in rendered Markdown, in code and in links as well', () => {
    const html = renderToStaticMarkup(
      <MarkdownRendered text={'one \u202etwo **b\u200bd** `c\u2066d`\n\n```ts\nif (a\u2067) {}\n```'} />,
    )
    for (const sign of ['RLO', 'ZWSP', 'LRI', 'RLI']) expect(html).toContain(`data-sign="${sign}"`)
    expect(html).toContain('<strong>')
    const address = renderToStaticMarkup(<MarkdownRendered text={'[x](http://e/\u202ea)'} />)
    expect(address).toContain('data-sign="RLO"')
  })

  it('writes them into the text of a tooltip', () => {
    expect(withSigns('a\u202eb\u200b\u200b')).toBe('a⟨RLO⟩b⟨ZWSP ×2⟩')
  })
})
