import type { Links } from './links.ts'
import type { Summaries } from './summaries.ts'

/**
 * The links between summaries, with each source listed once. An id that a link names but that is not in the file gets a
 * missing node, numbered after the summaries: there the lineage breaks.
 */
export class Lineage {
  /** The sources of each node, in the order in which the summary lists them. */
  readonly sources: readonly (readonly number[])[]
  readonly dependents: readonly (readonly number[])[]
  readonly #summaries: Summaries
  /** The ids of the missing nodes. */
  readonly #missing: readonly string[]

  constructor(summaries: Summaries, links: Links) {
    this.#summaries = summaries
    const missing = missingNodes(summaries, links)
    this.#missing = [...missing.keys()]
    if (missing.size === 0 && !repeatsSources(links)) {
      this.sources = links.sources
      this.dependents = links.dependents
      return
    }
    const length = summaries.length + missing.size
    const sources: number[][] = Array.from({ length }, () => [])
    const dependents: number[][] = Array.from({ length }, () => [])
    const known = new Set<number>()
    for (const { owner, source } of edgesOf(summaries, links, missing)) {
      const edge = owner * length + source
      if (known.has(edge)) continue
      known.add(edge)
      dependents[source]?.push(owner)
      // Nothing is known of the sources of a missing summary, so links that it owns are left out of `sources`.
      if (owner < summaries.length) sources[owner]?.push(source)
    }
    this.sources = sources
    this.dependents = dependents
  }

  /** Whether a node stands for an id that a link names but that is not in the file. */
  isMissing(node: number): boolean {
    return node >= this.#summaries.length
  }

  idOf(node: number): string {
    return this.#missing[node - this.#summaries.length] ?? this.#summaries.at(node).id
  }
}

const summaryLinks = ({ broken }: Links) => broken.filter(({ kind }) => kind === 'summary')

function missingNodes(summaries: Summaries, links: Links): Map<string, number> {
  const missing = new Map<string, number>()
  for (const { summaryId, sourceId } of summaryLinks(links)) {
    for (const id of [summaryId, sourceId]) {
      if (summaries.nodeOf(id) < 0 && !missing.has(id)) missing.set(id, summaries.length + missing.size)
    }
  }
  return missing
}

function repeatsSources({ sources }: Links): boolean {
  const lastOwner = new Int32Array(sources.length).fill(-1)
  return sources.some((all, owner) =>
    all.some((source) => {
      const isRepeated = lastOwner[source] === owner
      lastOwner[source] = owner
      return isRepeated
    }),
  )
}

type Edge = { readonly owner: number; readonly source: number; readonly place: number }

/** Returns all links between summaries, ordered by the index of the source in its list. */
function edgesOf(summaries: Summaries, links: Links, missing: ReadonlyMap<string, number>): Edge[] {
  const nodeOf = (id: string): number => missing.get(id) ?? summaries.nodeOf(id)
  const edges: Edge[] = summaryLinks(links).map(({ summaryId, sourceId, place }) => ({
    owner: nodeOf(summaryId),
    source: nodeOf(sourceId),
    place,
  }))
  links.sources.forEach((sources, owner) => {
    const taken = new Set(links.brokenOf(owner).flatMap(({ kind, place }) => (kind === 'summary' ? place : [])))
    let place = 0
    for (const source of sources) {
      while (taken.has(place)) place += 1
      edges.push({ owner, source, place })
      place += 1
    }
  })
  return edges.sort((a, b) => a.place - b.place || a.owner - b.owner)
}
