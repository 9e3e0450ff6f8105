import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, vi } from 'vitest'
import { BlockView } from '#renderer/features/transcript/block-view.tsx'
import { blocksOf } from '#renderer/features/transcript/blocks.ts'
import { CoverageGutter } from '#renderer/features/transcript/coverage-gutter.tsx'
import { FoldProvider } from '#renderer/features/transcript/folds.tsx'
import { LongText } from '#renderer/ui/texts/long-text.tsx'
import { Markdown } from '#renderer/ui/texts/markdown.tsx'
import { messageOf, partOf } from './transcript-messages.ts'

// Nothing is asked of a core here.
vi.mock('#renderer/api.ts', () => ({ client: {} }))

const drawn = (message: Parameters<typeof messageOf>[0]): string =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <FoldProvider>
        {blocksOf(messageOf(message)).map((block) => (
          <BlockView key={block.key} block={block} foldKey={`msg_1/${block.key}`} look="rendered" />
        ))}
      </FoldProvider>
    </QueryClientProvider>,
  )

describe('a drawn message', () => {
  it('folds a tool call to one line', () => {
    const part = partOf({ type: 'tool', toolName: 'bash', toolInput: '{"command":"npm test -- --run","timeout":9}' })
    const html = drawn({ role: 'assistant', parts: [part] })
    expect(html).toContain('npm test -- --run')
    expect(html).toContain('aria-expanded="false"')
    expect(html).not.toContain('timeout')
  })

  it.each(['tool', 'user', 'assistant'] as const)(
    'shows 24 lines of a long text of the %s, says how much is hidden, and has one button for the rest',
    (role) => {
      const content = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n')
      const html = drawn({ role, content, isCut: true })
      expect(html).toContain('line 23')
      expect(html).not.toContain('line 24')
      expect(html).toContain('76\u00a0more lines')
      expect(html.match(/<button/g)).toHaveLength(1)
    },
  )

  it('never draws a line of 200,000 characters in full, folded or unfolded', () => {
    for (const text of ['x'.repeat(200_000), `before\n${'x'.repeat(200_000)}\nafter`]) {
      expect(drawn({ role: 'tool', content: text }).length).toBeLessThan(8_000)
      expect(renderToStaticMarkup(<LongText text={text} />).length).toBeLessThan(8_000)
      expect(renderToStaticMarkup(<Markdown text={text} />).length).toBeLessThan(8_000)
    }
    expect(renderToStaticMarkup(<LongText text={'x'.repeat(200_000)} />)).toContain('of 200,000 in this line')
  })

  it('begins a long line where a search found something', () => {
    const html = renderToStaticMarkup(
      <LongText text={`${'x'.repeat(150_000)}needle${'x'.repeat(50_000)}`} found={['needle']} />,
    )
    expect(html).toContain('needle')
  })

  it('marks a failed call by a word, not only by colour', () => {
    const part = partOf({ type: 'tool', toolName: 'bash', toolInput: '{}', toolError: 'exit 1' })
    expect(drawn({ role: 'assistant', parts: [part] })).toContain('failed')
  })

  it('marks removed and added lines by sign, not only by colour', () => {
    const input = JSON.stringify({ file_path: 'a', old_string: 'old', new_string: 'new' })
    const html = drawn({ role: 'assistant', parts: [partOf({ type: 'tool', toolName: 'Edit', toolInput: input })] })
    expect(html).toMatch(/data-kind="removed"><span[^>]*>−<\/span>old/)
    expect(html).toMatch(/data-kind="added"><span[^>]*>\+<\/span>new/)
  })

  it('names a picture and loads nothing', () => {
    const part = partOf({ type: 'file', fileName: 'a.png', fileMime: 'image/png', fileUrl: 'https://evil.test/a.png' })
    const html = drawn({ parts: [part] })
    expect(html).toContain('a.png')
    expect(html).not.toMatch(/<(img|a|iframe|object|embed)\b|<[^>]*\s(src|href)=/)
  })
})

describe('the drawn coverage of a message', () => {
  it('names every summary that covers the message, and says whether it is in the window', () => {
    const stripe = { id: 'sum_1', depth: 1, inWindow: true, starts: true, ends: false, also: ['sum_2'] }
    const html = renderToStaticMarkup(
      <CoverageGutter stripes={[null, stripe]} selection={null} visibility="absent" onSelect={() => undefined} />,
    )
    expect(html).toContain('Select depth 1 sum_1, and also sum_2, in the window')
    expect(html).toContain('Neither in the window nor under a summary that is')
  })
})
