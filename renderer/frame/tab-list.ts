import type { View } from '../routes.ts'

export type Tab = {
  readonly view: View
  readonly label: string
  /** The letter that opens the view after `g`. */
  readonly letter: string
}

/** The views in the order of their tabs. Digits open them as well. */
export const TABS: readonly Tab[] = [
  { view: 'start', label: 'Start', letter: 'o' },
  { view: 'strata', label: 'Strata', letter: 's' },
  { view: 'context', label: 'Context', letter: 'c' },
  { view: 'transcript', label: 'Transcript', letter: 't' },
  { view: 'search', label: 'Search', letter: 'f' },
  { view: 'lineage', label: 'Lineage', letter: 'n' },
  { view: 'compaction', label: 'Compaction', letter: 'm' },
  { view: 'integrity', label: 'Integrity', letter: 'i' },
  { view: 'compare', label: 'Compare', letter: 'd' },
  { view: 'files', label: 'Files', letter: 'l' },
  { view: 'notes', label: 'Notes', letter: 'b' },
  { view: 'storage', label: 'Storage', letter: 'r' },
  { view: 'map', label: 'Map', letter: 'p' },
  { view: 'sql', label: 'SQL', letter: 'q' },
  { view: 'logs', label: 'Logs', letter: 'a' },
]
