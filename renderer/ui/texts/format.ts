import type { ListedConversation } from '#core/contract/memory.ts'
import { withSigns } from './hidden-characters.ts'

/** Keeps a number and its unit on one line. */
const NBSP = '\u00a0'

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** `93,480` */
export const formatCount = (count: number): string => grouped.format(count)

/** Three significant digits and a magnitude: `812`, `93.5 k`, `1.18 M`. */
export function formatCompact(count: number): string {
  return scaled(count, 1000, ['', 'k', 'M', 'G', 'T'])
}

/** Decimal bytes: `512 B`, `2.1 MB`. */
export function formatBytes(bytes: number): string {
  return scaled(bytes, 1000, ['B', 'kB', 'MB', 'GB', 'TB'], oneDecimal)
}

function scaled(value: number, step: number, units: readonly string[], trim = threeDigits): string {
  const sign = value < 0 ? '−' : ''
  let rest = Math.abs(value)
  let unit = 0
  while (unit < units.length - 1 && rest >= step) {
    rest /= step
    unit += 1
  }
  // To three digits 999,950 is a million, and not a thousand thousands.
  if (unit > 0 && unit < units.length - 1 && Number(rest.toPrecision(3)) >= step) {
    rest /= step
    unit += 1
  }
  const text = unit === 0 ? grouped.format(rest) : rest >= 100 ? rest.toFixed(0) : trim(rest)
  return units[unit] ? `${sign}${text}${NBSP}${units[unit]}` : `${sign}${text}`
}

const threeDigits = (value: number): string => Number(value.toFixed(value >= 10 ? 1 : 2)).toString()
const oneDecimal = (value: number): string => Number(value.toFixed(1)).toString()

/** `1,846 tokens`, `1 token` */
export const formatTokens = (tokens: number): string => plural(tokens, 'token')

/** `1 message`, `12 messages`, `2 entries` with an irregular plural. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)}${NBSP}${count === 1 ? one : many}`
}

/**
 * Formats a share of one in whole percent, or with one decimal below ten: `62 %`, `2.5 %`, `< 0.1 %`. Only the whole is
 * `100 %`.
 */
export function formatPercent(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.1) return `<${NBSP}0.1${NBSP}%`
  if (percent >= 99.5 && percent < 100) return `${(Math.floor(percent * 10) / 10).toFixed(1)}${NBSP}%`
  const text = Math.abs(percent) >= 10 || Number.isInteger(percent) ? grouped.format(percent) : percent.toFixed(1)
  return `${text}${NBSP}%`
}

/** 1.15 × 100 is 114.99999999999999. */
const ROUNDING = 1e-6

/** Formats a pressure in percent: `62 %`, and with one decimal below ten: `4.9 %`. It rounds down, so that 99.6 is not called full. */
export function formatPressure(pressure: number): string {
  const percent = pressure * 100
  // From here on a decimal would say "10.0 %".
  if (percent < 9.95) return formatPercent(pressure)
  return `${grouped.format(Math.max(10, Math.floor(percent + ROUNDING)))}${NBSP}%`
}

/** Source tokens ÷ own tokens: `50.6×`, without decimals from a hundred on. */
export function formatCompression(ratio: number): string {
  return `${ratio >= 100 ? grouped.format(ratio) : ratio.toFixed(1)}×`
}

/** `12 ms`, `0.74 s`, `3 min 12 s`, `2 h 5 min` */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}${NBSP}ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)}${NBSP}s`
  if (ms < 60_000) return `${(ms / 1000).toFixed(0)}${NBSP}s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return pair(minutes, 'min', Math.floor((ms % 60_000) / 1000), 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return pair(hours, 'h', minutes % 60, 'min')
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const pair = (a: number, aUnit: string, b: number, bUnit: string): string =>
  b === 0 ? `${a}${NBSP}${aUnit}` : `${a}${NBSP}${aUnit}${NBSP}${b}${NBSP}${bUnit}`

/** `sum_9c1f4e02ab77d310` → `sum_9c1f…310`. A short id is returned unchanged. */
export function shortenId(id: string, maxChars = 14): string {
  const chars = [...id]
  if (chars.length <= maxChars) return id
  const head = Math.ceil((maxChars - 1) * 0.65)
  return `${chars.slice(0, head).join('')}…${chars.slice(chars.length - (maxChars - 1 - head)).join('')}`
}

/** `/home/ada/.openclaw/lcm.db` → `~/.openclaw/lcm.db`. The beginning of a long path is left out. */
export function shortenPath(path: string, maxChars = 48): string {
  const home = path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Z]:\\Users\\[^\\]+)(?=[\\/])/, '~')
  return home.length <= maxChars ? home : `…${home.slice(home.length - maxChars + 1)}`
}

/** Returns the last segment of a path. */
export const fileNameOf = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

/** Divides a path into folder and name, for when only one of them fits: `~/code/`, `shop`. */
export function splitPath(path: string): { readonly head: string; readonly tail: string } {
  const [, head = '', tail = path] = /^(.*[\\/])(?=[^\\/])(.+)$/s.exec(path) ?? []
  return { head, tail }
}

/** Divides an id into the beginning, which many ids share, and the end, which distinguishes it. */
export function splitId(id: string, tailChars = 6): { readonly head: string; readonly tail: string } {
  const chars = [...id]
  const at = Math.max(0, chars.length - tailChars)
  return { head: chars.slice(0, at).join(''), tail: chars.slice(at).join('') }
}

/** Returns a foreign name as one line, with hidden characters written out. */
export const plainName = (name: string): string => withSigns(name.replace(/\s+/g, ' '))

type NamedConversation = Pick<ListedConversation, 'title' | 'sessionId' | 'conversationId' | 'firstWords'>

/** Returns the name of a conversation as one line: its title, or what a person said first, or its session. */
export function conversationName(row: NamedConversation): string {
  const name = [row.title, row.firstWords, row.sessionId].find((each) => each?.trim())
  return plainName(name?.trim() ?? '') || `conversation ${row.conversationId}`
}

/** Whether nothing but the id of its session names a conversation. */
export const isNamedBySession = ({ title, firstWords, sessionId }: NamedConversation): boolean =>
  !title?.trim() && !firstWords?.trim() && sessionId.trim() !== ''

/** Agents record costs in dollars. */
export const costText = (cost: number): string => `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`
