import { describe, expect, it } from 'vitest'
import { itemRows } from '#renderer/features/context/item-rows.ts'
import { contextItem } from './context-items.ts'

const out = (ordinal: number) => contextItem({ ordinal, id: `msg_${ordinal}`, included: false, tokens: 10 })
const seen = (ordinal: number) => contextItem({ ordinal, id: `msg_${ordinal}`, included: true })
const NONE = new Set<string>()
const keys = (rows: ReturnType<typeof itemRows>) =>
  rows.map(({ kind, key }) => (kind === 'out' ? key : key.split(' ')[1]))

describe('the list of a window', () => {
  const items = [seen(1), out(2), out(3), out(4), out(5), seen(6), out(7), seen(8)]

  it('folds items in a row that are left out, and counts their tokens', () => {
    const rows = itemRows(items, NONE, null)
    expect(keys(rows)).toEqual(['msg_1', 'out 2 msg_2', 'msg_6', 'msg_7', 'msg_8'])
    expect(rows[1]).toMatchObject({ kind: 'out', tokens: 40 })
  })

  it('lists them when they are unfolded, and the selected one between two folds', () => {
    const all = items.map(({ id }) => id)
    expect(keys(itemRows(items, new Set(['out 1']), null))).toEqual(all)
    const many = [...items.slice(0, 5), ...[10, 11, 12, 13, 14].map(out), seen(15)]
    const rows = itemRows(many, NONE, 'msg_5')
    expect(keys(rows)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5', 'out 10 msg_10', 'msg_15'])
    expect(rows.find(({ kind }) => kind === 'out')).toMatchObject({ fold: 'out 1' })
  })

  it('is empty for an empty window, and one fold where nothing fits', () => {
    expect(itemRows([], NONE, null)).toEqual([])
    expect(keys(itemRows([out(1), out(2), out(3), out(4)], NONE, null))).toEqual(['out 1 msg_1'])
  })
})
