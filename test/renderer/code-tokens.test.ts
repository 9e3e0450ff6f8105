import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CodeLanguage, codeLanguage, isColourable } from '#renderer/ui/texts/code-languages.ts'
import { codeTokens } from '#renderer/ui/texts/code-tokens.ts'

const lookOf = async (code: string, language: CodeLanguage, piece: string) =>
  (await codeTokens(code, language))?.flat().find(({ text }) => text.includes(piece))?.look

describe('the colours of code', () => {
  it('change no character of the code, whatever stands in it', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('/*', '*/', '"', '`${', '<a href="', '<!--', '{', '\r'),
    )
    const code = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'))
    const language = fc.constantFrom<CodeLanguage>('typescript', 'python', 'json', 'yaml', 'html', 'markdown', 'sql')
    await fc.assert(
      fc.asyncProperty(code, language, async (text, name) => {
        const lines = await codeTokens(text, name)
        if (lines !== null)
          expect(lines.map((tokens) => tokens.map(({ text: one }) => one).join('')).join('\n')).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  it('colour a comment over several lines as a whole', async () => {
    const [first, second] = (await codeTokens('/* one\ntwo */ const a = 1', 'typescript')) ?? []
    expect(first).toEqual([{ text: '/* one', look: 'comment' }])
    expect(second?.[0]).toEqual({ text: 'two */', look: 'comment' })
  })

  it('tell apart what JSON, TypeScript, Python and a shell script are made of', async () => {
    expect(await lookOf('{"command": "ls", "limit": 9}', 'json', 'command')).toBe('attribute')
    expect(await lookOf('{"command": "ls", "limit": 9}', 'json', 'ls')).toBe('string')
    expect(await lookOf('{"command": "ls", "limit": 9}', 'json', '9')).toBe('number')
    expect(await lookOf('export function run(): Promise<void> {}', 'typescript', 'function')).toBe('keyword')
    expect(await lookOf('export function run(): Promise<void> {}', 'typescript', 'run')).toBe('title')
    expect(await lookOf('def run(self):\n    return None  # why', 'python', 'why')).toBe('comment')
    expect(await lookOf('if true; then echo "a"; fi', 'shellscript', 'then')).toBe('keyword')
  })

  it.each(['ts', 'JSX', 'py', 'sh', 'rs', 'c++', 'yml', 'Dockerfile', 'tf', 'proto'])(
    'have a grammar for what a fence calls %s',
    async (name) => {
      const language = codeLanguage(name)
      expect(language).not.toBeNull()
      if (language !== null) expect(await codeTokens('a = 1', language)).toHaveLength(1)
    },
  )

  it('are not asked of a long text, a long line, or an unknown language', () => {
    expect(isColourable('const a = 1\n'.repeat(100))).toBe(true)
    expect(isColourable('const a = 1\n'.repeat(10_000))).toBe(false)
    expect(isColourable(`const a = ${'1'.repeat(2_000)}`)).toBe(false)
    expect(codeLanguage('brainfuck')).toBeNull()
  })
})
