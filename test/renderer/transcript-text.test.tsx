import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { MarkdownRendered } from '#renderer/ui/texts/markdown-rendered.tsx'

const shown = (text: string): string => renderToStaticMarkup(<MarkdownRendered text={text} />)

describe('the drawn text of an agent', () => {
  it('contains everything that looks like a tag, as text', () => {
    const html = shown(
      'before\n\n<system-reminder>\nkeep me\n</system-reminder>\n\n<b onclick="x()">bold</b> <!-- note -->',
    )
    for (const kept of ['before', '&lt;system-reminder&gt;', 'keep me', 'onclick=', '&lt;!-- note --&gt;'])
      expect(html).toContain(kept)
    expect(html).not.toMatch(/<(b|system-reminder)\b/)
  })

  it('runs no script, loads no picture and has no link', () => {
    const html = shown(
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n![p](https://evil.test/p.png) [go](javascript:alert(1)) <https://evil.test>',
    )
    expect(html).not.toMatch(/<(script|img|a|iframe|svg|style|link)\b/i)
    expect(html).not.toMatch(/<[^>]*\s(href|src|on\w+)=/i)
    expect(html).toContain('https://evil.test/p.png')
    expect(html).toContain('javascript:alert(1)')
  })
})
