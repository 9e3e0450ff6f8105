import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { runs } from '#test/builders/property-runs.ts'

type Link = readonly [id: string, parent: string | null | undefined, isSpoken?: boolean]

function graphOf(links: readonly Link[]): RecordGraph {
  const graph = new RecordGraph()
  for (const [id, parent, isSpoken = true] of links) graph.add(id, parent, { isSpoken })
  graph.finish()
  return graph
}

const live = (graph: RecordGraph, links: readonly Link[]): string[] =>
  links.map(([id]) => id).filter((id) => graph.isLive(id))

describe('the graph of records', () => {
  it('keeps a child that was written before its parent, and what hangs on the last record', () => {
    const links: Link[] = [
      ['prompt', null],
      ['attachment', 'question'],
      ['question', 'prompt'],
      ['answer', 'attachment'],
    ]
    expect(live(graphOf(links), links)).toEqual(['prompt', 'attachment', 'question', 'answer'])
    const late: Link[] = [
      ['prompt', null],
      ['notice', 'answer'],
      ['answer', 'prompt'],
    ]
    expect(live(graphOf(late), late)).toEqual(['prompt', 'notice', 'answer'])
  })

  it('gives up what stands beside the path to the leaf, and lists it as a branch', () => {
    const links: Link[] = [
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'a'],
    ]
    const graph = graphOf(links)
    expect(live(graph, links)).toEqual(['a', 'd'])
    expect(graph.branchOf('c')).toEqual(new Set(['c', 'b']))
    expect(graph.branchOf('d')).toEqual(new Set())
  })

  it('lets a record follow the one before it when its parent was never written', () => {
    const links: Link[] = [
      ['a', null],
      ['b', 'a'],
      ['c', 'nowhere'],
      ['d', 'c'],
    ]
    const graph = graphOf(links)
    expect(live(graph, links)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('follows a reference to a record that is no message to the next message on the path', () => {
    const links: Link[] = [
      ['old', null],
      ['label', 'old', false],
      ['kept', 'label'],
      ['compaction', 'kept', false],
      ['after', 'compaction'],
    ]
    const graph = graphOf(links)
    expect(graph.messageFrom('label')).toBe('kept')
    expect(graph.messageFrom('kept')).toBe('kept')
    expect(graph.messageFrom('compaction')).toBe('after')
    expect(graph.messageFrom('unknown')).toBeNull()
  })

  it('ends with records that name each other or themselves as parents', () => {
    const links: Link[] = [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'c'],
    ]
    expect(live(graphOf(links), links)).toContain('c')
  })

  it('gives up nothing of a chain, in whichever order its records were written before the last one', () => {
    const chain = fc.integer({ min: 1, max: 12 }).chain((count) => {
      const links = Array.from({ length: count }, (_, at): Link => [`r${at}`, at === 0 ? null : `r${at - 1}`])
      return fc.tuple(fc.constant(links), fc.shuffledSubarray(links, { minLength: count, maxLength: count }))
    })
    fc.assert(
      fc.property(chain, ([links, written]) => {
        expect(live(graphOf(written), links)).toEqual(links.map(([id]) => id))
      }),
      { numRuns: runs(100) },
    )
  })

  it('ends, and has a path without a record twice, whatever records say of their parents', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const link = fc.tuple(id, fc.option(fc.option(id), { nil: undefined }), fc.boolean())
    fc.assert(
      fc.property(fc.array(link, { maxLength: 12 }), (links) => {
        const graph = graphOf(links)
        if (links.length > 0) expect(links.some(([name]) => graph.isLive(name))).toBe(true)
        for (const [name] of links) {
          expect(graph.branchOf(name).has(name)).toBe(!graph.isLive(name))
          const message = graph.messageFrom(name)
          if (message !== null) expect(graph.isLive(message)).toBe(true)
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
