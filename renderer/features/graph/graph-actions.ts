import { createContext } from 'react'

/** Actions that the boxes of the graph can request. */
export const GraphActions = createContext<{
  /** Shows everything around a node in place, or hides it again. */
  readonly expand: (id: string) => void
  /** Draws the graph around a node. */
  readonly centre: (id: string) => void
  readonly openInTranscript: (id: string) => void
}>({ expand: () => undefined, centre: () => undefined, openInTranscript: () => undefined })
