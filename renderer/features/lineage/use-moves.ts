import { useEffect, useRef, useState } from 'react'
import { navigate } from '#renderer/routes.ts'
import { useLineageStep } from '#renderer/ui/nodes/use-lineage-step.ts'
import { type LineageRow, pathBelow } from './lineage-rows.ts'
import type { Levels } from './use-lineage.ts'
import type { Middle } from './use-middle.ts'

type LineageView = {
  readonly rows: readonly LineageRow[]
  readonly levels: Levels
  readonly middle: Middle
  /** The selection, or the node in the middle. */
  readonly inHand: string | null
}

export type Moves = {
  /** The line with the keyboard focus. */
  readonly current: LineageRow | undefined
  readonly pick: (row: LineageRow | undefined, how: 'push' | 'replace') => void
  readonly by: (steps: 1 | -1) => void
  /** Opens a line: a summary becomes the middle, a message is shown in the transcript, and a list shows its rest. */
  readonly open: (row: LineageRow | undefined) => void
  readonly toggle: () => void
  readonly along: (direction: 'sources' | 'dependents') => void
}

/** Moves in the tree, line by line or along the lineage. */
export function useMoves({ rows, levels, middle, inHand }: LineageView): Moves {
  const step = useLineageStep()
  const [movedTo, setMovedTo] = useState<string | null>(null)
  const moved = rows.find(({ path }) => path === movedTo)
  const isThere = moved !== undefined && (moved.kind !== 'node' || moved.node.id === inHand)
  const current = isThere ? moved : rowOf(rows, inHand)

  // Keys come faster than answers, so each step continues from the result of the one before it.
  const hand = useRef(inHand)
  const latest = useRef({ rows, levels })
  useEffect(() => {
    hand.current = inHand
  }, [inHand])
  useEffect(() => {
    latest.current = { rows, levels }
  })
  const steps = useRef<Promise<void>>(Promise.resolve())

  const select = (id: string, how: 'push' | 'replace') => {
    hand.current = id
    middle.keepFor(id)
    navigate({ selection: id }, how)
  }
  const pick = (row: LineageRow | undefined, how: 'push' | 'replace') => {
    if (row === undefined) return
    setMovedTo(row.path)
    if (row.kind === 'more' && how === 'push') levels.fetchMore(row.of)
    if (row.kind === 'node') select(row.node.id, how)
  }
  const go = async (direction: 'sources' | 'dependents') => {
    const from = hand.current
    if (from === null) return
    const id = await step(from, direction)
    if (id === null) return
    const row = rowOf(latest.current.rows, from)
    const unfolds = direction === 'sources' && row?.kind === 'node' && row.canOpen && row.side !== 'above'
    if (unfolds) latest.current.levels.toggle(row.path, true)
    setMovedTo(unfolds ? pathBelow(row.path, id) : null)
    // A node that the tree cannot show in its position becomes the middle.
    if (!unfolds && rowOf(latest.current.rows, id) === undefined) middle.centre(id)
    select(id, 'push')
  }
  return {
    current,
    pick,
    by: (way) => pick(rows[(current === undefined ? -1 : rows.indexOf(current)) + way], 'replace'),
    open: (row) => {
      if (row?.kind === 'more') levels.fetchMore(row.of)
      if (row?.kind !== 'node') return
      if (row.node.kind === 'message') navigate({ view: 'messages', selection: row.node.id }, 'push')
      else middle.centre(row.node.id)
    },
    toggle: () => {
      if (current?.kind === 'node' && current.canOpen && current.side === 'below')
        levels.toggle(current.path, !current.isOpen)
    },
    along: (direction) => {
      // A step that finds nothing, or fails, changes nothing.
      steps.current = steps.current.then(() => go(direction)).catch(() => undefined)
    },
  }
}

/** Returns the line of a node. The one in the middle has priority over its repetitions. */
function rowOf(rows: readonly LineageRow[], id: string | null): LineageRow | undefined {
  const found = rows.filter((row) => row.kind === 'node' && row.node.id === id)
  return found.find((row) => row.kind === 'node' && row.side === 'middle') ?? found[0]
}
