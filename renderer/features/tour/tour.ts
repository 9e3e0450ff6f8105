import { useSyncExternalStore } from 'react'
import type { RoutePatch } from '#renderer/routes.ts'
import { parseStored } from '#renderer/ui/use-stored.ts'

type Question = {
  readonly title: string
  readonly text: string
  /** Where the sample answers it. */
  readonly place: RoutePatch
}

/** What most people want to know first, each at the place of the sample that answers it. */
export const QUESTIONS: readonly Question[] = [
  {
    title: 'What does the model see next turn?',
    text: 'This list is sent with the next turn: the system prompt, a few summaries that stand for the older messages, and the newest messages as they are. The last column says why each is in. Under What if you can try another budget and see what leaves the window.',
    place: { conversationId: 1, view: 'window', selection: null },
  },
  {
    title: 'Why did it forget PAY-1187?',
    text: 'A trace follows words from the message that said them, rung by rung, up to the window. The heading names the summary and the compaction at which they were lost. On the right stands how to get them back.',
    place: {
      conversationId: 1,
      view: 'find',
      searchKind: 'trace',
      tracedId: 'msg_52',
      query: 'PAY-1187',
      selection: null,
    },
  },
  {
    title: 'Is the memory sound?',
    text: 'A check compares every row with the rules of its format; it begins by itself when a memory is opened. Findings are explained and marked in every view. A repair shows each row before and after, makes a backup first, and can be undone.',
    place: { conversationId: 1, view: 'health', selection: null },
  },
]

/** The tour that is being taken: of which copy of the sample, and at which question, from 0. */
export type Tour = { readonly path: string; readonly question: number; readonly isBegun: boolean }

const KEY = 'lcm:tour'
const CHANGED = 'lcm:tour'

function set(tour: Tour | null): void {
  if (tour === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(tour))
  window.dispatchEvent(new Event(CHANGED))
}

/** Begins the tour as soon as the copy of the sample at this path is opened. */
export const prepareTour = (path: string): void => set({ path, question: 0, isBegun: false })

export const showQuestion = (path: string, question: number): void => set({ path, question, isBegun: true })

export const leaveTour = (): void => set(null)

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange)
  return () => window.removeEventListener(CHANGED, onChange)
}

/** Returns the tour of the file at this path, or null. */
export function useTour(path: string): Tour | null {
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(KEY))
  return tourOf(parseStored(stored), path)
}

function tourOf(stored: unknown, path: string): Tour | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { path: of, question, isBegun } = stored as Partial<Record<keyof Tour, unknown>>
  if (of !== path || typeof question !== 'number' || QUESTIONS[question] === undefined) return null
  return { path, question, isBegun: isBegun === true }
}
