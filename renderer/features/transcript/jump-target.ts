/** The target of a jump. */
export type JumpTarget =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'time'; readonly atMs: number }
  | { readonly kind: 'id'; readonly id: string }

/**
 * Parses a target: `120` is the 120th message, `msg_120` or another id is that node, and `2026-02-13 07:44`, `Feb 13
 * 2026` or `07:44` (on the day in sight) is a moment in local time. Returns null for anything else.
 */
export function parseJump(text: string, inSightMs: number): JumpTarget | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const number = trimmed.replaceAll(/[,\s]/g, '')
  if (/^\d{1,12}$/.test(number)) return { kind: 'position', position: Math.max(0, Number(number) - 1) }
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(trimmed)
  if (clock !== null) {
    const atMs = new Date(inSightMs).setHours(Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0), 0)
    return { kind: 'time', atMs }
  }
  const atMs = parseMoment(trimmed)
  return atMs === null ? { kind: 'id', id: trimmed } : { kind: 'time', atMs }
}

/** A date alone means its first moment in local time. `Date.parse` would take UTC. */
function parseMoment(text: string): number | null {
  if (!/^(\d{4}-\d{2}-\d{2}|[A-Za-z]{3,9} \d|\d{1,2} [A-Za-z]{3})/.test(text)) return null
  const atMs = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
  return Number.isNaN(atMs) ? null : atMs
}
