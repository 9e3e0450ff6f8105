import { describe, expect, it } from 'vitest'
import type { LineageTree, NodeCard } from '#core/contract/lineage.ts'
import {
  indentOf,
  type Level,
  type LineageRow,
  pathDown,
  rowsAbove,
  rowsBelow,
  rowsOfAll,
} from '#renderer/features/lineage/lineage-rows.ts'

const tree = (id: string, dependents: LineageTree[] = [], more: Partial<LineageTree> = {}): LineageTree => ({
  id,
  kind: 'condensed',
  depth: 1,
  tokens: 10,
  ...(dependents.length > 0 && { dependents }),
  ...more,
})
const card = (id: string, more: Partial<NodeCard> = {}): NodeCard => ({
  id,
  kind: id.startsWith('msg') ? 'message' : 'leaf',
  conversationId: 1,
  depth: 0,
  role: null,
  seq: null,
  tokens: 10,
  sourceTokens: null,
  messages: 1,
  firstSeq: 1,
  lastSeq: 2,
  createdAtMs: null,
  sources: id.startsWith('msg') ? 0 : 1,
  dependents: 0,
  visibility: 'covered',
  excerpt: '',
  ...more,
})
const shown = (rows: readonly LineageRow[]): string[] =>
  rows.map((row) => {
    const indent = ' '.repeat(row.level - 1)
    if (row.kind === 'loading') return `${indent}…`
    if (row.kind === 'more') return `${indent}+${row.left}`
    return `${indent}${row.node.id}${row.mark === null ? '' : ` (${row.mark})`}`
  })
const level = (nodes: NodeCard[], total = nodes.length): Level => ({ total, nodes, isLoading: false })
const none = () => undefined

describe('the rows above a node', () => {
  it('show its dependents, the furthest on top', () => {
    expect(shown(rowsAbove([tree('d2', [tree('d3', [tree('d4')])])], none))).toEqual(['d4', ' d3', '  d2'])
  })

  it('show several dependents side by side, marked where one is repeated or closes a cycle', () => {
    const rows = rowsAbove(
      [tree('a', [tree('top')]), tree('b', [tree('top', [], { repeated: true }), tree('x', [], { cycle: true })])],
      none,
    )
    expect(shown(rows)).toEqual(['top', ' a', 'top (repeated)', 'x (cycle)', ' b'])
    expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length)
  })

  it('begin with the chain that leads to the node in the window', () => {
    const trees = [tree('a', [tree('top')]), tree('b', [tree('other')])]
    expect(pathDown(trees, 'other').map(({ id }) => id)).toEqual(['other', 'b'])
    expect(pathDown(trees, null).map(({ id }) => id)).toEqual(['top', 'a'])
    expect(pathDown([], 'other')).toEqual([])
  })
})

describe('the rows below a node', () => {
  const levels: Readonly<Record<string, Level>> = {
    top: level([card('a'), card('b')]),
    a: level([card('msg_1'), card('msg_2')], 5),
    b: level([card('a')]),
  }
  const rows = (open: string[], middle = card('top')) => rowsBelow(middle, (id) => levels[id ?? ''], new Set(open), 1)

  it('unfold level by level, and say how much is not shown', () => {
    expect(shown(rows([]))).toEqual(['top', ' a', ' b'])
    expect(shown(rows(['top\na']))).toEqual(['top', ' a', '  msg_1', '  msg_2', '  +3', ' b'])
    expect(shown(rowsBelow(card('far'), none, new Set(), 2))).toEqual([' far', '  …'])
  })

  it('mark a node that stood in the tree before', () => {
    expect(shown(rows(['top\nb']))).toEqual(['top', ' a', ' b', '  a (repeated)'])
  })

  it('end where a cycle comes back to a node', () => {
    const round: Readonly<Record<string, Level>> = { a: level([card('b')]), b: level([card('a')]) }
    const all = rowsBelow(card('a'), (id) => round[id ?? ''], new Set(['a\nb', 'a\nb\na']), 1)
    expect(shown(all)).toEqual(['a', ' b', '  a (cycle)'])
    expect(all.at(-1)).toMatchObject({ canOpen: false })
  })

  it('cannot be unfolded for messages and missing nodes', () => {
    const gone = { missing: level([card('gone', { kind: 'missing', sources: 0 })]) }
    const all = rowsBelow(card('missing'), (id) => gone[id as 'missing'], new Set(), 1)
    expect(all.map((row) => row.kind === 'node' && row.canOpen)).toEqual([true, false])
  })

  it('leave room for the text at any depth', () => {
    expect(indentOf(500)).toBe(indentOf(100))
  })
})

describe('the rows of all summaries', () => {
  const roots = level([card('top'), card('other')], 3)
  const levelOf = (of: string | null) => (of === null ? roots : of === 'top' ? level([card('msg_1')], 1) : undefined)

  it('begin with the summaries from which no other one was made, and say how many are not shown', () => {
    expect(shown(rowsOfAll(levelOf, new Set()))).toEqual(['top', 'other', '+1'])
    expect(shown(rowsOfAll(levelOf, new Set(['top'])))).toEqual(['top', ' msg_1', 'other', '+1'])
    expect(shown(rowsOfAll(levelOf, new Set(['other'])))).toEqual(['top', 'other', ' …', '+1'])
    expect(rowsOfAll(none, new Set()).map(({ kind }) => kind)).toEqual(['loading'])
  })

  it('tell a screen reader the place among the siblings, including those not fetched', () => {
    expect(rowsOfAll(levelOf, new Set())[1]).toMatchObject({ position: 2, setSize: 3 })
  })
})
