import type { ListedConversation } from '#core/contract/memory.ts'
import { formatBytes, formatCompact, formatCount, formatPressure, plural } from '../ui/texts/format.ts'

/** `LCM: 847 msgs | 23 summaries (depth 3) | 2.1 MB · 62 % of window`: a conversation and the size of its file. */
export function statusText(row: ListedConversation, fileBytes: number): string {
  const depth = row.maxDepth > 0 ? ` (depth ${row.maxDepth})` : ''
  const summaries = `${formatCount(row.summaries)} ${row.summaries === 1 ? 'summary' : 'summaries'}${depth}`
  const messages = `${formatCount(row.messages)} ${row.messages === 1 ? 'msg' : 'msgs'}`
  const window =
    row.pressure === null ? 'window not measured' : `${formatPressure(row.pressure)} of window${leftOutText(row)}`
  const text = `LCM: ${messages} | ${summaries} | ${formatBytes(fileBytes)} · ${window}`
  // Scripts read this text, too, so it contains ordinary spaces only.
  return text.replaceAll('\u00a0', ' ')
}

const leftOutText = ({ leftOutTokens }: ListedConversation): string =>
  leftOutTokens === null || leftOutTokens === 0 ? '' : ` · ${formatCompact(leftOutTokens)} tokens left out`

/** What the last check found, or null before the first one, which may be running. A later one keeps what was found. */
export function healthText(found: number | null, isChecking: boolean): string {
  if (found === null) return isChecking ? 'being checked' : 'not checked'
  return found === 0 ? 'nothing wrong' : plural(found, 'finding')
}
