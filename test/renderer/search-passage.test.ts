import { describe, expect, it } from 'vitest'
import { readable } from '#renderer/ui/texts/readable-passage.ts'

/** The passage with its matches in brackets. */
const marked = (text: string, word: string, kind: 'prose' | 'json' | 'code'): string => {
  const at = text.indexOf(word)
  const shown = readable({ text, matches: [[at, at + word.length]] }, kind)
  const [[from, to] = [0, 0]] = shown.matches
  return `${shown.text.slice(0, from)}[${shown.text.slice(from, to)}]${shown.text.slice(to)}`
}

describe('the passage of a hit', () => {
  it('is prose without signs of Markdown, and its matches stay on their words', () => {
    expect(marked('### Where we stand - **Root cause**: idempotency key', 'idempotency', 'prose')).toBe(
      'Where we stand - Root cause: [idempotency] key',
    )
    expect(marked('… and **it is** so', 'it is', 'prose')).toBe('… and [it is] so')
  })

  it('is input of a tool without the escapes of JSON', () => {
    expect(marked('{"content":"import a\\n\\n/** the key \\"x\\" */"}', 'key', 'json')).toBe(
      '{"content":"import a /** the [key] "x" */"}',
    )
  })

  it('keeps stars that are no signs, and backslashes of a text in JSON', () => {
    const paths = 'src/**/*.test.ts and 2**10, **kwargs'
    expect(readable({ text: paths, matches: [] }, 'prose').text).toBe(paths)
    const json = String.raw`{"path":"C:\\new\\tools"}`
    expect(readable({ text: json, matches: [] }, 'json').text).toBe(String.raw`{"path":"C:\new\tools"}`)
  })

  it('keeps signs that were searched for, and all of code', () => {
    expect(marked('a **b** c', '**b', 'prose')).toBe('a [**b] c')
    expect(marked('say \\n **now**', 'now', 'code')).toBe('say \\n **[now]**')
  })
})
