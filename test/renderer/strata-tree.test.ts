import { describe, expect, it } from 'vitest'
import { type FetchedLevel, flattenTree, pathAbove, pathBelow } from '#renderer/features/strata/tree-rows.ts'
import { cardOf, messageOf } from './graph-builder.ts'

const level = (nodes: FetchedLevel['nodes'], total = nodes.length): FetchedLevel => ({ total, nodes, isLoading: false })

const levels = new Map<string | null, FetchedLevel>([
  [null, level([cardOf({ id: 'a', sources: 2 }), cardOf({ id: 'b', sources: 0 })])],
  ['a', level([messageOf(1), messageOf(2)], 5)],
])
const rowsWith = (...open: string[]) => flattenTree((id) => levels.get(id), new Set(open))

describe('the tree of summaries', () => {
  it('shows sources below their summary, and only when it is open', () => {
    expect(rowsWith().map(({ path }) => path)).toEqual(['a', 'b'])
    const ids = rowsWith('a').flatMap((row) => (row.kind === 'node' ? row.card.id : row.kind))
    expect(ids).toEqual(['a', 'msg_1', 'msg_2', 'more', 'b'])
  })

  it('tells a screen reader level, position and number of siblings, including those not fetched', () => {
    expect(rowsWith('a')[1]).toMatchObject({ level: 2, position: 1, setSize: 5 })
  })

  it('says how many sources are not shown', () => {
    expect(rowsWith('a')[3]).toMatchObject({ kind: 'more', of: 'a', left: 3 })
  })

  it('says that opened sources are loading', () => {
    const rows = flattenTree((id) => (id === null ? levels.get(null) : undefined), new Set(['a']))
    expect(rows.map(({ kind }) => kind)).toEqual(['node', 'loading', 'node'])
  })

  it('ends at a node that closes a cycle', () => {
    const round = new Map([
      [null, level([cardOf({ id: 'a', sources: 1 })])],
      ['a', level([cardOf({ id: 'b', sources: 1 })])],
      ['b', level([cardOf({ id: 'a', sources: 1 })])],
    ])
    const open = new Set(['a', pathBelow('a', 'b')])
    const rows = flattenTree((id) => round.get(id), open)
    expect(rows.map((row) => row.level)).toEqual([1, 2, 3])
    expect(new Set(rows.map(({ path }) => path)).size).toBe(3)
  })

  it('finds the path of the node above', () => {
    expect(pathAbove(pathBelow(pathBelow('', 'a'), 'b'))).toBe('a')
    expect(pathAbove('a')).toBe('')
  })
})
