// How long until the strata of a large conversation are drawn, and how smoothly they are panned and zoomed, in the built
// app behind the browser host. `node test/perf/strata.bench.ts [file.db]`; without a file it writes one of 200,000
// messages and 6,000 summaries first. Needs `npm run build` and a Chromium.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { chromiumFlags, findChromium } from '../../scripts/find-chromium.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { openInBrowser } from '../e2e/browser-door.ts'
import { type FrameFigures, frameFigures } from './frame-figures.ts'
import { writeStrataMemory } from './strata-memory.ts'

export type StrataFigures = {
  /** From the start of the navigation to the first frame with bars in it, a core without caches included. */
  readonly firstDrawMs: number
  /** The same once the core has read the conversation: what a reload takes. */
  readonly secondDrawMs: number
  readonly pan: FrameFigures
  readonly zoom: FrameFigures
}

const MESSAGES = 200_000
const WHEEL_EVENTS = 150
const DRAW_LIMIT_MS = 30_000

/** Measures the strata of a memory file; the first conversation in its list is the one that is shown. */
export async function measureStrata(path: string): Promise<StrataFigures> {
  const home = temporaryFolder()
  const executablePath = findChromium()
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: [...chromiumFlags] })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(noteFirstDraw)
  const app = await openInBrowser({ path, home, userData: home, env: {}, watch: () => undefined }, context)
  try {
    const firstDrawMs = await firstDraw(app.page)
    await app.page.reload()
    const secondDrawMs = await firstDraw(app.page)
    const zoom = await sampled(app.page, (page) => wheel(page, 'zoom'))
    const pan = await sampled(app.page, (page) => wheel(page, 'pan'))
    return { firstDrawMs, secondDrawMs, pan, zoom }
  } finally {
    await app.close()
    await browser.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs in the page before anything else: notes the frame in which the strata first have more than their ground. */
function noteFirstDraw(): void {
  const look = () => {
    const canvas = document.querySelector('canvas')
    const pen = canvas?.getContext('2d', { willReadFrequently: false })
    const isDrawn =
      canvas &&
      pen &&
      canvas.width > 300 &&
      new Set(pen.getImageData(0, 0, canvas.width, canvas.height / 2).data).size > 12
    if (isDrawn) document.documentElement.dataset.drawnAt = String(performance.now())
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function firstDraw(page: Page): Promise<number> {
  const drawnAt = await page.waitForFunction(() => document.documentElement.dataset.drawnAt, undefined, {
    timeout: DRAW_LIMIT_MS,
  })
  return Number(await drawnAt.jsonValue())
}

/** Frame times while something is done to the page. */
async function sampled(page: Page, act: (page: Page) => Promise<void>): Promise<FrameFigures> {
  await page.evaluate(() => {
    const frames: number[] = []
    const tick = (atMs: number) => {
      frames.push(atMs)
      if (document.documentElement.dataset.sampling === 'on') requestAnimationFrame(tick)
      else document.documentElement.dataset.frames = JSON.stringify(frames)
    }
    document.documentElement.dataset.sampling = 'on'
    requestAnimationFrame(tick)
  })
  await act(page)
  await page.evaluate(() => {
    document.documentElement.dataset.sampling = 'off'
  })
  const frames = await page.waitForFunction(() => document.documentElement.dataset.frames)
  await page.evaluate(() => delete document.documentElement.dataset.frames)
  const atMs: unknown = JSON.parse((await frames.jsonValue()) ?? '[]')
  return frameFigures(Array.isArray(atMs) ? atMs.map(Number) : [])
}

/** Wheel events as a hand makes them: in and out for a zoom, to and fro for a pan. */
async function wheel(page: Page, what: 'zoom' | 'pan'): Promise<void> {
  const box = await page.locator('canvas').first().boundingBox()
  if (box === null) throw new Error('the strata are not on screen')
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5)
  for (let event = 0; event < WHEEL_EVENTS; event++) {
    const isBack = Math.floor(event / 30) % 2 === 1
    const delta = isBack ? 60 : -60
    if (what === 'zoom') await page.mouse.wheel(0, delta)
    else await page.mouse.wheel(-delta, 0)
    await page.waitForTimeout(8)
  }
}

if (process.argv[1] === import.meta.filename) {
  const given = process.argv[2]
  const path = given ?? join(temporaryFolder(), 'strata.db')
  if (given === undefined) writeStrataMemory(path, { messages: MESSAGES, seed: 7 })
  process.stdout.write(`${JSON.stringify(await measureStrata(path), null, 2)}\n`)
}
