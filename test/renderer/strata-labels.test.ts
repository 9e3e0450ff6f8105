import { describe, expect, it } from 'vitest'
import { coreText } from '#renderer/features/strata/core-drill.ts'
import { drawStrata } from '#renderer/features/strata/draw-strata.ts'
import type { Scene } from '#renderer/features/strata/scene.ts'
import { filterText, parseFilter } from '#renderer/features/strata/strata-filter.ts'
import { sceneOf, strataOf } from './strata-builder.ts'

const words = (scene: Scene): readonly string[] =>
  drawStrata(scene).plot.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []))

const atMs = new Date(2026, 1, 17, 15, 47).getTime()
const run = (x: number, runId: string) => ({ x, runId, atMs })
const history = (runs: readonly ReturnType<typeof run>[] = []) =>
  strataOf(
    [
      { depth: 1, x0: 0, x1: 50, inWindow: true },
      { depth: 0, x0: 0, x1: 25 },
      { depth: 0, x0: 25, x1: 50 },
      { depth: 0, x0: 50, x1: 75, inWindow: true },
    ],
    { extent: 100, runs: [...runs] },
  )

describe('the words in bars', () => {
  it('name what would turn the direction of what stands around them', () => {
    const strata = history()
    const names = new Map(strata.summaries.id.map((id) => [id, '\u202eesrever']))
    expect(words(sceneOf(strata, { names }))).toContain('⟨RLO⟩esrever')
    expect(words(sceneOf(strata, { names })).some((text) => text.includes('\u202e'))).toBe(false)
  })
})

describe('the labels of runs', () => {
  const facts = 'threshold · 8 summaries · 16.2 k → 2.4 k tokens'
  const runFacts = new Map([['run_a', { name: null, text: facts }]])

  it('say of a run that only pruned that it did', () => {
    const pruned = new Map([['run_a', { name: 'pruned', text: '3 k → 2 k tokens' }]])
    const scene = sceneOf(history([run(10, 'run_a'), run(90, 'run_b')]), { runFacts: pruned })
    expect(words(scene)).toContain('pruned · Feb 17, 15:47 · 3 k → 2 k tokens')
  })

  it('say what is known of a run where there is room until the next one', () => {
    const scene = sceneOf(history([run(10, 'run_a'), run(90, 'run_b')]), { runFacts })
    expect(words(scene)).toContain('compaction 1 · Feb 17, 15:47 · threshold · 8 summaries · 16.2 k → 2.4 k tokens')
  })

  it('say less where there is less room, and nothing where there is none', () => {
    const scene = sceneOf(history([run(10, 'run_a'), run(35, 'run_b'), run(36, 'run_c')]), { runFacts })
    expect(words(scene).filter((text) => text.startsWith('compaction'))).toEqual([
      'compaction 1 · Feb 17, 15:47',
      'compaction 3 · Feb 17, 15:47',
    ])
  })

  it('name the nearest runs out of sight at the edges', () => {
    const runs = [run(10, 'run_a'), run(30, 'run_b'), run(90, 'run_c')]
    const scene = sceneOf(history(runs), { runFacts, viewport: { x0: 40, x1: 60 } })
    expect(words(scene).filter((text) => text.includes('compaction'))).toEqual(['‹ compaction 2', 'compaction 3 ›'])
    // Where a run in sight stands at the edge, the next one is not written over it.
    const full = sceneOf(history([...runs, run(59.5, 'run_d')]), { runFacts, viewport: { x0: 40, x1: 60 } })
    expect(words(full).filter((text) => text.includes('compaction'))).toEqual(['‹ compaction 2'])
  })
})

describe('the labels of findings', () => {
  const finding = (entry: number | null, x0: number, x1: number, label: string) => ({
    ...{ id: `found ${label}`, severity: 'warning' as const, label, x0, x1, entry },
  })

  it('stand where the finding is', () => {
    const findings = [finding(0, 0, 25, 'token drift'), finding(null, 80, 81, 'message duplicate')]
    expect(words(sceneOf(history(), { findings }))).toEqual(['token drift', 'message duplicate'])
  })

  it('do not overlap', () => {
    const findings = [finding(0, 0, 25, 'token drift'), finding(1, 1, 50, 'depth mismatch')]
    expect(words(sceneOf(history(), { findings }))).toEqual(['token drift'])
  })
})

describe('the core drill', () => {
  const layer = (entry: number | null, depth: number | null, kept: number) => ({
    ...{ entry, depth, kept, details: 7, state: kept > 0 ? ('partly' as const) : ('dropped' as const) },
  })
  const core = { x0: 10, x1: 11, layers: [layer(0, 0, 5), layer(3, 1, 3), layer(null, null, 0)] }
  const selected = { x0: 10, x1: 11, entry: null, depth: -1 }

  it('says at every layer above a message how much of it stands there', () => {
    expect(words(sceneOf(history(), { core, selected }))).toEqual(['◐ 5 of 7', '◐ 3 of 7', '⊘ 0 of 7'])
    expect(coreText(core)?.replaceAll('\u00a0', ' ')).toBe(
      'Of 7 details: 5 in first summaries, 3 in depth 1, 0 in the window',
    )
  })

  it('lights the summaries on the way, and dims the others', () => {
    const scene = sceneOf(history(), { core, selected })
    const shapes = drawStrata(scene).plot.shapes.filter((shape) => shape.kind === 'rect')
    const leaves = shapes.filter(({ fill, h }) => fill === scene.palette.leaf && h > 4)
    expect(leaves.map(({ opacity }) => opacity)).toEqual([1, 0.2, 0.2])
  })

  it('is silent about a message without details', () => {
    const none = { ...core, layers: core.layers.map((each) => ({ ...each, details: 0, kept: 0 })) }
    expect(coreText(none)).toBeNull()
  })
})

describe('the filter of the strata', () => {
  it('leaves what it hides faint in its place', () => {
    const opacities = (filter: Scene['filter']) => {
      const scene = sceneOf(history(), { filter })
      const shapes = drawStrata(scene).plot.shapes.filter((shape) => shape.kind === 'rect')
      return [scene.palette.d1, scene.palette.leaf].map((color) =>
        Math.max(...shapes.filter(({ fill, h }) => fill === color && h > 4).map(({ opacity = 1 }) => opacity)),
      )
    }
    expect(opacities(parseFilter(null))).toEqual([1, 1])
    expect(opacities(parseFilter('leaf'))).toEqual([0.12, 1])
    expect(opacities(parseFilter('condensed.in-the-window'))).toEqual([1, 0.12])
  })

  it('is given back by the address', () => {
    expect(filterText(parseFilter('tool.leaf.in-the-window.nothing'))).toBe('tool.leaf.in-the-window')
    expect(filterText(parseFilter(null))).toBeNull()
  })
})
