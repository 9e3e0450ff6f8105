import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { wordsOn } from '#renderer/features/strata/palette.ts'
import { tokenColor } from '#renderer/ui/controls/theme.ts'

const css = readFileSync(new URL('../../renderer/ui/styles/tokens.css', import.meta.url), 'utf8')
const [dark = '', light = '', contrastTheme = ''] = css.split(/^:root\[data-theme=/m)

const GROUNDS = ['ground', 'panel', 'raised']
const WORDS = ['text', 'dim', 'link', ...['lit', 'leaf', 'd1', 'd2', 'd3'].map((name) => `${name}-text`)].concat(
  ['user', 'assistant', 'tool', 'system', 'fine', 'warning', 'error'].map((name) => `${name}-text`),
)
const FILLS = [
  'lit',
  'leaf',
  'd1',
  'd2',
  'd3',
  'user',
  'assistant',
  'tool',
  'system',
  'fine',
  'warning',
  'error',
  'focus',
]

/** Relative luminance and contrast ratio as WCAG 2.2 defines them. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

const token = (theme: string, name: string): string => {
  const value = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme)?.[1]
  if (value === undefined) throw new Error(`no token --${name}`)
  return value
}

/** AA of WCAG 2.2 for the themes that most people use, AAA for the one with high contrast. */
describe.each([
  ['dark', dark, { words: 4.5, fills: 3 }],
  ['light', light, { words: 4.5, fills: 3 }],
  ['high-contrast', contrastTheme, { words: 7, fills: 4.5 }],
])('the %s theme', (_name, theme, least) => {
  it.each(WORDS)(`writes --%s with at least ${least.words}:1 on every ground`, (name) => {
    for (const ground of GROUNDS)
      expect(contrast(token(theme, name), token(theme, ground))).toBeGreaterThanOrEqual(least.words)
  })

  it.each(FILLS)(`draws --%s with at least ${least.fills}:1 on the ground`, (name) => {
    expect(contrast(token(theme, name), token(theme, 'ground'))).toBeGreaterThanOrEqual(least.fills)
  })

  it(`writes on bars without a colour with at least ${least.words}:1`, () => {
    expect(contrast(token(theme, 'text'), token(theme, 'track'))).toBeGreaterThanOrEqual(least.words)
  })

  it(`writes on the accent with at least ${least.words}:1`, () => {
    expect(contrast(token(theme, 'on-lit'), token(theme, 'lit'))).toBeGreaterThanOrEqual(least.words)
  })
})

it('draws the lines of the high-contrast theme with at least 4.5:1 on the ground', () => {
  for (const line of ['line', 'line-strong', 'control'])
    expect(contrast(token(contrastTheme, line), token(contrastTheme, 'ground'))).toBeGreaterThanOrEqual(4.5)
})

describe('words on the bars of a drawing', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('stand out in a built style sheet, too, which writes #ffffff as #fff', () => {
    const built: Readonly<Record<string, string>> = { '--text': ' #fff', '--ground': '#000', '--d1': '#7fb1ff' }
    vi.stubGlobal('document', { documentElement: {} })
    vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: (name: string) => built[name] ?? '' }))
    const [text, ground] = [tokenColor('text'), tokenColor('ground')]
    expect([text, ground]).toEqual(['#ffffff', '#000000'])
    // A bar that the window does not hold is dim.
    expect(wordsOn(tokenColor('d1'), 0.4, { text, ground } as never)).toBe('#ffffff')
  })
})
