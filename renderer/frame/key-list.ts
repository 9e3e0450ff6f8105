import type { Route } from '../routes.ts'
import { VIEW_LIST, type View } from '../views.ts'

/** A view, or one of the others that the search shows. */
type Place = View | 'trace' | 'probe'

export type KeyGroup = {
  readonly title: string
  /** Where the keys work; everywhere without it. */
  readonly at?: Place
  readonly keys: readonly (readonly [keys: readonly string[], does: string])[]
}

/** Returns all keys: first those of the place on screen, then those of every view, then those of other views. */
export function keyGroups(route: Pick<Route, 'view' | 'searchKind'>): readonly KeyGroup[] {
  const { view, searchKind } = route
  const here: Place = view === 'find' && (searchKind === 'trace' || searchKind === 'probe') ? searchKind : view
  const rank = ({ at }: KeyGroup): number => (at === here ? 0 : at === undefined ? 1 : 2)
  return KEY_GROUPS.toSorted((a, b) => rank(a) - rank(b))
}

const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Anywhere',
    keys: [
      [['Mod K'], 'everything by name: views, actions, conversations, ids'],
      [['/'], 'search'],
      [['Mod ,'], 'settings'],
      [['Esc'], 'back out of the selection, then of the marked range'],
      [['\\'], 'show or hide the right panel'],
      [['?'], 'this list'],
    ],
  },
  {
    title: 'In a view',
    keys: [
      [['j', 'k'], 'next and previous'],
      [['←'], 'to the sources'],
      [['→'], 'to the dependents'],
      [['Enter'], 'open what is selected'],
      [['e'], 'expand the selected summary down to its messages'],
      [['t'], 'trace the selected words, message or summary up to the window'],
      [['b', 'B'], 'pin or unpin what is selected, and write a note on it'],
    ],
  },
  {
    title: 'In a search',
    at: 'find',
    keys: [
      [['↑', '↓'], 'through the hits, also while typing; j and k outside of the field'],
      [['Enter'], 'open the hit in its place, or unfold a group'],
      [['c'], 'fold or unfold the group'],
      [['Esc'], 'out of the field, then out of the hit, then out of the search'],
    ],
  },
  {
    title: 'In a trace',
    at: 'trace',
    keys: [
      [['n', 'p'], 'next and previous place that says it'],
      [['↑', '↓'], 'through the rungs, from the message up to the window'],
      [['Enter'], 'open the place or the rung in the messages or the layers'],
      [['x'], 'only what was lost'],
    ],
  },
  {
    title: 'In a probe',
    at: 'probe',
    keys: [
      [['↑', '↓'], 'through the questions; j and k do the same'],
      [['Enter'], 'open the answer in the messages'],
      [['t'], 'trace the answer in a view of its own'],
      [['x'], 'only what is changed or lost'],
      [['c'], 'only what differs between the compared windows'],
      [['Esc'], 'close the question'],
    ],
  },
  {
    title: 'In the messages',
    at: 'messages',
    keys: [
      [['J', 'K'], 'extend the selection to the next and previous message; Shift and a click do the same'],
      [['Enter'], 'unfold or fold the message'],
      [['Home', 'End'], 'the first and the last message; gg and G do the same'],
      [['→'], 'to a summary that stands for the message'],
    ],
  },
  {
    title: 'In a check',
    at: 'health',
    keys: [
      [['j', 'k'], 'next and previous finding'],
      [['Enter'], 'what a finding means, and where it is'],
      [['r'], 'to the repair plan; Tab goes through its steps and buttons'],
    ],
  },
  {
    title: 'In a comparison',
    at: 'compare',
    keys: [
      [['j', 'k'], 'next and previous difference'],
      [['1', '2', '3', '4'], 'all differences, only those of A, only those of B, what is summarised differently'],
      [['s'], 'swap the sides'],
      [['l'], 'scroll both texts together, or each alone'],
      [['+', '−'], 'zoom in and out; the wheel does too, and with Shift it pans'],
      [['0'], 'show everything'],
    ],
  },
  {
    title: 'In the layers',
    at: 'layers',
    keys: [
      [['w', 's'], 'zoom in and out; + and − and the wheel do too'],
      [['a', 'd'], 'move to the left and right; so does dragging with Shift'],
      [['0'], 'show everything'],
      [['p'], 'replay how the conversation was compacted, or end that'],
      [['Space'], 'play or pause the replay; in the tree, show or hide the sources of a summary'],
      [['<', '>'], 'replay slower or faster'],
      [['m'], 'mark the messages of the selection, or those in sight; dragging marks others'],
      [['Enter'], 'in the tree: put a summary in the middle; open a message'],
      [['n', 'p'], 'in the tree: next and previous sentence, with its source passages'],
      [['Shift ←', 'Shift →'], 'in the tree: select words, to see where they come from'],
    ],
  },
  {
    title: 'In the window',
    at: 'window',
    keys: [
      [['←', '→'], 'the window before and after each compaction'],
      [['Shift ←', 'Shift →'], 'message by message'],
    ],
  },
  {
    title: 'In the activity',
    at: 'activity',
    keys: [
      [['f'], 'follow new lines, or stay where you are'],
      [['y'], 'copy the fields of the line'],
      [['←', '→'], 'on a chart: a part of its time, which filters the log'],
    ],
  },
  {
    title: 'Views',
    keys: VIEW_LIST.map(
      ({ label, letter }, index) => [['g', letter, ...(index < 9 ? [String(index + 1)] : [])], label] as const,
    ),
  },
]
