// Compares every view, dialog and empty state with recorded pictures, in three themes and two sizes. What is recorded is a mosaic: the mean
// colour of every 16 by 16 pixels, at half the scale (docs/decisions/0017-tests-and-rules.md).
// After a change that is wanted, look at the new ones and record them:
//   npm run build && npm run views -- --update-snapshots
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Browser, Page, TestInfo } from '@playwright/test'
import { inProject } from '#scripts/project.mjs'
import { expect, IN_BROWSER, test } from './app.ts'
import { loaded } from './axe.ts'
import { factsOf, sampleCopy } from './memories.ts'
import { type Mosaic, mosaicOf, openWorkbench, readSheet, tilesThatDiffer, writeSheet } from './mosaic.ts'
import { DIALOGS, type Scene, sceneShower, viewScenes } from './view-scenes.ts'

const THEMES = {
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  light: { colorScheme: 'light', contrast: 'no-preference' },
  contrast: { colorScheme: 'dark', contrast: 'more' },
} as const
/** `npm run views` compares more, and strictly. */
const isWhole = process.env.LCM_VIEWS === 'all'
const SIZES = [{ width: 1280, height: 800 }, ...(isWhole ? [{ width: 1920, height: 1200 }] : [])]

const NOW = new Date('2026-03-10T12:00:00Z')

/**
 * Every character comes from a font of the app. What names folders of this machine, its clock, or how fast it answered is
 * not compared, nor is the offer of the tour, which stands above everything else until it was refused.
 */
const PINNED = `
  :root { --more-fonts: "Noto Emoji", "Noto Sans SC", "Noto Sans KR Variable", "Noto Sans Symbols 2" !important; }
  * { caret-color: transparent !important; }
  header:has(> search) > :nth-child(-n+3):not(:first-child) { visibility: hidden !important; }
  footer > button ~ span ~ * { visibility: hidden !important; }
  [aria-label^="Search and expand"], main [role="status"], main header p:has(> time) { visibility: hidden !important; }
  dialog :is([class*="path"], [class*="where"], [class*="time"]) { visibility: hidden !important; }
  [aria-label="Metrics"] :is([class*="range"], [class*="tick"]) { visibility: hidden !important; }
  [aria-label="Tour of the sample"] { display: none !important; }
  :has(> [aria-label^="Copy /"]), p:has(> [class*="path"]) { display: none !important; }
`
/** A view that is not drawn yet is looked at again. Pictures without a pause would take the time in which it is drawn. */
const SHOWN_WITHIN_MS = 120_000
const PAUSE_MS = 250
/** Beside all other tests this share of a view may differ: a number that depends on the machine. */
const MOST_BESIDE = 0.005
/** With another Chromium, or on another system, this share of a view may differ. A part that is missing is more. */
const MOST_ELSEWHERE = 0.05
/** What the pictures were recorded with. */
const RECORDED_WITH = inProject('test/e2e/views/recorded-with.json')
/** Another colour of texts, a list that is missing, and a view that is not where it was. */
const FAULTS = [
  ':root { --text: #b0b0b0 !important }',
  'nav { visibility: hidden }',
  'main { transform: translate(12px, 12px) }',
] as const
const MOVED_HEADINGS = 'h1, h2 { transform: translate(12px, 4px) }'
/** Once this many differ, the rest is not waited for. */
const MOST_FAILURES = 3

// The views read the clock of the window, and the log of this run is never the same.
test.use({ deviceScaleFactor: 0.5, bypassCSP: true, appEnv: { LCM_LOG_LEVEL: 'silent' } })

for (const size of SIZES) {
  test(
    `every view looks as recorded at ${size.width} × ${size.height}`,
    IN_BROWSER,
    async ({ openMemory, home, chromium }, testInfo) => {
      await compareSheets({ openMemory, home, chromium, testInfo, size, prefix: '', scenesOf: viewScenes })
    },
  )
}

for (const size of SIZES) {
  test(
    `every dialog and empty state looks as recorded at ${size.width} × ${size.height}`,
    IN_BROWSER,
    async ({ openMemory, home, chromium }, testInfo) => {
      await compareSheets({ openMemory, home, chromium, testInfo, size, prefix: 'dialogs-', scenesOf: () => DIALOGS })
    },
  )
}

type Compared = {
  readonly openMemory: (path?: string) => Promise<Page>
  readonly home: string
  readonly chromium: () => Promise<Browser>
  readonly testInfo: TestInfo
  readonly size: (typeof SIZES)[number]
  /** What the names of its sheets begin with. */
  readonly prefix: string
  readonly scenesOf: (conversationId: number) => readonly Scene[]
}

/** Shows each scene in each theme, and compares it with the recorded pictures or records it. */
async function compareSheets({
  openMemory,
  home,
  chromium,
  testInfo,
  size,
  prefix,
  scenesOf,
}: Compared): Promise<void> {
  const isRecording = ['all', 'changed'].includes(testInfo.config.updateSnapshots)
  // On a machine that is busy with everything else a picture takes seconds. Recording looks at each until nothing in
  // it has changed for a while.
  test.setTimeout(isRecording ? 1_800_000 : 600_000)
  const path = sampleCopy(home)
  const scenes = scenesOf((await factsOf(path)).conversationId)
  const page = await openMemory(path)
  const browser = await chromium()
  const workbench = await openWorkbench(browser)
  const here = { chromium: browser.version().split('.')[0], platform: process.platform }
  const isAsRecorded =
    existsSync(RECORDED_WITH) && isDeepStrictEqual(here, JSON.parse(readFileSync(RECORDED_WITH, 'utf8')))
  await page.setViewportSize(size)
  await page.clock.setFixedTime(NOW)
  await page.addStyleTag({ content: PINNED })
  await page.mouse.move(0, size.height - 1)
  const mostShare = isAsRecorded ? (isWhole ? 0 : MOST_BESIDE) : MOST_ELSEWHERE
  const themes = Object.entries(THEMES)
  const sheetOf = (theme: string): string => inProject('test/e2e/views', `${prefix}${theme}-${size.width}.png`)
  const recorded = new Map<string, readonly Mosaic[]>()
  for (const [theme] of themes)
    if (existsSync(sheetOf(theme)))
      recorded.set(theme, await readSheet(workbench, readFileSync(sheetOf(theme)), scenes.length))
  const seen = new Map<string, Mosaic[]>(themes.map(([theme]) => [theme, []]))
  const wrong: string[] = []
  const show = sceneShower(page, { home, path, onOpened: () => page.addStyleTag({ content: PINNED }) })
  for (const [at, scene] of scenes.entries()) {
    const { name } = scene
    await show(scene)
    await loaded(page)
    for (const [theme, media] of themes) {
      if (wrong.length >= MOST_FAILURES) break
      await page.emulateMedia(media)
      const picture = () => mosaicOf(page, workbench)
      const pause = () => page.waitForTimeout(PAUSE_MS)
      if (isRecording) seen.get(theme)?.push(await settled(picture, page))
      else {
        const places = await differing({ picture, pause }, recorded.get(theme)?.[at], mostShare)
        if (places.length > 0) {
          wrong.push(`${name}, ${theme}: ${places.length} places, first ${places.slice(0, 4).join('; ')}`)
          await testInfo.attach(`${name} ${theme}`, { body: await page.screenshot(), contentType: 'image/png' })
        }
      }
    }
    if (scene.show) await page.keyboard.press('Escape')
  }
  if (isRecording) {
    for (const [theme, mosaics] of seen) {
      mkdirSync(dirname(sheetOf(theme)), { recursive: true })
      writeFileSync(sheetOf(theme), await writeSheet(workbench, mosaics))
    }
    writeFileSync(RECORDED_WITH, `${JSON.stringify(here, null, 2)}\n`)
    return
  }
  expect(wrong, 'When the change is wanted, look at the pictures and record anew: see the top of this file.').toEqual(
    [],
  )

  // What is allowed to differ hides none of these.
  const last = await mosaicOf(page, workbench)
  const most = mostShare * last.columns * last.rows
  for (const fault of isWhole ? [...FAULTS, MOVED_HEADINGS] : FAULTS) {
    const style = await page.addStyleTag({ content: fault })
    expect(tilesThatDiffer(await mosaicOf(page, workbench), last).length, fault).toBeGreaterThan(most)
    await style.evaluate((element) => element.parentNode?.removeChild(element))
  }
}

/** Returns where the picture differs, or nothing as soon as no more than a share of it does. */
async function differing(
  { picture, pause }: { readonly picture: () => Promise<Mosaic>; readonly pause: () => Promise<void> },
  wanted: Mosaic | undefined,
  mostShare: number,
): Promise<readonly string[]> {
  const until = Date.now() + SHOWN_WITHIN_MS
  for (;;) {
    const seen = await picture()
    const places = tilesThatDiffer(seen, wanted)
    const isOfThisSize = wanted?.columns === seen.columns && wanted.rows === seen.rows
    if (isOfThisSize && places.length <= mostShare * seen.columns * seen.rows) return []
    if (Date.now() > until) return places
    await pause()
  }
}

/** Returns a picture that stays the same for a while. */
async function settled(picture: () => Promise<Mosaic>, page: Page): Promise<Mosaic> {
  for (let [before, same] = [await picture(), 0]; ; ) {
    await page.waitForTimeout(PAUSE_MS)
    const now = await picture()
    const isBusy = (await page.locator('[aria-busy="true"]').count()) > 0
    same = !isBusy && tilesThatDiffer(now, before).length === 0 ? same + 1 : 0
    if (same === 2) return now
    before = now
  }
}
