import { describe, expect, it } from 'vitest'
import { barFill, legendOf, mergedFacts } from '#renderer/features/strata/bar-color.ts'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { drawStrata } from '#renderer/features/strata/draw-strata.ts'
import { layoutRows } from '#renderer/features/strata/row-layout.ts'
import { DIMMED, OF_SELECTION, type Scene } from '#renderer/features/strata/scene.ts'
import type { Rect, Shape } from '#renderer/features/strata/shapes.ts'
import { axisTicks, niceStep } from '#renderer/features/strata/ticks.ts'
import { toSvg } from '#renderer/features/strata/to-svg.ts'
import { messageColumns, sceneOf, strataOf } from './strata-builder.ts'

const rects = (shapes: readonly Shape[]): readonly Rect[] => shapes.filter((shape) => shape.kind === 'rect')
const texts = (shapes: readonly Shape[]): readonly string[] =>
  shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []))

/** Bars of the row of a depth. */
function barsOf(scene: Scene, depth: number): readonly Rect[] {
  const band = scene.rows.depths.find((each) => each.depth === depth)
  return rects(drawStrata(scene).plot.shapes).filter(
    ({ y, h, stroke }) => band && stroke === undefined && y >= band.y && y + h <= band.y + band.h + 0.1,
  )
}

const history = strataOf(
  [
    { depth: 1, x0: 0, x1: 50, inWindow: true },
    { depth: 0, x0: 0, x1: 25 },
    { depth: 0, x0: 25, x1: 50 },
    { depth: 0, x0: 50, x1: 75, inWindow: true },
  ],
  { extent: 100, freshTailX: 90 },
)

describe('the legend of ages', () => {
  const legend = (oldestMs: number, newestMs: number) =>
    legendOf('age', sceneOf(history).palette, { oldestMs, newestMs }, [
      (at) => `day ${Math.floor(at / 100)}`,
      (at) => `at ${at}`,
    ])

  it('has unlike ends, in the shortest form that tells them apart', () => {
    expect(legend(0, 250)).toMatchObject({ kind: 'scale', from: 'made day 0', to: 'day 2' })
    expect(legend(10, 20)).toMatchObject({ kind: 'scale', from: 'made at 10', to: 'at 20' })
  })

  it('has one label when all summaries are of one age', () => {
    expect(legend(10, 10)).toMatchObject({ kind: 'names', entries: [{ label: 'all made at 10' }] })
  })
})

describe('the drawn strata', () => {
  it('show what the model sees in full colour and dim the rest', () => {
    expect(barsOf(sceneOf(history), 0).map(({ opacity }) => opacity)).toEqual([DIMMED, DIMMED, 1])
    expect(barsOf(sceneOf(history), 1).map(({ opacity }) => opacity)).toEqual([1])
  })

  it('highlight the sources of the selection, outline it and shade its column', () => {
    const scene = sceneOf(history, { selected: { x0: 0, x1: 50, entry: 3, depth: 1 } })
    expect(barsOf(scene, 0).map(({ opacity }) => opacity)).toEqual([OF_SELECTION, OF_SELECTION, 1])
    const shapes = rects(drawStrata(scene).plot.shapes)
    expect(shapes.filter(({ stroke }) => stroke === scene.palette.text)).toHaveLength(1)
    const column = shapes.find(({ opacity }) => opacity === 0.14)
    expect(column).toMatchObject({ x: scene.rows.plot.left, w: scene.rows.plot.width / 2 })
  })

  it('mark what is pinned or noted: a dot on the edge of its bar, or over its message', () => {
    const notes = [
      { x0: 50, x1: 75, entry: 2 },
      { x0: 80, x1: 81, entry: null },
    ]
    const scene = sceneOf(history, { notes })
    const dots = drawStrata(scene).plot.shapes.filter(
      (shape) => shape.kind === 'dot' && shape.form === 'circle' && shape.radius === 3,
    )
    const { left, width } = scene.rows.plot
    expect(dots).toHaveLength(2)
    expect(dots.map(({ kind, ...dot }) => ('x' in dot ? Math.floor(((dot.x - left) / width) * 100) : 0))).toEqual([
      74, 80,
    ])
    expect(drawStrata(sceneOf(history, { notes, replay: null })).plot.shapes).toContainEqual(dots[0])
  })

  it('need a limited number of shapes for any number of summaries', () => {
    const leaves = Array.from({ length: 20_000 }, (_, i) => ({ x0: i * 10, x1: i * 10 + 10, inWindow: i % 7 === 0 }))
    const scene = sceneOf(strataOf(leaves), { overview: toBuckets(messageColumns(0, 200_000), { x0: 0, x1: 200_000 }) })
    expect(drawStrata(scene).plot.shapes.length).toBeLessThan(2000)
  })

  it('draw the largest message of a column at the same height at every zoom', () => {
    const strata = strataOf([], { extent: 2000 })
    const overview = toBuckets(
      messageColumns(0, 2000, (entry) => (entry === 700 ? 5000 : 40)),
      { x0: 0, x1: 2000 },
    )
    const tallest = (scene: Scene) =>
      Math.max(
        ...rects(drawStrata(scene).plot.shapes)
          .filter(({ y }) => y >= scene.rows.messages.y)
          .map(({ h }) => h),
      )
    const far = sceneOf(strata, { overview, largestTokens: 5000 })
    const close = sceneOf(strata, { overview, largestTokens: 5000, viewport: { x0: 690, x1: 710 } })
    expect(tallest(far)).toBe(far.rows.messages.h)
    expect(tallest(close)).toBe(close.rows.messages.h)
  })

  it('say that there are no summaries yet, and draw the messages all the same', () => {
    const list = drawStrata(sceneOf(strataOf([], { extent: 40 })))
    expect(texts(list.frame)).toContain('no summaries yet')
    expect(rects(list.plot.shapes)).toHaveLength(40)
  })

  it('name the fresh tail where it begins, and not when there is none', () => {
    expect(texts(drawStrata(sceneOf(history)).frame)).toContain('newest messages')
    const none = sceneOf({ ...history, freshTailX: history.extent })
    expect(texts(drawStrata(none).frame)).not.toContain('newest messages')
  })

  it('say in words how many messages are in no summary', () => {
    const marks = [{ kind: 'uncovered' as const, x0: 30, x1: 33, messages: 3, firstId: 'msg_31' }]
    const list = drawStrata(sceneOf({ ...history, marks }))
    expect(texts(list.plot.shapes)).toContain('3\u00a0messages in no summary')
    expect(list.plot.shapes.filter((shape) => shape.kind === 'dot' && shape.form === 'diamond')).toHaveLength(1)
  })

  it('merge marks that lie on each other and add up their messages', () => {
    const marks = [30, 30.5].map((x0) => ({
      kind: 'uncovered' as const,
      x0,
      x1: x0 + 0.5,
      messages: 2,
      firstId: 'msg_31',
    }))
    expect(texts(drawStrata(sceneOf({ ...history, marks })).plot.shapes)).toEqual(['4\u00a0messages in no summary'])
  })
})

describe('the colour of a bar', () => {
  const { palette } = sceneOf(history)
  const facts = { depth: 1, tokens: 100, sourceTokens: 2500, createdAtMs: 5, level: 0 }
  const age = { oldestMs: 0, newestMs: 10 }

  it('is the one of its depth, and the same from depth 3 on', () => {
    expect(barFill('depth', facts, palette, age)).toBe(palette.d1)
    expect(barFill('depth', { ...facts, depth: 9 }, palette, age)).toBe(palette.d3)
  })

  it('is the one of an error when a summary is larger than its sources', () => {
    expect(barFill('compression', { ...facts, sourceTokens: 60 }, palette, age)).toBe(palette.error)
  })

  it('is neutral when the file does not say what it stands for', () => {
    expect(barFill('age', { ...facts, createdAtMs: null }, palette, age)).toBe(palette.dim)
    expect(barFill('compression', { ...facts, sourceTokens: 0 }, palette, age)).toBe(palette.dim)
    expect(barFill('level', { ...facts, level: 3 }, palette, age)).toBe(palette.dim)
  })

  it('follows from all merged bars together', () => {
    const merged = mergedFacts(history.summaries, [0, 1, 2], { first: 0, last: 2 })
    expect(merged).toMatchObject({ tokens: 300, sourceTokens: 7500, createdAtMs: 2000, level: 0 })
  })
})

describe('the overview below the strata', () => {
  const bars = (scene: Scene): readonly Rect[] => {
    const { y, h } = scene.rows.overview
    return rects(drawStrata(scene).frame).filter((bar) => bar.y > y && bar.y + bar.h < y + h && bar.h < h - 2)
  }

  it('shows the layers over each other, deepest on top, and the window below them', () => {
    const window = [
      { x0: 0, x1: 75, id: 'sum_1', depth: 1, items: 1, tokens: 100 },
      { x0: 75, x1: 100, id: null, depth: -1, items: 25, tokens: 2500 },
    ]
    const scene = sceneOf({ ...history, window })
    const { palette } = scene
    const layers = bars(scene)
    const of = (fill: string) => layers.filter((bar) => bar.fill === fill)
    const { left, width } = scene.rows.plot
    const shares = (list: readonly Rect[]) =>
      list.map(({ x, w }) => [Math.round(((x - left) / width) * 100), Math.round((w / width) * 100)])
    expect(shares(of(palette.d1))).toEqual([[0, 50]])
    expect(shares(of(palette.leaf))).toEqual([
      [0, 25],
      [25, 25],
      [50, 25],
    ])
    // Only what the window holds is bright.
    expect(of(palette.leaf).map(({ opacity }) => opacity)).toEqual([DIMMED, DIMMED, 1])
    expect(shares(of(palette.tool))).toEqual([[75, 25]])
    expect(shares(of(palette.lit)).map(([from]) => from)).toEqual([0, 75])
    const [deep, leaf, lit] = [palette.d1, palette.leaf, palette.lit].map((fill) => of(fill)[0]?.y ?? 0)
    expect(deep).toBeLessThan(leaf ?? 0)
    expect(leaf).toBeLessThan(lit ?? 0)
  })

  it('joins what is too narrow, whatever part of the history is in sight', () => {
    const leaves = Array.from({ length: 20_000 }, (_, at) => ({ x0: at * 10, x1: at * 10 + 10, inWindow: at > 15_000 }))
    const far = bars(sceneOf(strataOf(leaves)))
    const close = bars(sceneOf(strataOf(leaves), { viewport: { x0: 1000, x1: 1200 } }))
    expect(far.length).toBeLessThan(10)
    expect(far.map(({ opacity }) => opacity)).toEqual([DIMMED, 1])
    expect(close).toEqual(far)
  })
})

describe('the rows of the strata', () => {
  const layout = (height: number, depths: readonly number[]) =>
    layoutRows({ width: 900, height, depths, hasMarks: true, hasRuns: true })

  it('have names in words, in fewer of them where the drawing is narrow', () => {
    const namesAt = (width: number) => {
      const { names, depths } = layoutRows({ width, height: 380, depths: [1, 0], hasMarks: true, hasRuns: true })
      return [names.window, ...depths.map(({ label }) => label), names.messages]
    }
    expect(namesAt(1200)).toEqual(['the model sees', 'summaries, depth 1', 'first summaries', 'messages'])
    expect(namesAt(640)).toEqual(['window', 'depth 1', 'first', 'messages'])
  })

  it('stand one below the other and end above the bottom', () => {
    for (const height of [260, 380, 700]) {
      const { window, depths, marks, messages, axisY, runs, overview, height: needed } = layout(height, [3, 2, 1, 0])
      const bands = [window, ...depths, marks, messages, { y: axisY, h: 0 }, runs, overview, { y: needed, h: 0 }]
      for (const [order, band] of bands.entries()) {
        const below = bands[order + 1]
        if (below) expect(band.y + band.h).toBeLessThanOrEqual(below.y)
      }
    }
  })

  it('ask for more height rather than leave a depth out', () => {
    const many = layout(
      300,
      Array.from({ length: 60 }, (_, i) => 59 - i),
    )
    expect(many.depths).toHaveLength(60)
    expect(many.height).toBeGreaterThan(600)
  })
})

describe('the axis of the strata', () => {
  const scale = { x0: 0, x1: 100, left: 0, width: 800 }
  const day = (date: number, hour = 0) => new Date(2026, 1, date, hour).getTime()
  const base = { axis: 'messages' as const, originMs: day(11), scale, nowMs: day(18, 12) }

  it('labels days by date, and today by its name', () => {
    const ticks = [11, 14, 18].map((date, i) => ({ x: i * 40, atMs: day(date) }))
    expect(axisTicks({ ...base, ticks }).map(({ label }) => label)).toEqual(['Feb 11', 'Feb 14', 'today'])
  })

  it('names the day once when several hours of it follow each other', () => {
    const ticks = [9, 12, 15].map((hour, i) => ({ x: i * 40, atMs: day(11, hour) }))
    expect(axisTicks({ ...base, ticks }).map(({ label }) => label)).toEqual(['Feb 11 09:00', '12:00', '15:00'])
  })

  it('leaves out labels that would touch', () => {
    const ticks = Array.from({ length: 24 }, (_, i) => ({ x: i * 4, atMs: day(11, i) }))
    const all = axisTicks({ ...base, ticks })
    expect(all).toHaveLength(24)
    const px = all.filter(({ label }) => label !== '').map((tick) => tick.px)
    for (const [order, at] of px.entries()) if (order > 0) expect(at - (px[order - 1] ?? 0)).toBeGreaterThanOrEqual(72)
  })

  it('counts messages when no clock time is in sight', () => {
    const labels = (x0: number, x1: number, axis: 'messages' | 'tokens' = 'messages') =>
      axisTicks({ ...base, axis, scale: { ...scale, x0, x1 }, ticks: [] })
    // The 2,500th message is drawn from 2,499 on.
    expect(labels(2499, 2599)[0]).toEqual({ px: 0, label: 'message 2,500' })
    const all = labels(0, 100)
    expect(all[0]).toEqual({ px: 0, label: 'message 1' })
    expect(all[1]?.px).toBeCloseTo((Number(all[1]?.label) - 1) * (scale.width / 100))
    expect(labels(0, 2)[0]).toEqual({ px: 0, label: 'message 1' })
    expect(labels(0, 100, 'tokens')[0]).toEqual({ px: 0, label: 'token 0' })
  })

  it('has clock times at every zoom of the time axis', () => {
    const close = { ...scale, x0: 0, x1: 10 * 60_000 }
    expect(axisTicks({ ...base, axis: 'time', scale: close, ticks: [] }).length).toBeGreaterThan(1)
  })

  it('shows milliseconds when a second is wide', () => {
    const ticks = [0, 500].map((ms, i) => ({ x: i * 40, atMs: day(11, 6) + ms }))
    expect(axisTicks({ ...base, ticks }).map(({ label }) => label)).toEqual(['Feb 11 06:00', '06:00:00.500'])
  })

  it('uses steps of 1, 2 and 5', () => {
    expect([0.3, 1.4, 3, 7, 12, 180].map(niceStep)).toEqual([1, 2, 5, 10, 20, 200])
  })
})

describe('the SVG file', () => {
  it('draws every shape and lets no text become markup', () => {
    const list = drawStrata(sceneOf(history))
    const svg = toSvg(list, 'a <b> & "c"')
    expect(svg).toContain('<title>a &lt;b&gt; &amp; &quot;c&quot;</title>')
    expect(svg.match(/<(rect|line|text|circle|polygon) /g)).toHaveLength(
      list.plot.shapes.length + list.frame.length + 2,
    )
    expect(svg).not.toContain('undefined')
    expect(svg).not.toContain('NaN')
  })
})
