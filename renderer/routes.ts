import { useCallback, useSyncExternalStore } from 'react'
import { type CompareAddress, NO_COMPARISON, parseCompare, writeCompare } from './compare-address.ts'
import { NO_PROBE, PROBE, type ProbeAddress, parseProbe, writeProbe } from './probe-address.ts'
import { FIRST_VIEW, shownNamed, type View, viewNamed } from './views.ts'

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
  /** What each view shows besides the selection: its zoom, moment, filters, what it tries out. */
  readonly shown: ShownValues
  /** What is compared, and what of the comparison is shown. */
  readonly compare: CompareAddress
}

/** Values by name. A name begins with the view that reads it: `layers.zoom`, `window.at`. */
type ShownValues = Readonly<Record<string, string>>

/** A change of the route. What is shown is changed name by name; null restores what a view shows by itself. */
export type RoutePatch = Partial<Omit<Route, 'shown'>> & {
  readonly shown?: Readonly<Record<string, string | null>>
}

/** What makes sense in one conversation only. */
const OF_CONVERSATION: readonly string[] = [
  'layers.zoom',
  'layers.range',
  'layers.at',
  'window.at',
  'window.from',
  'window.to',
  'window.preset',
  'window.budget',
  'window.threshold',
  'window.tail',
  'window.rank',
  'window.resumed',
  'find.within',
  'compact.run',
  'messages.range',
]

/** Parses `#/conversation/12/layers?select=sum_…&query=…`. Parts that do not parse get their defaults. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/, ''), '?')
  const segments = path.split('/').filter((segment) => segment !== '')
  const hasConversation = segments[0] === 'conversation'
  const params = new URLSearchParams(search)
  const traced = params.get('trace')
  const { view, shown } = viewOf(hasConversation ? segments[2] : segments[0], params)
  return {
    conversationId: hasConversation ? parseNumber(segments[1]) : null,
    view,
    selection: params.get('select') || null,
    row: parseNumber(params.get('row') ?? undefined),
    query: params.get('query') || null,
    searchKind: traced !== null ? 'trace' : params.has(PROBE) ? 'probe' : params.has('ask') ? 'ask' : 'find',
    tracedId: traced === WORDS ? null : traced || null,
    probe: traced === null && params.has(PROBE) ? parseProbe(params) : NO_PROBE,
    shown,
    compare: view === 'compare' ? parseCompare(params) : NO_COMPARISON,
  }
}

/** Whether the first view showed all conversations, which have a view of their own now. */
const EARLIER_SCOPE = 'start.scope'

/** Returns the view of an address and what it shows, under their present names. */
function viewOf(name: string | undefined, params: URLSearchParams): Pick<Route, 'view' | 'shown'> {
  const named = viewNamed(name) ?? { view: FIRST_VIEW }
  const values = [...params].flatMap(([before, value]) => {
    const present = value === '' ? null : shownNamed(before)
    return present === null ? [] : [[present, value] as const]
  })
  const { [EARLIER_SCOPE]: scope, ...shown }: Record<string, string> = { ...Object.fromEntries(values), ...named.shown }
  return { view: named.view === 'start' && scope === 'all' ? 'conversations' : named.view, shown }
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
  for (const [name, value] of Object.entries(route.shown).sort()) params.set(name, value)
  if (route.view === 'compare') writeCompare(route.compare, params)
  const search = params.size > 0 ? `?${params}` : ''
  const conversation = route.conversationId === null ? '' : `/conversation/${route.conversationId}`
  return `#${conversation}/${route.view}${search}`
}

/**
 * Applies a patch. What belongs to a conversation is dropped with it, and a row with its selection, unless the patch has
 * one. An address without a conversation keeps its selection.
 */
export function patchRoute(route: Route, { shown: shownPatch, ...patch }: RoutePatch): Route {
  const before = route.conversationId
  const leaves = before !== null && patch.conversationId !== undefined && patch.conversationId !== before
  const selection = patch.selection === undefined ? (leaves ? null : route.selection) : patch.selection
  const kept = Object.entries(route.shown).filter(([name]) => !leaves || !OF_CONVERSATION.includes(name))
  const shown = Object.entries({ ...Object.fromEntries(kept), ...shownPatch }).filter(isSet)
  return {
    ...route,
    ...(selection !== route.selection && { row: null }),
    ...patch,
    selection,
    shown: Object.fromEntries(shown),
  }
}

const isSet = (entry: readonly [string, string | null]): entry is [string, string] =>
  entry[1] !== null && entry[1] !== ''

function parseNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const CHANGED = 'lcm:route'
/** Browsers ignore changes of the address that follow each other faster than some twenty times a second. */
const WRITE_EVERY_MS = 120

/** The address that is not in the address bar yet, and the one in whose place it belongs. */
let unwritten: { readonly hash: string; readonly over: string } | null = null
let isWaiting = false
let last = { hash: '', route: parseRoute('') }

/** Returns the address of the window. Where the user went elsewhere, what is not written belongs to the place before. */
const currentHash = (): string => (unwritten?.over === location.hash ? unwritten.hash : location.hash)

/** Returns the route of the window. The address bar may be a moment behind. */
export function currentRoute(): Route {
  const hash = currentHash()
  if (hash !== last.hash) last = { hash, route: parseRoute(hash) }
  return last.route
}

/**
 * Goes to another address: `push` when the user may want to come back, `replace` for typing or moving through a list.
 */
export function navigate(patch: RoutePatch, how: 'push' | 'replace'): void {
  const before = formatRoute(currentRoute())
  const after = formatRoute(patchRoute(currentRoute(), patch))
  if (after === currentHash()) return
  if (how === 'push' && after !== before) {
    write()
    history.pushState(null, '', after)
  } else {
    unwritten = { hash: after, over: location.hash }
    if (!isWaiting) {
      write()
      isWaiting = true
      setTimeout(() => {
        isWaiting = false
        write()
      }, WRITE_EVERY_MS)
    }
  }
  // Neither `pushState` nor `replaceState` sends an event.
  window.dispatchEvent(new Event(CHANGED))
}

/** Writes the address anew where it names a view by its earlier name. */
export function renewAddress(): void {
  const [, named] = /^#(?:\/conversation\/[^/?]*)?\/([^/?]+)/.exec(location.hash) ?? []
  if (named !== undefined && (viewNamed(named) ?? named) !== named)
    history.replaceState(null, '', formatRoute(currentRoute()))
}

function write(): void {
  if (currentHash() !== location.hash) history.replaceState(null, '', currentHash())
  unwritten = null
}

/** Returns the address without what the views show: where the user is. */
export const currentPlace = (): string => formatRoute({ ...currentRoute(), shown: {} })

/** Returns the route of the window, and renders again when it changes. What the views show is read by `useShown`. */
export function useRoute(): Omit<Route, 'shown'> {
  return parseRoute(useSyncExternalStore(onRouteChange, currentPlace))
}

/** Parts of the route that can be compared. */
type Part = 'conversationId' | 'view' | 'selection' | 'row' | 'query' | 'searchKind' | 'tracedId'

/** Returns one part of the route, and renders again only when that changes. */
export function useRoutePart<P extends Part>(part: P): Route[P] {
  return useSyncExternalStore(onRouteChange, () => currentRoute()[part])
}

/** Returns what makes the address of a link: the present one with a patch. */
export function useLink(): (patch: RoutePatch) => string {
  const route = useSyncExternalStore(onRouteChange, currentRoute)
  return (patch) => formatRoute(patchRoute(route, patch))
}

/** Returns one of the values that a view shows, or null for what it shows by itself. Setting it is no step to go back. */
export function useShown(name: string): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(onRouteChange, () => currentRoute().shown[name] ?? null)
  const change = useCallback((next: string | null) => navigate({ shown: { [name]: next } }, 'replace'), [name])
  return [value, change]
}

/** Like {@link useShown}, for one of some choices. The first one is what the view shows by itself. */
export function useShownChoice<T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): readonly [T, (choice: T) => void] {
  const [value, change] = useShown(name)
  return [
    choices.find((choice) => choice === value) ?? choices[0],
    (choice) => change(choice === choices[0] ? null : choice),
  ]
}

/** Returns all values of one view as the query of an address, which stays the same text until one of them changes. */
export function useShownOf(view: View): string {
  return useSyncExternalStore(onRouteChange, () => {
    const shown = Object.entries(currentRoute().shown).filter(([name]) => name.startsWith(`${view}.`))
    return new URLSearchParams(shown.sort()).toString()
  })
}

/**
 * Calls a listener that is not a component.
 * @returns a function that stops listening
 */
export function onRouteChange(onChange: () => void): () => void {
  const events = [CHANGED, 'hashchange', 'popstate']
  for (const name of events) window.addEventListener(name, onChange)
  return () => {
    for (const name of events) window.removeEventListener(name, onChange)
  }
}

/** Returns the memory file of this window from `?file=`, or null for the welcome page. */
export function currentFile(search: string = location.search): string | null {
  return new URLSearchParams(search).get('file') || null
}
