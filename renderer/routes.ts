import { useSyncExternalStore } from 'react'
import { NO_PROBE, PROBE, type ProbeAddress, parseProbe, writeProbe } from './probe-address.ts'

export const VIEWS = [
  'overview',
  'strata',
  'context',
  'transcript',
  'search',
  'lineage',
  'compaction',
  'integrity',
  'files',
  'storage',
  'map',
  'logs',
  'settings',
] as const
export type View = (typeof VIEWS)[number]

/** The view that is shown first for a file. */
export const FIRST_VIEW: View = 'strata'

export type SearchKind = 'find' | 'ask' | 'trace' | 'probe'

/** In the address, a trace of the searched words. */
const WORDS = '1'

/**
 * The state of the window. It is stored only in the address bar, so that it can be copied, reloaded and gone back to.
 */
export type Route = {
  readonly conversationId: number | null
  readonly view: View
  /** Id of the selected message, summary or file. */
  readonly selection: string | null
  /** The row of the selected file at which it is opened. */
  readonly row: number | null
  /** Text of the search. */
  readonly query: string | null
  /**
   * What the search does: find texts, answer a question, follow what was said up to the window, or ask what an agent
   * would be asked.
   */
  readonly searchKind: SearchKind
  /** The message or summary that is traced. Null for the one that says the searched words. */
  readonly tracedId: string | null
  /** What the probe asks and shows. */
  readonly probe: ProbeAddress
}

const isView = (text: string | undefined): text is View => VIEWS.some((view) => view === text)

/** Parses `#/conversation/12/strata?select=sum_…&query=…`. Parts that do not parse get their defaults. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/, ''), '?')
  const segments = path.split('/').filter((segment) => segment !== '')
  const hasConversation = segments[0] === 'conversation'
  const view = hasConversation ? segments[2] : segments[0]
  const params = new URLSearchParams(search)
  const traced = params.get('trace')
  return {
    conversationId: hasConversation ? parseNumber(segments[1]) : null,
    view: isView(view) ? view : FIRST_VIEW,
    selection: params.get('select') || null,
    row: parseNumber(params.get('row') ?? undefined),
    query: params.get('query') || null,
    searchKind: traced !== null ? 'trace' : params.has(PROBE) ? 'probe' : params.has('ask') ? 'ask' : 'find',
    tracedId: traced === WORDS ? null : traced || null,
    probe: traced === null && params.has(PROBE) ? parseProbe(params) : NO_PROBE,
  }
}

/** The inverse of {@link parseRoute}. */
export function formatRoute(route: Route): string {
  const params = new URLSearchParams()
  if (route.selection) params.set('select', route.selection)
  if (route.row !== null) params.set('row', String(route.row))
  if (route.query) params.set('query', route.query)
  if (route.searchKind === 'ask') params.set('ask', '1')
  if (route.searchKind === 'probe') writeProbe(route.probe, params)
  if (route.searchKind === 'trace') params.set('trace', route.tracedId ?? WORDS)
  const search = params.size > 0 ? `?${params}` : ''
  const conversation = route.conversationId === null ? '' : `/conversation/${route.conversationId}`
  return `#${conversation}/${route.view}${search}`
}

/**
 * Applies a patch. A selection is dropped with its conversation, and a row with its selection, unless the patch has one.
 * An address without a conversation keeps its selection.
 */
export function patchRoute(route: Route, patch: Partial<Route>): Route {
  const before = route.conversationId
  const leaves = before !== null && patch.conversationId !== undefined && patch.conversationId !== before
  const selection = patch.selection === undefined ? (leaves ? null : route.selection) : patch.selection
  return { ...route, ...(selection !== route.selection && { row: null }), ...patch, selection }
}

function parseNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const CHANGED = 'lcm:route'

/**
 * Goes to another address: `push` when the user may want to come back, `replace` for typing or moving through a list.
 */
export function navigate(patch: Partial<Route>, how: 'push' | 'replace'): void {
  const before = formatRoute(parseRoute(location.hash))
  const after = formatRoute(patchRoute(parseRoute(location.hash), patch))
  if (after === location.hash) return
  if (how === 'push' && after !== before) history.pushState(null, '', after)
  else history.replaceState(null, '', after)
  // Neither `pushState` nor `replaceState` sends an event.
  window.dispatchEvent(new Event(CHANGED))
}

/** Returns the route of the window, and renders again when it changes. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(onRouteChange, () => location.hash)
  return parseRoute(hash)
}

/**
 * Calls a listener that is not a component.
 * @returns a function that stops listening
 */
export function onRouteChange(onChange: () => void): () => void {
  const names = ['hashchange', 'popstate', CHANGED]
  for (const name of names) window.addEventListener(name, onChange)
  return () => {
    for (const name of names) window.removeEventListener(name, onChange)
  }
}

/** Returns the memory file of this window from `?file=`, or null for the welcome page. */
export function currentFile(search: string = location.search): string | null {
  return new URLSearchParams(search).get('file') || null
}
