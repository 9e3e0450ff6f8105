import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../renderer/ui/tokens.css', import.meta.url), 'utf8')
const [dark = '', light = ''] = css.split(':root[data-theme="light"]')

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

describe.each([
  ['dark', dark],
  ['light', light],
])('the %s theme', (_name, theme) => {
  it.each(WORDS)('writes --%s with at least 4.5:1 on every ground', (name) => {
    for (const ground of GROUNDS) expect(contrast(token(theme, name), token(theme, ground))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(FILLS)('draws --%s with at least 3:1 on the ground', (name) => {
    expect(contrast(token(theme, name), token(theme, 'ground'))).toBeGreaterThanOrEqual(3)
  })

  it('writes on the accent with at least 4.5:1', () => {
    expect(contrast(token(theme, 'on-lit'), token(theme, 'lit'))).toBeGreaterThanOrEqual(4.5)
  })
})
