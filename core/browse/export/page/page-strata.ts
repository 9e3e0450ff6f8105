import { ROLES } from '#core/contract/lists.ts'
import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import { escapeMarkup } from '#core/markup.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'

/** What is drawn of a conversation: its layers, and its messages merged into columns. */
export type DrawnStrata = { readonly strata: Strata; readonly messages: StrataMessages }

/** Only this many bars are drawn, the widest ones. More could not be told apart on a page. */
export const MOST_BARS = 4000
/** Into how many columns the messages are merged. */
export const MESSAGE_COLUMNS = 400

const WIDTH = 1000
const ROW = 20
const BAR = 16
const EDGE = 14
const MESSAGES = 32

/** The colour of a depth; all depths from the third on share one. */
export const depthClass = (depth: number): string => `n${Math.min(3, Math.max(0, depth))}`

/** Draws the layers of a conversation: the window along the top edge, summaries by depth, messages at the bottom. */
export function strataDrawing({ strata, messages }: DrawnStrata, nameOf: (id: string) => string): string {
  const { extent, maxDepth, summaries, window } = strata
  if (strata.totalMessages === 0 || extent <= 0) return ''
  const x = (at: number) => round((at / extent) * WIDTH)
  const box = (x0: number, x1: number, y: number, height: number, name: string) =>
    `<rect class="${name}" x="${x(x0)}" y="${round(y)}" width="${round(Math.max(0.8, ((x1 - x0) / extent) * WIDTH - 0.6))}" height="${round(height)}"/>`
  const link = (id: string, title: string, drawn: string) =>
    `<a href="${fragment(id)}"><title>${escapeMarkup(title)}</title>${drawn}</a>`
  const parts: string[] = []
  for (const run of window) parts.push(box(run.x0, run.x1, 2, 6, run.isLeftOut ? 'out' : 'lit'))
  const order = summaries.id
    .map((_, index) => index)
    .sort((a, b) => widthOf(summaries, b) - widthOf(summaries, a))
    .slice(0, MOST_BARS)
    .sort((a, b) => a - b)
  for (const index of order) {
    const { id, depth, x0, x1, messages: covered } = at(summaries, index)
    const drawn = box(x0, x1, EDGE + (maxDepth - depth) * ROW, BAR, depthClass(depth))
    parts.push(link(id, `${nameOf(id)} · ${covered} messages`, drawn))
  }
  const bottom = EDGE + (maxDepth + 1) * ROW
  const most = Math.max(1, ...messages.tokens)
  for (const [index, tokens] of messages.tokens.entries()) {
    const height = Math.max(2, Math.sqrt(tokens / most) * MESSAGES)
    const role = ROLES[messages.role[index] ?? 0] ?? 'system'
    const drawn = box(messages.x0[index] ?? 0, messages.x1[index] ?? 0, bottom + MESSAGES - height, height, role)
    const count = messages.count[index] ?? 1
    const title = count === 1 ? `1 message · ${role}` : `${count} messages`
    parts.push(link(messageNodeId(messages.firstMessage[index] ?? 0), `${title} · ${tokens} tokens`, drawn))
  }
  for (const mark of strata.marks) {
    if (mark.kind === 'uncovered') parts.push(box(mark.x0, mark.x1, bottom + MESSAGES + 1, 2, 'bad'))
  }
  const depths = Array.from({ length: maxDepth + 1 }, (_, row) => maxDepth - row)
  const labels = ['Window', ...depths.map((depth) => (depth === 0 ? 'Leaves' : `Depth ${depth}`)), 'Messages']
  return `<div class="strata"><ul aria-hidden="true">${labels.map((label) => `<li>${label}</li>`).join('')}</ul>
<svg viewBox="0 0 ${WIDTH} ${bottom + MESSAGES + 4}" height="${bottom + MESSAGES + 4}" preserveAspectRatio="none" role="img" aria-label="Strata">${parts.join('')}</svg></div>
`
}

type Columns = Strata['summaries']

const widthOf = ({ x0, x1 }: Columns, index: number): number => (x1[index] ?? 0) - (x0[index] ?? 0)

const at = (columns: Columns, index: number) => ({
  id: columns.id[index] ?? '',
  depth: columns.depth[index] ?? 0,
  x0: columns.x0[index] ?? 0,
  x1: columns.x1[index] ?? 0,
  messages: columns.messages[index] ?? 0,
})

const round = (value: number): number => Math.round(value * 100) / 100

/** The address of a node within the page. */
export const fragment = (id: string): string => `#${escapeMarkup(encodeURIComponent(id.toWellFormed()))}`
