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
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { openInBrowser } from '../e2e/browser-door.ts'
import type { FrameFigures } from './frame-figures.ts'
import { largeMemory } from './large-memory.ts'
import type { Tries } from './tries.ts'
import {
  changePlaces,
  clicks,
  dragSlowly,
  drags,
  moveOver,
  sampled,
  search,
  wheel,
  zoomToMessages,
} from './window-gestures.ts'
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
  /** From a click at a tab until its place is there, each place again and again in turn. */
  readonly tabToPlace: Tries
  readonly costs: Readonly<Record<string, Cost>>
  /** Of the process that draws, after all of it: its own, and with the code of the browser, which others share. */
  readonly ownMegabytes: number
  readonly residentMegabytes: number
  readonly heapMegabytes: number
}

const MESSAGES = 200_000
const LIMIT_MS = 30_000
/** The window loads the code of the other views when the first one has been there for a while. */
const VIEWS_LOADED_MS = 4500

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
    const tabToPlace = await costing('changing places', () => changePlaces(page))
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
      tabToPlace,
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
