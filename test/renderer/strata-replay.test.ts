import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { drawStrata } from '#renderer/features/strata/draw-strata.ts'
import {
  appearancesOf,
  onAxis,
  otherAxis,
  playedTo,
  positionsIn,
  replayAt,
  SPEEDS,
  speedBeside,
  tokensAt,
} from '#renderer/features/strata/replay.ts'
import { replayPage } from '#renderer/features/strata/replay-page.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { idAt, messageColumns, sceneOf, strataOf } from './strata-builder.ts'

/** Leaves of 25 messages, and one summary of depth 1 over the first two; each was made 10 messages after its end. */
const history = strataOf(
  [
    { depth: 0, x0: 0, x1: 25 },
    { depth: 0, x0: 25, x1: 50 },
    { depth: 0, x0: 50, x1: 75 },
    { depth: 1, x0: 0, x1: 50 },
  ],
  { extent: 100 },
)
const index = indexSummaries(history)
const event = (entry: number, messages: number, activeTokens: number) => ({
  ...{ eventId: entry + 1, runId: '', atMs: 0, messages, pass: 'leaf' as const, summaryId: idAt(entry), depth: 0 },
  ...{ level: 'normal', removed: 25, sourceTokens: 2500, tokens: 100, activeTokens, durationMs: 0 },
})
const events = [event(0, 35, 1100), event(1, 60, 1200), event(3, 60, 1150), event(2, 85, 2150)]
const after = appearancesOf(history, index, events)

describe('a replay', () => {
  it('shows a summary from the event on that made it, and without one as soon as its messages were there', () => {
    expect([...after]).toEqual([35, 60, 85, 60])
    expect([...appearancesOf(history, index, [])]).toEqual([25, 50, 75, 50])
  })

  it('has in the window what no deeper summary stood for at the time', () => {
    const at = (messages: number) => replayAt(history, index, after, messages)
    expect([...at(34).inWindow]).toEqual([0, 0, 0, 0])
    expect([...at(40).inWindow]).toEqual([1, 0, 0, 0])
    expect([...at(70).inWindow]).toEqual([0, 0, 0, 1])
    expect([...at(100).inWindow]).toEqual([0, 0, 1, 1])
    expect(at(100).window).toEqual([
      { x0: 0, x1: 50, isRaw: false },
      { x0: 50, x1: 75, isRaw: false },
      { x0: 75, x1: 100, isRaw: true },
    ])
  })

  it('leaves no message before its moment out of the window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (at) => {
        const { window } = replayAt(history, index, after, at)
        let end = 0
        for (const part of window) {
          expect(part.x0).toBe(end)
          end = part.x1
        }
        expect(end).toBe(at)
      }),
    )
  })

  it('is placed on other axes by where messages lie there', () => {
    // 40 messages of 10 units and 60 of 1 unit, in columns of one, two and three messages.
    const counts = [...Array(40).fill(1), ...Array(15).fill(2), ...Array(10).fill(3)]
    let x = 0
    const columns = { x0: [] as number[], x1: [] as number[] }
    for (const [at, count] of counts.entries()) {
      columns.x0.push(x)
      x += at < 40 ? 10 : count
      columns.x1.push(x)
    }
    const columnsOfOther = { ...messageColumns(0, 65), ...columns, count: counts }
    const positions = positionsIn(columnsOfOther)
    const xOf = (messages: number) => Math.min(messages, 40) * 10 + Math.max(0, messages - 40)
    for (let messages = 0; messages <= 100; messages += 1) {
      expect(positions.endOf(messages)).toBe(xOf(messages))
      expect(positions.startAfter(messages)).toBe(xOf(messages))
    }
    const other = strataOf(
      [
        { depth: 0, x0: 0, x1: 250 },
        { depth: 0, x0: 250, x1: 410 },
        { depth: 0, x0: 410, x1: 435 },
        { depth: 1, x0: 0, x1: 410 },
      ],
      { axis: 'tokens', extent: 460 },
    )
    const placed = onAxis(replayAt(history, index, after, 70), otherAxis(index, other, columnsOfOther))
    expect(placed).toMatchObject({ at: 70, x: 430, inWindow: Uint8Array.of(0, 0, 0, 1) })
    expect(placed.window).toEqual([
      { x0: 0, x1: 410, isRaw: false },
      { x0: 410, x1: 430, isRaw: true },
    ])
  })

  it('counts the tokens of the window from the last event on', () => {
    const overview = toBuckets(messageColumns(0, 100), { x0: 0, x1: 100 })
    expect(tokensAt(events, overview, 30)).toBe(3000)
    expect(tokensAt(events, overview, 35)).toBe(1100)
    expect(tokensAt(events, overview, 40)).toBe(1600)
  })

  it('draws nothing of what comes after its moment', () => {
    const scene = sceneOf(history, { replay: replayAt(history, index, after, 40) })
    const { shapes } = drawStrata(scene).plot
    const start = scene.rows.plot.left
    const limit = start + scene.rows.plot.width * 0.4
    for (const shape of shapes) if (shape.kind === 'rect') expect(shape.x).toBeLessThan(limit)
    const leaves = shapes.filter((shape) => shape.kind === 'rect' && shape.fill === scene.palette.leaf)
    expect(leaves).toHaveLength(1)
  })

  it('ends at the end, and goes through all of its speeds', () => {
    expect(playedTo(0, 1000, 1, 100)).toBe(5)
    expect(playedTo(98, 60_000, 8, 100)).toBe(100)
    let speed = SPEEDS[0]
    for (const _ of SPEEDS) speed = speedBeside(speed, 1) as typeof speed
    expect(speed).toBe(SPEEDS.at(-1))
  })
})

describe('an exported replay', () => {
  const hostile = '</script><img src=x onerror=alert(1)> & "quoted"'
  const page = () =>
    replayPage({
      ...{ title: hostile, strata: history, columns: messageColumns(0, 100), after, events },
      names: new Map([[idAt(0), hostile]]),
      palette: sceneOf(history).palette,
    })

  it('lets nothing run but its own script and style, and fetches nothing', async () => {
    const html = await page()
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(policy).toContain("default-src 'none'")
    const hashOf = (tag: string) => {
      const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? ''
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }
    expect(policy).toContain(`script-src ${hashOf('script')}`)
    expect(policy).toContain(`style-src ${hashOf('style')}`)
    expect(html).not.toMatch(/<[^>]*\s(?:src|href)=/)
  })

  it('holds texts of the memory as data, never as markup', async () => {
    const html = await page()
    expect(html).not.toContain('<img')
    expect(html).toContain('<h1>&#60;/script&#62;&#60;img')
    const data = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
    expect(JSON.parse(data).summaries[0]).toMatchObject({ name: hostile, after: 35 })
  })
})
