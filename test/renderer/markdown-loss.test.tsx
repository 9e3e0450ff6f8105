import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { keepAhead, MarkdownRendered } from '#renderer/ui/texts/markdown-rendered.tsx'

const drawn = (text: string): string => renderToStaticMarkup(<MarkdownRendered text={text} />)

/** What would be lost by rendering, as the tooltip says it, or null when the text is rendered. */
const lossOf = (text: string): string | null => / would change ([^"]*)"/.exec(drawn(text))?.[1] ?? null

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** The text that a reader sees. */
const textOf = (html: string): string =>
  html.replaceAll(/<[^>]*>/g, '').replaceAll(/&([a-z]+|#x27);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const isWithin = (part: string, whole: string): boolean => {
  let at = 0
  for (const char of whole) if (char === part[at]) at += 1
  return at === part.length
}

describe('rendering a text as Markdown', () => {
  it.each([
    ['the mode line of an editor', '-*- mode: python -*-'],
    ['a name with underscores', 'the method __init__ is called'],
    ['a product', 'that is 2*3*4'],
    ['patterns of file names', 'all *.ts and src/*'],
    ['the title of a link', '[docs](https://a.test "read me")'],
    ['an escape', 'not \\*bold\\*'],
    ['an entity', 'a &amp;&amp; b'],
    ['numbers of a list that do not follow each other', '1. one\n1. two'],
    ['a number with a zero before it', '01. one'],
    ['a change in the form of a list', '+ added\n+ lines'],
    ['a line under a text', 'name: x\n---\nother'],
    ['columns', 'name   size\n       large\n   b'],
    ['a cell that has no column', '| a |\n|---|\n| 1 | lost |'],
    ['a reference', '[a][b]\n\n[b]: https://a.test'],
    ['a footnote', 'a[^1]\n\n[^1]: note'],
    ['a word between single tildes', 'about ~5~ of them'],
    ['the details of a code block', '```ts title="a.ts"\nx\n```'],
    ['NUL', 'a\u0000b'],
    ['a byte order mark', '\ufeffa'],
  ])('gives way to the source where it would swallow or change %s', (_, text) => {
    expect(lossOf(text)).not.toBeNull()
    expect(textOf(drawn(text)).replace(/^source/, '')).toBe(text)
  })

  it.each([
    ['emphasis', 'this is **bold**, _not_ *so*, ***both*** and ~~gone~~'],
    ['code', 'run `npm test`:\n\n```ts\nconst a = 1\n```'],
    ['lists', '- one\n- two\n  - three\n\n1. a\n2. b\n\n- [x] done\n- [ ] open'],
    ['a heading and a quote', '# Title\n\n> said\n> before\n\n---'],
    ['a table', '| a | b |\n|---|:--|\n| **1** | `2` |'],
    ['a link', 'see [docs](https://a.test/x?y=1#z) and https://a.test/b_c_d'],
    ['tags, which are drawn as text', '<system-reminder>\nkeep me\n</system-reminder>'],
    ['paragraphs of several lines', 'one\ntwo\n\nthree'],
  ])('is done for %s', (_, text) => {
    expect(lossOf(text)).toBeNull()
  })

  it('keeps the number with which a list begins', () => {
    expect(drawn('5. a\n6. b')).toContain('<ol start="5">')
  })

  it('never swallows a letter: each stands in what is drawn, in the order of the text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'abcXYZ', ...'*_~`#>+-|()[]!<&;:\\/="\'.', ' ', '  ', '    ', '\n', '\n\n', '\t'),
      fc.constantFrom(
        '**',
        '__',
        '~~',
        '```',
        '- ',
        '1. ',
        '2. ',
        '> ',
        '&amp;',
        '<b>',
        '</b>',
        '[a](b)',
        '![a](b "c")',
        '|-|\n',
        '[^a]',
        '---',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('')
        const letters = text.replaceAll(/[^A-Za-z&<;"\\=/]/g, '')
        expect(isWithin(letters, textOf(drawn(text)))).toBe(true)
      }),
    )
  })
})

describe('a text that was parsed before it is shown', () => {
  it('is drawn as any other one, and no other text is drawn in its place', () => {
    const [first, second] = ['# One\n\nAn *important* word.', 'Two']
    const expected = [drawn(first), drawn(second)]
    keepAhead(first)
    expect([drawn(first), drawn(second)]).toEqual(expected)
  })
})
