import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameOf, titleOf } from '#core/browse/text-name.ts'

describe('the name of a text', () => {
  it.each([
    [
      '2026-03-02 08:29Z assistant: Set `gateway.retries` to 1 in production. That restores it.',
      'Set gateway.retries to 1 in production',
    ],
    [
      '## Summary\n\n- **Decided**: single-flight through the worker. More.',
      'Decided: single-flight through the worker',
    ],
    ['Topic: retries of the payment gateway', 'retries of the payment gateway'],
    [
      '[2026-03-02T08:29:11.000Z] user: Does v2.1 of the API still time out? It did.',
      'Does v2.1 of the API still time out?',
    ],
    [
      '[The agent took 12 messages out of its window here. Its transcript has no summary.]',
      'The agent took 12 messages out of its window here',
    ],
    ['[The agent took all of it out of its window.]', '[The agent took all of it out of its window.]'],
  ])('is its first sentence, without marks, time and speaker: %s', (text, name) => expect(nameOf(text)).toBe(name))

  it.each([
    ['Segment summary:\nThe retries were set to 1.', 'The retries were set to 1'],
    ['Segment summary (messages 1-20): The retries were set to 1.', 'The retries were set to 1'],
    ['Condensed memory (depth 1)\n\nThe retries were set to 1.', 'The retries were set to 1'],
    ['[Summary of 12 messages] The retries were set to 1.', 'The retries were set to 1'],
    ['Summary of 2026-03-02 08:29Z:\nThe retries were set to 1.', 'The retries were set to 1'],
    ['**Conversation summary**\n\n## Key decisions\n- The retries were set to 1.', 'The retries were set to 1'],
    ['Segment summary:\n[2025-09-01 08:09 UTC | user]\nThe retries were set to 1.', 'The retries were set to 1'],
    ['Condensed memory (depth 1):\n[2025-09-01 08:09 UTC - 2025-09-01 08:17 UTC]\nA plan.', 'A plan'],
    ['Summary 45fe3b0a: worked on docs/plan.md', 'worked on docs/plan.md'],
    [
      '[Deterministic summary of 6 messages, 681 tokens total]\n- The retries were set to 1.',
      'The retries were set to 1',
    ],
    ['• First (assistant): Summary 45fe3b0a: worked on docs/plan.md', 'worked on docs/plan.md'],
    ['# Retry budget\nThe retries were set to 1.', 'Retry budget'],
    ['Conclusion on retries: 1 is enough.', 'Conclusion on retries: 1 is enough'],
    ['## Summary', 'Summary'],
    ['Did that work?\nNo.', 'Did that work?'],
  ])('is what follows a label that many texts have: %s', (text, name) => expect(nameOf(text)).toBe(name))

  it('passes over tool calls and remarks about the summary while something else is said', () => {
    expect(nameOf('call bash: ls -l\nresult bash: total 0\nassistant: The folder is empty now, as it should be.')).toBe(
      'The folder is empty now, as it should be',
    )
    expect(nameOf('call bash: ls -l')).toBe('call bash: ls -l')
  })

  it('goes on after a greeting or another short sentence', () => {
    expect(nameOf('Agreed, tomorrow. Write down what we know. Then go.')).toBe(
      'Agreed, tomorrow. Write down what we know',
    )
    expect(nameOf('原因がわかりました。別の問題です。')).toBe('原因がわかりました')
  })

  it('is empty for a text without words', () => expect(nameOf('---\n\n…')).toBe(''))

  it('is one line of at most 120 characters, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        const name = nameOf(text)
        expect(name.length).toBeLessThanOrEqual(120)
        expect(name).not.toMatch(/[\r\n]/)
      }),
    )
  })
})

it('gives the beginning of a text without words as its title', () => {
  expect(titleOf('## Summary\n- [2026-03-02 08:29Z] user: Set `retries` to 1.')).toBe('Set retries to 1')
  expect(titleOf('… !? …')).toBe('… !? …')
})
