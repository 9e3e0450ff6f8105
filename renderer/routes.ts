import { useSyncExternalStore } from 'react'

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

/** The signature view is the first thing to see of a file. */
export const FIRST_VIEW: View = 'strata'

/** Where the window stands. The address bar is its only store, so that it can be copied, reloaded and gone back in. */
export type Route = {
  readonly conversationId: number | null
  readonly view: View
  /** Id of the selected message, summary or file. */
  readonly selection: string | null
  /** The row of the selected file at which it is opened. */
  readonly row: number | null
  /** Text of the search. */
  readonly query: string | null
  /** The search asks a question instead of finding texts. */
  readonly isAsking: boolean
}

const isView = (text: string | undefined): text is View => VIEWS.some((view) => view === text)

/** Reads `#/conversation/12/strata?select=sum_…&query=…`. Whatever does not parse falls back to its default. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/, ''), '?')
  const segments = path.split('/').filter((segment) => segment !== '')
  const hasConversation = segments[0] === 'conversation'
  const view = hasConversation ? segments[2] : segments[0]
  const params = new URLSearchParams(search)
  return {
    conversationId: hasConversation ? parseNumber(segments[1]) : null,
    view: isView(view) ? view : FIRST_VIEW,
    selection: params.get('select') || null,
    row: parseNumber(params.get('row') ?? undefined),
    query: params.get('query') || null,
    isAsking: params.has('ask'),
  }
}

/** The inverse of {@link parseRoute}. */
export function formatRoute(route: Route): string {
  const params = new URLSearchParams()
  if (route.selection) params.set('select', route.selection)
  if (route.row !== null) params.set('row', String(route.row))
  if (route.query) params.set('query', route.query)
  if (route.isAsking) params.set('ask', '1')
  const search = params.size > 0 ? `?${params}` : ''
  const conversation = route.conversationId === null ? '' : `/conversation/${route.conversationId}`
  return `#${conversation}/${route.view}${search}`
}

/**
 * Applies a patch. A selection does not outlive its conversation, and a row not its selection, unless the patch brings
 * one; an address that named no conversation has none to leave.
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
 * Goes somewhere else. `push` for what the user would want to come back from, `replace` for what follows from typing
 * or moving through a list.
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

/** The route of the window; renders again when it changes, by whatever means. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(onRouteChange, () => location.hash)
  return parseRoute(hash)
}

/** Tells whoever is not a component. @returns a function that stops listening */
export function onRouteChange(onChange: () => void): () => void {
  const names = ['hashchange', 'popstate', CHANGED]
  for (const name of names) window.addEventListener(name, onChange)
  return () => {
    for (const name of names) window.removeEventListener(name, onChange)
  }
}

/** The memory file of this window, from `?file=`; null shows the welcome page. */
export function currentFile(search: string = location.search): string | null {
  return new URLSearchParams(search).get('file') || null
}
