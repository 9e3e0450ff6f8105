// Why it is so: docs/decisions/0035-places-and-speed-of-the-window.md

// How fast the window of a large memory is, in the built app behind the browser host.
// `node test/perf/measure-window.ts [file.db]`; without a file it makes the one of the benchmark first. Needs
// `npm run build` and a Chromium.
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type CDPSession, chromium, type Page } from '@playwright/test'
import type { View } from '#renderer/views.ts'
import { chromiumFlags, findChromium } from '#scripts/find-chromium.mjs'
import installBuild from '../builders/built-program.ts'
import { Random } from '../builders/random.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { openInBrowser } from '../e2e/browser-door.ts'
import { type FrameFigures, frameFigures } from './frame-figures.ts'
import { largeMemory } from './large-memory.ts'
import { type Tries, triesOf } from './tries.ts'
import { installProbe } from './window-probe.ts'

/** What a part of the use costs the page: the tasks that held up everything else, and its processor time. */
type Cost = { readonly longTasks: number; readonly longestTaskMs: number; readonly cpuMs: number }

export type WindowMeasure = {
  /** From the start of the navigation to the first paint with content, the core just started. */
  readonly firstPaintMs: number
  /** To the first frame with bars in it, a core without caches included. */
  readonly firstDrawMs: number
  /** The same once the core has read the conversation: what a reload takes. */
  readonly secondDrawMs: number
  /** From the start of the navigation, as a reload, until the first view says what the model sees and draws its layers. */
  readonly firstViewMs: number
  readonly pan: FrameFigures
  readonly zoom: FrameFigures
  readonly hover: FrameFigures
  readonly brush: FrameFigures
  /** From a click in the strata to its detail on screen. */
  readonly summaryToDetail: Tries
  readonly messageToDetail: Tries
  /** From the end of a drag to the range with its figures, all but the details that it lost. */
  readonly brushToFigures: Tries
  /** From the last letter of a word to the first hit on screen. */
  readonly wordToHit: Tries
  readonly costs: Readonly<Record<string, Cost>>
  /** Of the process that draws, after all of it: its own, and with the code of the browser, which others share. */
  readonly ownMegabytes: number
  readonly residentMegabytes: number
  readonly heapMegabytes: number
}

const MESSAGES = 200_000
const WHEEL_EVENTS = 150
const TRIES = 40
const LIMIT_MS = 30_000
/** After a click so much passes before the next one, so that what follows it is over. */
const REST_MS = 700
/** A quick hand holds the button for so long. */
const PRESS_MS = 50
/** The window loads the code of the other views when the first one has been there for a while. */
const VIEWS_LOADED_MS = 4500
const words =
  'Refund webhook idempotent lock queue spike index export the const lease ledger stale retries token'.split(' ')

/** Measures the window of a memory file; the first conversation in its list is the one that is shown. */
export async function measureWindow(path: string): Promise<WindowMeasure> {
  const home = temporaryFolder()
  const executablePath = findChromium()
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: [...chromiumFlags] })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(installProbe)
  await context.addInitScript(beginAtStrata, path)
  const app = await openInBrowser({ path, home, userData: home, env: {}, watch: () => undefined }, context)
  const { page } = app
  const costs: Record<string, Cost> = {}
  const processes = await browser.newBrowserCDPSession()
  const costing = async <T>(part: string, act: () => Promise<T>): Promise<T> => {
    const before = await rendererOf(processes)
    const result = await act()
    const tasks = await page.evaluate(() => window.probe.longTasks.splice(0))
    const { cpuSeconds } = await rendererOf(processes)
    costs[part] = {
      longTasks: tasks.length,
      longestTaskMs: Math.round(Math.max(0, ...tasks)),
      cpuMs: Math.round((cpuSeconds - before.cpuSeconds) * 1000),
    }
    return result
  }
  try {
    const firstDrawMs = await costing('opening', () => firstDraw(page))
    const firstPaintMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    await page.reload()
    const secondDrawMs = await costing('opening again', () => firstDraw(page))
    await show(page, 'start')
    await page.reload()
    const firstViewMs = await costing('opening the first view', () => firstAnswers(page))
    await show(page, 'layers')
    await firstDraw(page)
    await costing('loading all views', () => page.waitForTimeout(VIEWS_LOADED_MS))
    const zoom = await costing('zooming', () => sampled(page, () => wheel(page, 'zoom')))
    const pan = await costing('panning', () => sampled(page, () => wheel(page, 'pan')))
    await page.keyboard.press('0')
    const hover = await costing('hovering', () => sampled(page, () => moveOver(page)))
    const summaryToDetail = await costing('selecting summaries', () => clicks(page, 'summaries'))
    await zoomToMessages(page)
    const messageToDetail = await costing('selecting messages', () => clicks(page, 'messages'))
    await page.keyboard.press('0')
    // What is selected would stand before the range.
    await page.keyboard.press('Escape')
    const dragged = await costing('marking ranges', () => drags(page))
    const brush = await costing('dragging a range', () => sampled(page, () => dragSlowly(page)))
    const wordToHit = await costing('searching', () => search(page))
    return {
      firstPaintMs,
      firstDrawMs,
      secondDrawMs,
      firstViewMs,
      ...{ zoom, pan, hover, brush },
      summaryToDetail,
      messageToDetail,
      brushToFigures: dragged,
      wordToHit,
      costs,
      ...(await memoryOf(processes, page)),
    }
  } finally {
    await app.close()
    await browser.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs in the page before anything else: the window goes to the address that it remembers of the file. */
function beginAtStrata(path: string): void {
  if (localStorage.getItem('lcm:places') === null)
    localStorage.setItem('lcm:places', JSON.stringify([[path, '#/layers']]))
}

async function show(page: Page, view: View): Promise<void> {
  await page.evaluate((to) => {
    location.hash = location.hash.replace(/[^/]*$/, to)
  }, view)
}

async function firstAnswers(page: Page): Promise<number> {
  const region = page.getByRole('region')
  await region
    .filter({ hasText: 'What does the model see next turn?' })
    .getByText(/\d\stokens$/)
    .first()
    .waitFor()
  await region.filter({ hasText: 'How is it layered?' }).getByRole('img').waitFor()
  return page.evaluate(() => performance.now())
}

async function firstDraw(page: Page): Promise<number> {
  const drawnAt = await page.waitForFunction(() => window.probe.drawnAtMs, undefined, { timeout: LIMIT_MS })
  return Number(await drawnAt.jsonValue())
}

/** Frame times while something is done to the page. */
async function sampled(page: Page, act: () => Promise<void>): Promise<FrameFigures> {
  await page.evaluate(() => {
    window.probe.frames = []
  })
  await act()
  const frames = await page.evaluate(() => {
    const { frames } = window.probe
    window.probe.frames = null
    return frames ?? []
  })
  return frameFigures(frames)
}

/** Wheel events as a hand makes them: in and out for a zoom, to and fro for a pan. */
async function wheel(page: Page, what: 'zoom' | 'pan'): Promise<void> {
  const box = await boxOf(page)
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5)
  for (let event = 0; event < WHEEL_EVENTS; event++) {
    const isBack = Math.floor(event / 30) % 2 === 1
    const delta = isBack ? 60 : -60
    if (what === 'zoom') await page.mouse.wheel(0, delta)
    else await page.mouse.wheel(-delta, 0)
    await page.waitForTimeout(8)
  }
}

/** Zooms until a message has a column of its own. */
async function zoomToMessages(page: Page): Promise<void> {
  const box = await boxOf(page)
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5)
  for (let event = 0; event < WHEEL_EVENTS / 2; event++) {
    await page.mouse.wheel(0, -120)
    await page.waitForTimeout(8)
  }
}

async function moveOver(page: Page): Promise<void> {
  const box = await boxOf(page)
  for (let step = 0; step < WHEEL_EVENTS; step++) {
    await page.mouse.move(box.x + box.width * (0.15 + (0.8 * step) / WHEEL_EVENTS), box.y + 60 + ((step * 7) % 200))
    await page.waitForTimeout(8)
  }
}

async function boxOf(page: Page) {
  const box = await page.locator('canvas').first().boundingBox()
  if (box === null) throw new Error('the strata are not on screen')
  return box
}

/** Clicks at things that are not selected yet, wherever there is one under the pointer. */
async function clicks(page: Page, of: 'summaries' | 'messages'): Promise<Tries> {
  const random = new Random(of === 'summaries' ? 3 : 4)
  const kind = of === 'summaries' ? 'summary' : 'messages'
  const taken: number[] = []
  let selected = ''
  for (let attempt = 0; taken.length < TRIES && attempt < TRIES * 30; attempt++) {
    const box = await boxOf(page)
    const x = box.x + box.width * (0.14 + 0.84 * random.next())
    const y = box.y + box.height * random.next()
    await page.mouse.move(x, y)
    const isThere = await page.evaluate((wanted) => {
      window.probe.await('pointerup', 'detail')
      return document.querySelector(`[data-over=${wanted}]`) !== null
    }, kind)
    if (!isThere) continue
    await page.mouse.down()
    await page.waitForTimeout(PRESS_MS)
    await page.mouse.up()
    const now = await page.evaluate(() => location.hash)
    if (now !== selected) taken.push(await answer(page))
    selected = now
    await page.waitForTimeout(REST_MS)
  }
  return triesOf(taken)
}

async function drags(page: Page): Promise<Tries> {
  const random = new Random(5)
  const box = await boxOf(page)
  const taken: number[] = []
  for (let attempt = 0; attempt < TRIES / 2; attempt++) {
    const from = 0.15 + 0.6 * random.next()
    const y = box.y + box.height * 0.5
    await page.mouse.move(box.x + box.width * from, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * (from + 0.1), y, { steps: 4 })
    await page.mouse.move(box.x + box.width * (from + 0.02 + 0.2 * random.next()), y, { steps: 4 })
    await page.evaluate(() => window.probe.await('pointerup', 'range'))
    await page.mouse.up()
    taken.push(await answer(page))
    await page.waitForTimeout(REST_MS)
  }
  return triesOf(taken)
}

async function dragSlowly(page: Page): Promise<void> {
  const box = await boxOf(page)
  const y = box.y + box.height * 0.5
  await page.mouse.move(box.x + box.width * 0.2, y)
  await page.mouse.down()
  for (let step = 0; step < WHEEL_EVENTS; step++) {
    await page.mouse.move(box.x + box.width * (0.2 + (0.7 * step) / WHEEL_EVENTS), y)
    await page.waitForTimeout(8)
  }
  await page.mouse.up()
}

/** Every word begins in an empty field, so that the first hit on screen is its own. */
async function search(page: Page): Promise<Tries> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search messages and summaries' })
  await field.waitFor()
  const taken: number[] = []
  for (const word of [...words, ...words]) {
    await field.fill('')
    await page.locator('#search-hits').waitFor({ state: 'detached' })
    await page.waitForTimeout(REST_MS / 2)
    await page.evaluate(() => window.probe.await('input', 'hit'))
    await field.fill(word)
    taken.push(await answer(page))
    await page.waitForTimeout(REST_MS)
  }
  return triesOf(taken)
}

async function answer(page: Page): Promise<number> {
  const taken = await page.waitForFunction(() => window.probe.answer, undefined, { timeout: LIMIT_MS })
  return Number(await taken.jsonValue())
}

/** The process that draws the page, and the processor time that it has used. */
async function rendererOf(processes: CDPSession): Promise<{ id: number; cpuSeconds: number }> {
  const { processInfo } = await processes.send('SystemInfo.getProcessInfo')
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  const busiest = renderers.sort((a, b) => b.cpuTime - a.cpuTime)[0]
  return { id: busiest?.id ?? 0, cpuSeconds: busiest?.cpuTime ?? 0 }
}

async function memoryOf(processes: CDPSession, page: Page) {
  const session = await page.context().newCDPSession(page)
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { id } = await rendererOf(processes)
  const { own, resident } = memoryOfProcess(id)
  return {
    ownMegabytes: Math.round(own / 1e6),
    residentMegabytes: Math.round(resident / 1e6),
    heapMegabytes: Math.round(usedSize / 1e6),
  }
}

/** Only Linux tells it in a file. */
function memoryOfProcess(pid: number): { own: number; resident: number } {
  const path = `/proc/${pid}/status`
  const status = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
  return { own: bytes('RssAnon') + bytes('RssShmem'), resident: bytes('VmRSS') }
}

if (import.meta.main) {
  await installBuild()
  const path = process.argv[2] ?? (await largeMemory(MESSAGES, console.error)).path
  console.log(JSON.stringify(await measureWindow(path), null, 2))
}
