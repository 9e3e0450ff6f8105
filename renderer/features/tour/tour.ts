import { useSyncExternalStore } from 'react'
import type { RoutePatch } from '#renderer/routes.ts'
import { runAddress } from '#renderer/ui/data/run-address.ts'
import { parseStored } from '#renderer/ui/data/use-stored.ts'

type Step = {
  readonly title: string
  readonly text: string
  /** Where the sample shows it. */
  readonly place: RoutePatch
}

const LOST_WORDS = 'PAY-1187'

/** The way of one lost detail of the sample, from the question to the compaction that lost it and the window of now. */
export const STEPS: readonly Step[] = [
  {
    title: 'What did the agent forget?',
    text: `A ticket, a path or a decision is asked for here; the next steps ask for the ticket ${LOST_WORDS}.`,
    place: { conversationId: 1, view: 'start', selection: null },
  },
  {
    title: 'Who said it?',
    text: 'Every message is still there, and each hit says whether the model still sees its words.',
    place: { conversationId: 1, view: 'find', searchKind: 'find', tracedId: null, query: LOST_WORDS, selection: null },
  },
  {
    title: 'Where was it lost?',
    text: 'The trace follows the words from message 52 up to the window, names the summary at which they were lost, and says on the right how to get lost words back.',
    place: {
      conversationId: 1,
      view: 'find',
      searchKind: 'trace',
      tracedId: 'msg_52',
      query: LOST_WORDS,
      selection: null,
    },
  },
  {
    title: 'Which compaction lost it?',
    text: 'This is the compaction of March 3 with the summaries that it made; a button below them shows everything else that it lost.',
    place: { conversationId: 1, selection: null, ...runAddress('run_84807b9b8edb87e1') },
  },
  {
    title: 'What does the model see next turn?',
    text: 'The window lists what is sent, a few summaries and the newest messages, each with the reason why it is in.',
    place: { conversationId: 1, view: 'window', selection: null },
  },
]

/** The session of the first conversation of the sample. */
const SAMPLE_SESSION = 'kestrel-payments-0302'
export const isOfSample = (sessionId: string | undefined): boolean => sessionId === SAMPLE_SESSION

/** The tour that is being taken: of which copy of the sample, and at which step, from 0. */
export type Tour = { readonly path: string; readonly step: number; readonly isBegun: boolean }

const KEY = 'lcm:tour'
const SETTLED_KEY = 'lcm:tour-settled'
const CHANGED = 'lcm:tour'

function set(tour: Tour | null): void {
  if (tour === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(tour))
  // Whoever took or left it is not asked again.
  localStorage.setItem(SETTLED_KEY, 'true')
  window.dispatchEvent(new Event(CHANGED))
}

/** Begins the tour as soon as the copy of the sample at this path is opened. */
export const prepareTour = (path: string): void => set({ path, step: 0, isBegun: false })

export const showStep = (path: string, step: number): void => set({ path, step, isBegun: true })

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

/** Whether the tour was taken or refused before, so that nobody is asked again. */
export const useTourSettled = (): boolean =>
  useSyncExternalStore(subscribe, () => localStorage.getItem(SETTLED_KEY)) !== null

function tourOf(stored: unknown, path: string): Tour | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { path: of, step, isBegun } = stored as Partial<Record<keyof Tour, unknown>>
  if (of !== path || typeof step !== 'number' || STEPS[step] === undefined) return null
  return { path, step, isBegun: isBegun === true }
}
