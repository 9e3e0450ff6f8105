/**
 * What a view speaks of, which is also where the window offers it: a conversation in the row of tabs, the file at the
 * end of that row, the rest of the memory in its menu, and the program behind the gear.
 */
export type Scope = 'conversation' | 'file' | 'memory' | 'program'

type ViewFacts = {
  readonly label: string
  /** The letter that opens the view after `g`. */
  readonly letter: string
  readonly scope: Scope
  /** True for a view of the memory that has nothing to say beside itself, and shows no selection. */
  readonly isWithoutPanel?: true
}

/** Every view, in the order in which the window offers them. Digits open the first nine. */
const FACTS = {
  start: { label: 'Start', letter: 'o', scope: 'conversation' },
  find: { label: 'Find', letter: 'f', scope: 'conversation' },
  messages: { label: 'Messages', letter: 't', scope: 'conversation' },
  window: { label: 'Window', letter: 'c', scope: 'conversation' },
  layers: { label: 'Layers', letter: 's', scope: 'conversation' },
  compact: { label: 'Compact', letter: 'm', scope: 'conversation' },
  health: { label: 'Health', letter: 'i', scope: 'file' },
  compare: { label: 'Compare', letter: 'd', scope: 'file', isWithoutPanel: true },
  conversations: { label: 'All conversations', letter: 'v', scope: 'memory' },
  files: { label: 'Large files', letter: 'l', scope: 'memory' },
  storage: { label: 'Storage', letter: 'r', scope: 'memory', isWithoutPanel: true },
  sql: { label: 'SQL', letter: 'q', scope: 'memory' },
  notes: { label: 'Notes and pins', letter: 'b', scope: 'memory' },
  settings: { label: 'Settings', letter: ',', scope: 'program' },
  activity: { label: 'Activity', letter: 'a', scope: 'program' },
  batch: { label: 'Batch runs', letter: 'p', scope: 'program' },
  servers: { label: 'Servers', letter: 'e', scope: 'program' },
} as const satisfies Readonly<Record<string, ViewFacts>>

export type View = keyof typeof FACTS

export type ListedView = ViewFacts & { readonly view: View }

const isView = (text: string): text is View => Object.hasOwn(FACTS, text)

export const VIEWS: readonly View[] = Object.keys(FACTS).filter(isView)

/** The view that is shown first for a file. */
export const FIRST_VIEW: View = 'start'

export const factsOf = (view: View): ViewFacts => FACTS[view]

export const VIEW_LIST: readonly ListedView[] = VIEWS.map((view) => ({ view, ...factsOf(view) }))

/** The views of a scope, in their order. */
export const viewsOf = (scope: Scope): readonly ListedView[] => VIEW_LIST.filter((view) => view.scope === scope)

/** A view, and what it shows, for an address of an earlier version. */
type Renamed = { readonly view: View; readonly shown?: Readonly<Record<string, string>> }

/** Views whose addresses had another name before. They lead where they led. */
const RENAMED: Readonly<Record<string, Renamed>> = {
  overview: { view: 'start' },
  strata: { view: 'layers' },
  context: { view: 'window' },
  transcript: { view: 'messages' },
  search: { view: 'find' },
  lineage: { view: 'layers', shown: { 'layers.form': 'tree' } },
  compaction: { view: 'compact' },
  integrity: { view: 'health' },
  map: { view: 'batch' },
  logs: { view: 'activity' },
}

/** Letters of what was a view of its own. */
const EARLIER_LETTERS: Readonly<Record<string, string>> = { n: 'lineage' }

/** Returns what a letter opens after `g`, or null. */
export function viewOfLetter(letter: string): Renamed | null {
  const view = VIEW_LIST.find((listed) => listed.letter === letter)?.view
  return viewNamed(view ?? EARLIER_LETTERS[letter])
}

/** Returns the view that an address names, also by its earlier name, or null. */
export function viewNamed(text = ''): Renamed | null {
  if (isView(text)) return { view: text }
  return Object.hasOwn(RENAMED, text) ? (RENAMED[text] ?? null) : null
}

/** Values of a view that another one shows now. */
const MOVED: Readonly<Record<string, string>> = {
  'start.sort': 'conversations.sort',
  'start.reversed': 'conversations.reversed',
  'start.only': 'conversations.only',
  'start.words': 'conversations.words',
}

/** Returns the present name of a value that a view shows, or null for what no view reads. */
export function shownNamed(name: string): string | null {
  const [before = '', rest = '', ...more] = name.split('.')
  const named = viewNamed(before)
  if (named === null || more.length > 0 || !/^[a-z]+$/.test(rest)) return null
  const present = `${named.view}.${rest}`
  return MOVED[present] ?? present
}
