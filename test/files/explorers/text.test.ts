import { describe, expect, it } from 'vitest'
import { explored } from './explored.ts'

const SENTENCE = 'The committee met on Tuesday and decided nothing of importance. '

describe('the summary of a text', () => {
  it('has the headings with their lines, the beginning, the end and the size', async () => {
    const text = `Preface\n\n# First part\n\n${SENTENCE.repeat(100)}\n\n## Second part\n\n${SENTENCE.repeat(100)}\nThe end.\n`
    const { type, summary, tokens } = await explored(text)
    expect(type).toBe('markdown')
    expect(summary).toContain('10 lines, 2,009 words')
    expect(summary).toContain('- First part: line 3')
    expect(summary).toContain('- Second part: line 7')
    expect(summary).toContain('It begins with:\nPreface')
    expect(summary).toMatch(/The end\.$/)
    expect(tokens).toBeGreaterThanOrEqual(200)
    expect(tokens).toBeLessThanOrEqual(500)
  })

  it('takes numbered lines and lines in capitals for headings, and nothing within a block of code', async () => {
    const { summary } = await explored('1.2 Results of Trials\ntext\nAPPENDIX NOTES\n```\n# no heading\n```\n# One\n')
    expect(summary).toContain('- 1.2 Results of Trials: line 1\n- APPENDIX NOTES: line 3\n- One: line 7\n')
  })

  it('reads UTF-16 and Windows-1252 as text and says so', async () => {
    const utf16 = await explored(Buffer.from('\ufeffGrüße aus Köln', 'utf16le'))
    expect(utf16.summary).toContain('UTF-16LE')
    expect(utf16.summary).toContain('Grüße aus Köln')
    const latin = await explored(Buffer.from('Grüße aus Köln', 'latin1'))
    expect(latin.summary).toContain('not UTF-8, read as Windows-1252')
    expect(latin.summary).toContain('Grüße aus Köln')
  })

  it('says of an empty file that it is empty, and shows nothing of a binary one', async () => {
    expect(await explored('')).toMatchObject({ type: 'empty', summary: 'Empty file, 0 bytes\nThe file is empty.' })
    expect((await explored(Uint8Array.of(0, 1, 2, 3, 65, 66))).type).toBe('binary')
  })
})
