import { createContext } from 'react'

/** What the boxes of the graph can ask for. */
export const GraphActions = createContext<{
  /** Shows everything of a node in place, or takes it back. */
  readonly expand: (id: string) => void
  /** Draws the graph around a node. */
  readonly centre: (id: string) => void
  readonly openInTranscript: (id: string) => void
}>({ expand: () => undefined, centre: () => undefined, openInTranscript: () => undefined })
