import { ROLES } from '#core/contract/lists.ts'
import { tokenColor } from '#renderer/ui/controls/theme.ts'
import { depthToken } from '#renderer/ui/nodes/depth-color.ts'

const TOKENS = [
  'ground',
  'panel',
  'line',
  'line-strong',
  'text',
  'dim',
  'faint',
  'lit',
  'lit-text',
  'link',
  'leaf',
  'd1',
  'd2',
  'd3',
  'system',
  'user',
  'assistant',
  'tool',
  'warning',
  'warning-text',
  'error',
  'error-text',
] as const

/** The colours of a drawing by token, each as `#rrggbb`. */
export type Palette = Readonly<Record<(typeof TOKENS)[number], string>>

/** Makes a palette from a function that returns the colour of a token. */
export const paletteFrom = (colorOf: (token: string) => string): Palette =>
  Object.fromEntries(TOKENS.map((token) => [token, colorOf(token)])) as Palette

/** The colours of the theme that is shown now. */
export const readPalette = (): Palette => paletteFrom(tokenColor)

export const depthFill = (palette: Palette, depth: number): string => palette[depthToken(depth)]

/** `role` is an index of ROLES. */
export const roleFill = (palette: Palette, role: number): string => palette[ROLES[role] ?? 'tool']

/** Returns a colour between `stops`, with `t` from 0 to 1. */
export function mixThrough(stops: readonly string[], t: number): string {
  const position = Math.min(Math.max(t, 0), 1) * (stops.length - 1)
  const low = Math.min(Math.floor(position), stops.length - 2)
  const from = channels(stops[low] ?? '')
  const to = channels(stops[low + 1] ?? '')
  const mixed = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * (position - low)))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Returns the colour of words on a bar: of text and ground the one that differs more from what is behind them. */
export function wordsOn(fill: string, opacity: number, palette: Palette): string {
  const behind = luminance(mixThrough([palette.ground, fill], opacity))
  const contrast = (hex: string): number => {
    const own = luminance(hex)
    return (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05)
  }
  return contrast(palette.text) >= contrast(palette.ground) ? palette.text : palette.ground
}

/** The relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

const channels = (hex: string): readonly [number, number, number] => {
  const value = Number.parseInt(hex.slice(1), 16) || 0
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}
