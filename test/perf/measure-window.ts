// Why it is so: docs/decisions/0035-places-and-speed-of-the-window.md

// How fast the window of a large memory is, in the built app behind the browser host.
// `node test/perf/measure-window.ts [file.db]`; without a file it makes the one of the benchmark first. Needs
// `npm run build` and a Chromium.
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import type { View } from '#renderer/views.ts'
import { chromiumFlags, findChromium } from '#scripts/find-chromium.mjs'
import installBuild from '../builders/built-program.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import type { OpenedApp } from '../e2e/app.ts'
import type { OpenRequest } from '../e2e/app-environment.ts'
import { openInBrowser } from '../e2e/browser-door.ts'
import type { FrameFigures } from './frame-figures.ts'
import { largeMemory } from './large-memory.ts'
import { notePageTasks } from './page-tasks.ts'
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
type Cost = {
  readonly longTasks: number
  readonly longestTaskMs: number
  /** The same in processor time: what they would be on a computer that does nothing else. */
  readonly longTasksOfCpu: number
  readonly longestTaskCpuMs: number
  readonly cpuMs: number
}

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
const LONG_MS = 50
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
  const costs: Record<string, Cost> = {}
  const processes = await browser.newBrowserCDPSession()
  const costing = async <T>(part: string, act: () => Promise<T>): Promise<T> => {
    const before = await rendererOf(processes)
    const stopNoting = await notePageTasks(browser)
    const result = await act()
    const { cpuSeconds } = await rendererOf(processes)
    const tasks = await stopNoting()
    const isLong = (ms: number) => ms > LONG_MS
    const [walls, processor] = [tasks.map(({ wallMs }) => wallMs), tasks.map(({ cpuMs }) => cpuMs)]
    costs[part] = {
      longTasks: walls.filter(isLong).length,
      longestTaskMs: Math.round(walls.reduce((most, ms) => Math.max(most, ms), 0)),
      longTasksOfCpu: processor.filter(isLong).length,
      longestTaskCpuMs: Math.round(processor.reduce((most, ms) => Math.max(most, ms), 0)),
      cpuMs: Math.round((cpuSeconds - before.cpuSeconds) * 1000),
    }
    return result
  }
  const request = { path, home, userData: home, env: {}, watch: () => undefined }
  const { app, firstDrawMs } = await costing('opening', () => openAndDraw(request, context))
  const { page } = app
  try {
    const firstPaintMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    const secondDrawMs = await costing('opening again', () => reloadAnd(page, firstDraw))
    await show(page, 'start')
    const firstViewMs = await costing('opening the first view', () => reloadAnd(page, firstAnswers))
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

async function openAndDraw(
  request: OpenRequest,
  context: BrowserContext,
): Promise<{ readonly app: OpenedApp; readonly firstDrawMs: number }> {
  const app = await openInBrowser(request, context)
  try {
    return { app, firstDrawMs: await firstDraw(app.page) }
  } catch (error) {
    await app.close()
    throw error
  }
}

async function reloadAnd(page: Page, wait: (page: Page) => Promise<number>): Promise<number> {
  await page.reload()
  return wait(page)
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
