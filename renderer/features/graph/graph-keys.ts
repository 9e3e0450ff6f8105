import type { KeyboardEvent } from 'react'

export type GraphMoves = {
  readonly along: (direction: 'sources' | 'dependents') => void
  readonly beside: (step: -1 | 1) => void
  readonly expand: () => void
  readonly open: () => void
}

/** Keys of the graph, for when it has the focus. */
export function onGraphKey(event: KeyboardEvent, moves: GraphMoves): void {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moves.along('sources'),
    ArrowRight: () => moves.along('dependents'),
    ArrowUp: () => moves.beside(-1),
    k: () => moves.beside(-1),
    ArrowDown: () => moves.beside(1),
    j: () => moves.beside(1),
    e: moves.expand,
    Enter: moves.open,
  }
  const move = keys[event.key]
  if (move === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target instanceof HTMLElement && belongsElsewhere(event.target, event.key)) return
  event.preventDefault()
  move()
}

/** Enter on a button presses it, and in a menu every key is the menu's. */
const belongsElsewhere = (target: HTMLElement, key: string): boolean =>
  (target instanceof HTMLButtonElement && key === 'Enter') || target.closest('[role=menu]') !== null
