import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, largeBlocksOf } from '#core/files/blocks.ts'
import { processorClock } from '../builders/busy-machine.ts'

const USER = { of: 'user' } as const
const AGENT = { of: 'agent' } as const
const isLarge = (text: string): boolean => text.length >= 100
const LONG = 'x'.repeat(100)

const seen = (blocks: readonly Block[]) => blocks.map(({ name, mime, content }) => ({ name, mime, content }))

describe('the large blocks of a text', () => {
  it('takes a file block with its tags when they say name and type only', () => {
    const text = `look: <file name="a.csv" mime="text/csv">${LONG}</file> and go on`
    const [block] = largeBlocksOf(text, USER, isLarge)
    expect(block).toMatchObject({ name: 'a.csv', mime: 'text/csv', content: LONG })
    expect(text.slice(0, block?.start) + text.slice(block?.end)).toBe('look:  and go on')
  })

  it('leaves tags in the text that say more than name and type', () => {
    const text = `<file name='a.ts' lines="1-20">${LONG}</file>`
    const [block] = largeBlocksOf(text, USER, isLarge)
    expect(block).toMatchObject({ name: 'a.ts', mime: null, content: LONG })
    expect(text.slice(0, block?.start) + text.slice(block?.end)).toBe(`<file name='a.ts' lines="1-20"></file>`)
  })

  it('judges each file block alone and leaves small ones where they are', () => {
    const small = `<file name="s">${'y'.repeat(60)}</file>`
    const text = `${small}${small}${small}<file name="b">${LONG}</file>${small}`
    expect(seen(largeBlocksOf(text, USER, isLarge))).toEqual([{ name: 'b', mime: null, content: LONG }])
  })

  it('takes a fenced block without its fences and remembers its language', () => {
    const text = `before\n\`\`\`json\n${LONG}\n\`\`\`\nafter`
    const [block, ...more] = largeBlocksOf(text, AGENT, isLarge)
    expect(more).toEqual([])
    expect(block).toMatchObject({ name: 'pasted text', language: 'json', content: LONG })
  })

  it('takes what a user pasted around blocks and leaves what an agent wrote', () => {
    const text = `${LONG}<file name="b">${LONG}</file>${LONG}`
    expect(largeBlocksOf(text, USER, isLarge).map(({ name }) => name)).toEqual(['pasted text', 'b', 'pasted text'])
    expect(largeBlocksOf(text, AGENT, isLarge).map(({ name }) => name)).toEqual(['b'])
  })

  it('takes the whole result of a tool, named by the tool', () => {
    expect(seen(largeBlocksOf(LONG, { of: 'tool', name: 'Bash', file: null }, isLarge))).toEqual([
      { name: 'Bash result', mime: null, content: LONG },
    ])
  })

  it('takes neither a block that nothing closes nor a tag without a name for a file', () => {
    for (const text of [`<file name="a">${LONG}`, `<file>${LONG}</file>`, `<filet name="a">${LONG}</file>`]) {
      expect(largeBlocksOf(text, AGENT, isLarge)).toEqual([])
    }
  })

  it('gives blocks in order that do not overlap and whose content stands between their ends', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<file name="a">',
        '<file name="b" mime="m" x="1">',
        '</file>',
        '\n```\n',
        '\n~~~py\n',
        '<file',
        LONG,
      ),
      fc.string({ maxLength: 150 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.constantFrom(USER, AGENT), (pieces, kind) => {
        const text = pieces.join('')
        let end = 0
        for (const block of largeBlocksOf(text, kind, isLarge)) {
          expect(block.start).toBeGreaterThanOrEqual(end)
          expect(text.slice(block.start, block.end)).toContain(block.content)
          expect(isLarge(block.content)).toBe(true)
          end = block.end
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  it('takes time in proportion to the length of a hostile text', () => {
    const hostile = [
      '<file name="a">'.repeat(100_000),
      '<file '.repeat(200_000),
      `<file ${'a="'.repeat(300_000)}`,
      '`'.repeat(1_000_000),
      '\n```'.repeat(250_000),
      `${'```'.repeat(100)}x\n`.repeat(3000),
    ]
    for (const text of hostile) {
      const usedMs = processorClock()
      largeBlocksOf(text, USER, isLarge)
      // The slowest takes half a second.
      expect(usedMs()).toBeLessThan(20_000)
    }
  })
})
