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
  /** True for a view that has nothing to say beside itself, and shows no selection. */
  readonly isWithoutPanel?: true
}

/** Every view, in the order in which the window offers them. Digits open the first nine. */
const FACTS = {
  start: { label: 'Start', letter: 'o', scope: 'conversation' },
  strata: { label: 'Strata', letter: 's', scope: 'conversation' },
  context: { label: 'Context', letter: 'c', scope: 'conversation' },
  transcript: { label: 'Transcript', letter: 't', scope: 'conversation' },
  search: { label: 'Search', letter: 'f', scope: 'conversation' },
  lineage: { label: 'Lineage', letter: 'n', scope: 'conversation' },
  compaction: { label: 'Compaction', letter: 'm', scope: 'conversation' },
  integrity: { label: 'Integrity', letter: 'i', scope: 'file' },
  compare: { label: 'Compare', letter: 'd', scope: 'file', isWithoutPanel: true },
  files: { label: 'Files', letter: 'l', scope: 'memory' },
  notes: { label: 'Notes', letter: 'b', scope: 'memory' },
  storage: { label: 'Storage', letter: 'r', scope: 'memory', isWithoutPanel: true },
  map: { label: 'Map', letter: 'p', scope: 'program', isWithoutPanel: true },
  sql: { label: 'SQL', letter: 'q', scope: 'memory' },
  logs: { label: 'Logs', letter: 'a', scope: 'program', isWithoutPanel: true },
  settings: { label: 'Settings', letter: ',', scope: 'program', isWithoutPanel: true },
} as const satisfies Readonly<Record<string, ViewFacts>>

export type View = keyof typeof FACTS

export type ListedView = ViewFacts & { readonly view: View }

const isView = (text: string): text is View => Object.hasOwn(FACTS, text)

export const VIEWS: readonly View[] = Object.keys(FACTS).filter(isView)

/** The view that is shown first for a file. */
export const FIRST_VIEW: View = 'start'

export const factsOf = (view: View): ViewFacts => FACTS[view]

export const VIEW_LIST: readonly ListedView[] = VIEWS.map((view) => ({ view, ...factsOf(view) }))

/** Views whose addresses had another name before. They lead where they led. */
const RENAMED: Readonly<Record<string, View>> = { overview: 'start' }

/** Returns the view that an address names, also by its earlier name, or null. */
export function viewNamed(text = ''): View | null {
  if (isView(text)) return text
  return Object.hasOwn(RENAMED, text) ? (RENAMED[text] ?? null) : null
}
