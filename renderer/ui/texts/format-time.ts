const NBSP = '\u00a0'
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `just now`, `3 s ago`, `12 min ago`, `5 h ago`, `3 d ago`, then the date. */
export function formatRelative(atMs: number, nowMs: number): string {
  const passed = nowMs - atMs
  if (passed < 0) return passed > -MINUTE ? 'just now' : formatShort(atMs, nowMs)
  if (passed < 2 * SECOND) return 'just now'
  if (passed < MINUTE) return `${Math.floor(passed / SECOND)}${NBSP}s ago`
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}${NBSP}min ago`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}${NBSP}h ago`
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)}${NBSP}d ago`
  return formatDate(atMs, nowMs)
}

/** `Feb 12, 19:37`, with the year when it is not the present one. All shown times are local. */
export function formatShort(atMs: number, nowMs: number = Date.now()): string {
  return isDate(atMs) ? `${formatDate(atMs, nowMs)}, ${formatClock(atMs)}` : 'unknown time'
}

/** `Feb 12`, with the year when it is not the present one. */
export function formatDate(atMs: number, nowMs: number = Date.now()): string {
  if (!isDate(atMs)) return 'unknown time'
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear()
  return (isThisYear ? dayFormat : yearFormat).format(atMs)
}

/** `19:37` */
export const formatClock = (atMs: number): string => (isDate(atMs) ? clockFormat.format(atMs) : '--:--')

/** `19:37:05` */
export const formatSecond = (atMs: number): string => (isDate(atMs) ? secondFormat.format(atMs) : '--:--:--')

/** `2026-02-12 19:37:05.120 +01:00`: exact to the millisecond, and sortable. */
export function formatAbsolute(atMs: number): string {
  if (!isDate(atMs)) return 'unknown time'
  const offset = -new Date(atMs).getTimezoneOffset()
  const local = new Date(atMs + offset * MINUTE).toISOString().replace('T', ' ').replace('Z', '')
  const sign = offset < 0 ? '-' : '+'
  const pad = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${local} ${sign}${pad(Math.abs(offset) / 60)}:${pad(Math.abs(offset) % 60)}`
}

/** `Feb 12, 19:37 – Feb 13, 08:23`; the date once when both are of one day. */
export function formatRange(fromMs: number, toMs: number, nowMs: number = Date.now()): string {
  if (fromMs === toMs) return formatShort(fromMs, nowMs)
  const isOneDay = formatDate(fromMs, nowMs) === formatDate(toMs, nowMs)
  return `${formatShort(fromMs, nowMs)} – ${isOneDay ? formatClock(toMs) : formatShort(toMs, nowMs)}`
}

/** Foreign files hold what they like; outside this range there is no date. */
const isDate = (atMs: number): boolean => Math.abs(atMs) <= 8.64e15 - DAY

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const yearFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })
const clockFormat = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const secondFormat = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
