import type { KeyboardEvent } from 'react'
import { currentRoute, navigate } from '#renderer/routes.ts'
import type { WholeLayout } from './whole-layout.ts'

export const selectNode = (layout: WholeLayout, node: number | undefined): void => {
  const id = layout.graph.nodes.id[node ?? -1]
  if (id !== undefined) navigate({ selection: id }, 'replace')
}

const selectedIn = ({ graph }: WholeLayout): number => graph.nodes.id.indexOf(currentRoute().selection ?? '')

/** Selects the first of some nodes after the selection, and at the end the first again. */
export function selectNext(layout: WholeLayout, found: readonly number[]): void {
  const selected = selectedIn(layout)
  selectNode(layout, found.find((node) => node > selected) ?? found[0])
}

/** The selection leads to its first source and dependent, and along its column. */
export function onGraphKey(event: KeyboardEvent, layout: WholeLayout): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  const selected = selectedIn(layout)
  const column = layout.columns[layout.columnOf[selected] ?? layout.columns.length - 1] ?? []
  const place = column.indexOf(selected)
  const { links, nodes } = layout.graph
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => selectNode(layout, links.to[layout.sources[selected]?.[0] ?? -1]),
    ArrowRight: () => selectNode(layout, links.from[layout.dependents[selected]?.[0] ?? -1]),
    ArrowUp: () => selectNode(layout, column[Math.max(0, place - 1)]),
    k: () => selectNode(layout, column[Math.max(0, place - 1)]),
    ArrowDown: () => selectNode(layout, column[place + 1]),
    j: () => selectNode(layout, column[place + 1]),
    Home: () => selectNode(layout, column[0]),
    End: () => selectNode(layout, column.at(-1)),
    Enter: () => {
      const id = nodes.id[selected]
      if (id !== undefined) navigate({ view: 'messages', selection: id }, 'push')
    },
  }
  const move = keys[event.key]
  if (move === undefined || (event.key === 'Enter' && event.target instanceof HTMLButtonElement)) return
  event.preventDefault()
  event.stopPropagation()
  move()
}
