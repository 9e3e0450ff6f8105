import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SummaryDag } from '#core/browse/summary-dag.ts'
import { Lineage, LineageGraph, type LineageTree, Neighbourhood, Tree } from '#core/contract/lineage.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { randomLineage, summaryId, writeLineage } from './random-lineage.ts'

const dagOf = (memory: TestMemory): SummaryDag => new SummaryDag(memory.db, new MemoryReader(memory.db))
const around = { up: 2, down: 2, maxPerNode: 12, expanded: [] }

function flat(trees: readonly LineageTree[]): LineageTree[] {
  return trees.flatMap((tree) => [tree, ...flat(tree.sources ?? []), ...flat(tree.dependents ?? [])])
}

/** Six messages, three leaves, two of them under one condensed summary. */
function threeLeaves() {
  const memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, 6)
  const leaves = [0, 2, 4].map((at) => memory.leaf(1, ids.slice(at, at + 2), { content: `leaf ${at}`, tokens: 3 }))
  const top = memory.condensed(1, leaves.slice(0, 2), { content: 'top', tokens: 4 })
  return { memory, leaves, top }
}

it('the tree begins at the summaries without dependents', () => {
  const { memory, leaves, top } = threeLeaves()
  const leaf = (index: number): LineageTree => ({
    ...{ id: leaves[index] ?? '', kind: 'leaf', depth: 0, tokens: 3 },
    ...{ messageCount: 2, firstSeq: index * 2, lastSeq: index * 2 + 1 },
  })
  expect(dagOf(memory).tree(1).roots).toEqual([
    { id: top, kind: 'condensed', depth: 1, tokens: 4, firstSeq: 0, lastSeq: 3, sources: [leaf(0), leaf(1)] },
    leaf(2),
  ])
  memory.close()
})

it('names messages and summaries by how their texts begin, numbers messages, and leaves out what is not in the file', () => {
  using memory = buildMemory({
    conversations: [
      {
        messages: [
          { content: 'What shall we do about it now?' },
          { content: '…' },
          { content: '🚀 🎉' },
          { content: '✅\nAll tests pass' },
        ],
      },
    ],
  })
  const leaf = memory.leaf(1, [1, 2], { content: '2026-03-02 08:29Z assistant: Set the retries to one. Then wait.' })
  expect(dagOf(memory).names(['msg_1', 'msg_2', 'msg_3', 'msg_4', leaf, 'sum_gone', 'msg_77']).names).toEqual([
    { id: 'msg_1', name: 'What shall we do about it now?', number: 1 },
    { id: 'msg_2', name: null, number: 2 },
    { id: 'msg_3', name: '🚀 🎉', number: 3 },
    { id: 'msg_4', name: 'All tests pass', number: 4 },
    { id: leaf, name: 'Set the retries to one. Then wait', number: null },
  ])
})

it('the tree contains every summary with its sources exactly once, for any lineage', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      const tree = Tree.parse(dagOf(memory).tree(1))
      const walked = flat(tree.roots).filter((node) => !node.cycle && !node.repeated && node.kind !== 'missing')
      const count = lineage.leaves.length + lineage.condensed
      const withSources = walked.filter((node) => (node.sources?.length ?? 0) > 0)
      expect(new Set(withSources.map((node) => node.id)).size).toBe(withSources.length)
      expect([...new Set(walked.map((node) => node.id))].sort()).toEqual(
        Array.from({ length: count }, (_, place) => summaryId(place)),
      )
      const expected = lineage.edges.filter(([from]) => from < count)
      expect(withSources.flatMap((node) => node.sources ?? []).length).toBe(expected.length)
      // Cycles, what comes again and what is missing included.
      const mute = flat(tree.roots).filter((node) => node.sources === undefined && node.messageCount === undefined)
      expect(mute).toEqual([])
    }),
    { numRuns: runs(25) },
  )
})

it('every node of every damaged lineage has a lineage and a neighbourhood', () => {
  fc.assert(
    fc.property(randomLineage, fc.nat(10), (lineage, seed) => {
      using memory = writeLineage(lineage)
      const dag = dagOf(memory)
      const count = lineage.leaves.length + lineage.condensed
      const ids = [
        ...Array.from({ length: count }, (_, place) => summaryId(place)),
        ...Array.from({ length: lineage.messages }, (_, place) => `msg_${place + 1}`),
      ]
      const id = ids[seed % Math.max(1, ids.length)]
      if (id === undefined) return
      expect(Lineage.parse(dag.lineage(id)).id).toBe(id)
      const near = Neighbourhood.parse(dag.neighbourhood({ id, ...around, up: 8, down: 8, maxPerNode: 200 }))
      const shown = new Set(near.nodes.map((node) => node.id))
      expect(shown.size).toBe(near.nodes.length)
      for (const edge of near.edges) expect([shown.has(edge.from), shown.has(edge.to)]).toEqual([true, true])
    }),
    { numRuns: runs(25) },
  )
})

it('the lineage marks where a cycle closes, and goes on', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, 2)
  const leaf = memory.leaf(1, ids, { id: 'sum_leaf' })
  memory.condensed(1, [leaf], { id: 'sum_a' })
  memory.condensed(1, ['sum_a'], { id: 'sum_b' })
  memory.db.run("INSERT INTO summary_sources VALUES ('sum_a', 'sum_b', 1)")
  const [root] = dagOf(memory).tree(1).roots
  expect(root?.id).toBe('sum_b')
  expect(flat(root ? [root] : []).map(({ id, cycle }) => [id, cycle ?? false])).toEqual([
    ['sum_b', false],
    ['sum_a', false],
    ['sum_leaf', false],
    ['sum_b', true],
  ])
  expect(flat(root ? [root] : []).at(-1)).toMatchObject({ id: 'sum_b', messageCount: 2 })
  const { edges } = dagOf(memory).neighbourhood({ id: 'sum_a', ...around })
  expect(edges.filter((edge) => edge.state === 'cycle').map(({ from, to }) => [from, to])).toEqual([
    ['sum_a', 'sum_b'],
    ['sum_b', 'sum_a'],
  ])
  expect(
    dagOf(memory)
      .lineage('sum_a')
      .sources.map(({ id }) => id),
  ).toEqual(['sum_leaf', 'sum_b'])
})

it('a node without a row is shown as missing', () => {
  const { memory, leaves, top } = threeLeaves()
  memory.damage('DELETE FROM summaries WHERE summary_id = :id', { id: leaves[0] ?? '' })
  const dag = dagOf(memory)
  expect(flat(dag.tree(1).roots).find((node) => node.id === leaves[0])?.kind).toBe('missing')
  const near = dag.neighbourhood({ id: top, ...around })
  expect(near.nodes.find((node) => node.id === leaves[0])?.kind).toBe('missing')
  expect(near.edges.find((edge) => edge.to === leaves[0])?.state).toBe('dangling')
  expect(dag.neighbourhood({ id: leaves[0] ?? '', ...around }).nodes.map((node) => node.id)).toContain(top)
  memory.close()
})

it('the lineage goes in both directions: messages of a leaf, leaves above a message', () => {
  const { memory, leaves, top } = threeLeaves()
  const dag = dagOf(memory)
  expect(dag.lineage(leaves[0] ?? '')).toMatchObject({
    sources: [
      { id: 'msg_1', kind: 'message' },
      { id: 'msg_2', kind: 'message' },
    ],
    dependents: [{ id: top, kind: 'condensed' }],
    coveredBy: [top],
    inContext: false,
  })
  expect(dag.lineage('msg_3')).toMatchObject({
    sources: [],
    dependents: [{ id: leaves[1], dependents: [{ id: top }] }],
    coveredBy: [leaves[1], top],
    inContext: false,
  })
  expect(dag.lineage(top)).toMatchObject({ sources: [{ messageCount: 2 }, { messageCount: 2 }], inContext: true })
  expect(() => dag.lineage('sum_x')).toThrowError(expect.objectContaining({ code: 'not_found' }))
  memory.close()
})

it('the tree is read level by level in pages', () => {
  const { memory, leaves, top } = threeLeaves()
  const dag = dagOf(memory)
  const level = (of: string | null, offset = 0, limit = 10) => {
    const { total, nodes } = dag.treeLevel({ conversationId: 1, of, offset, limit })
    return [total, nodes.map((node) => node.id)]
  }
  expect(level(null)).toEqual([2, [top, leaves[2]]])
  expect(level(null, 1)).toEqual([2, [leaves[2]]])
  expect(level(top)).toEqual([2, leaves.slice(0, 2)])
  expect(level(leaves[1] ?? '', 1, 1)).toEqual([2, ['msg_4']])
  expect(level('msg_1')).toEqual([0, []])
  memory.close()
})

it('the graph of a conversation has every summary in the order of the history, and the links between them', () => {
  const { memory, leaves, top } = threeLeaves()
  const { nodes, links } = LineageGraph.parse(dagOf(memory).graph(1))
  expect(nodes.id).toEqual([leaves[0], top, leaves[1], leaves[2]])
  expect(nodes.inWindow).toEqual([0, 1, 0, 1])
  expect(nodes.messages).toEqual([2, 4, 2, 2])
  expect(links).toEqual({ from: [1, 1], to: [0, 2], isCycle: [0, 0] })
  memory.close()
})

it('the graph has every stored link once, and marks those whose ends reach each other', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      const { nodes, links } = LineageGraph.parse(dagOf(memory).graph(1))
      const count = lineage.leaves.length + lineage.condensed
      // Nothing is known of the sources of a summary that is not in the file.
      const stored = lineage.edges.filter(([from]) => from < count)
      const reaches = (from: number, goal: number): boolean => {
        const seen = new Set<number>()
        const waiting = stored.flatMap(([a, b]) => (a === from ? b : []))
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
          if (next === goal) return true
          if (seen.has(next)) continue
          seen.add(next)
          for (const [a, b] of stored) if (a === next) waiting.push(b)
        }
        return false
      }
      const shown = links.from.map((from, at) => {
        const to = links.to[at] ?? -1
        return `${nodes.id[from]} ${nodes.id[to]} ${links.isCycle[at]}`
      })
      const wanted = stored.map(([a, b]) => `${summaryId(a)} ${summaryId(b)} ${reaches(b, a) || a === b ? 1 : 0}`)
      expect(shown.sort()).toEqual(wanted.sort())
      expect(new Set(nodes.id).size).toBe(nodes.id.length)
    }),
  )
})

it('a neighbourhood is cut to the requested size, and the rest is counted', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, 30)
  const leaf = memory.leaf(1, ids)
  const near = dagOf(memory).neighbourhood({ id: leaf, ...around, maxPerNode: 5 })
  expect(near.nodes.map((node) => node.id)).toEqual([leaf, 'msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'])
  expect(near.more).toEqual([{ id: leaf, direction: 'sources', count: 25 }])
  const whole = dagOf(memory).neighbourhood({ id: 'msg_9', ...around, maxPerNode: 5, expanded: [leaf] })
  expect([whole.nodes.length, whole.more]).toEqual([31, []])
})

it('the lineage walks a chain of 10,000 summaries, and is cut where it could not be sent', () => {
  using memory = buildMemory({ conversations: [{}] })
  const [message] = memory.messages(1, 1)
  memory.leaf(1, [message ?? 1], { id: 'sum_0', inWindow: false })
  memory.db.transaction(() => {
    for (let i = 1; i < 10_000; i += 1) {
      memory.condensed(1, [`sum_${i - 1}`], { id: `sum_${i}`, depth: i, inWindow: false })
    }
  })
  const dag = dagOf(memory)
  const { roots } = Tree.parse(JSON.parse(JSON.stringify(dag.tree(1))))
  const nodes = flat(roots)
  expect([roots.length, nodes.at(-1)?.cut]).toEqual([1, true])
  expect(dag.lineage('msg_1').coveredBy.length).toBe(10_000)
  expect(dag.neighbourhood({ id: 'sum_500', ...around, up: 8, down: 8 }).nodes.length).toBe(17)
})
