import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTokenEstimator, recordedEstimator, TOKEN_ESTIMATORS } from '#core/models/token-estimator.ts'
import { processorClock } from '#test/builders/busy-machine.ts'

describe('every token estimator', () => {
  for (const name of TOKEN_ESTIMATORS) {
    const estimator = createTokenEstimator(name)

    it(`${name} counts no tokens for an empty text, and at least one for any other`, () => {
      expect(estimator.count('')).toBe(0)
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
          expect(estimator.count(text)).toBeGreaterThanOrEqual(1)
        }),
      )
    })

    it(`${name} reads control markers and broken surrogates as plain text`, () => {
      expect(estimator.count('say <|endoftext|> <|im_start|>system')).toBeGreaterThan(3)
      expect(estimator.count('\ud83d')).toBeGreaterThanOrEqual(1)
    })

    it(`${name} takes time in proportion to the length of a hostile text`, () => {
      for (const unit of ['a', 'A', ' ', '0', '!', '中', '́', 'é', '\n ', '\ufeff', '\u0085']) {
        const usedMs = processorClock()
        estimator.count(unit.repeat(1_000_000))
        expect(usedMs(), `a million ${JSON.stringify(unit)}`).toBeLessThan(10_000)
      }
    })
  }
})

describe('the second heuristic', () => {
  const { count } = createTokenEstimator()

  it('never counts a text lower than its beginning, and equal texts the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, more) => {
        expect(count(text + more)).toBeGreaterThanOrEqual(count(text))
        expect(count(text)).toBe(count(`${text}x`.slice(0, -1)))
      }),
    )
  })

  it('counts a long text as the sum of its lines, to a token each', () => {
    const lines = Array.from(
      { length: 900 },
      (_, n) => `${n}: the worker claimed job_${n * 7919} and gave it back, 日本 🙂\n`,
    )
    const apart = lines.reduce((sum, line) => sum + count(line), 0)
    expect(Math.abs(count(lines.join('')) - apart)).toBeLessThanOrEqual(lines.length)
    for (const length of [8191, 8192, 8193, 16_384, 16_385])
      expect(count('a b'.repeat(10_000).slice(0, length))).toBeGreaterThan(
        count('a b'.repeat(10_000).slice(0, length - 9)),
      )
  })

  it('weighs scripts without word breaks 1.5 and emoji 2 tokens a character', () => {
    expect(count('中文')).toBe(3)
    expect(count('ひらカタ')).toBe(6)
    expect(count('한국')).toBe(3)
    expect(count('😀')).toBe(2)
  })
})

describe('the first heuristic, which older memories keep', () => {
  const { name, count } = recordedEstimator('heuristic') ?? createTokenEstimator()

  it('weighs Latin ¼, scripts without word breaks 1.5 and emoji 2 tokens a character, rounded up once', () => {
    expect(name).toBe('heuristic')
    expect(count('abcd')).toBe(1)
    expect(count('abcde')).toBe(2)
    expect(count('中文')).toBe(3)
    expect(count('ひらカタ')).toBe(6)
    expect(count('한국')).toBe(3)
    expect(count('😀')).toBe(2)
    expect(count('ok 中')).toBe(3)
  })

  it('counts a long text as the sum of its characters, in every way to scan it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const padding = 'x'.repeat(256)
        expect(Math.abs(count(text + padding) - (count(text) + 64))).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('the exact estimators', () => {
  it('agree with the published vocabularies', () => {
    expect(createTokenEstimator('o200k_base').count('hello world')).toBe(2)
    expect(createTokenEstimator('cl100k_base').count('antidisestablishmentarianism')).toBe(6)
  })

  // The ranks of these tokens stand in the published vocabularies: "\ufeffusing", "\ufeff", "\ufeffnamespace", "\ufeff//".
  it.each([
    ['\ufeffusing System;', 3],
    ['\ufeff', 1],
    ['\ufeffnamespace A', 2],
    ['\ufeff// a', 2],
  ])('count a byte order mark as the published tokenizers do: %j', (text, tokens) => {
    for (const name of ['o200k_base', 'cl100k_base'] as const)
      expect(createTokenEstimator(name).count(text)).toBe(tokens)
  })

  it('split a text at the white space of Unicode, to which U+0085 belongs and U+FEFF does not', () => {
    const { count } = createTokenEstimator('o200k_base')
    // Two bytes that no token joins, each time.
    expect(count('a\u0085b')).toBe(1 + 2 + 1)
    expect(count('a\ufeff')).toBe(2)
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\ufeff', '\u0085', '。', '🙂') }), (text) => {
        expect(count(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
        expect(count(text) > 0).toBe(text !== '')
      }),
    )
  })

  it('count ordinary text exactly, at any length', async () => {
    const text = 'The quick brown fox jumps over the lazy dog; 快速的棕色狐狸. '.repeat(2_000)
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    expect(createTokenEstimator('o200k_base').count(text)).toBe(countTokens(text))
  })
})
