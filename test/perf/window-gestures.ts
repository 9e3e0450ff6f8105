// What a person does in the window, and how long the window takes to follow.
import type { Page } from '@playwright/test'
import type { View } from '#renderer/views.ts'
import { Random } from '../builders/random.ts'
import { type FrameFigures, frameFigures } from './frame-figures.ts'
import { type Tries, triesOf } from './tries.ts'

const WHEEL_EVENTS = 150
const TRIES = 40
const LIMIT_MS = 30_000
/** After a click so much passes before the next one, so that what follows it is over. */
const REST_MS = 700
/** A quick hand holds the button for so long. */
const PRESS_MS = 50
const PLACES = ['start', 'find', 'messages', 'window', 'layers', 'compact', 'health'] as const satisfies readonly View[]
const ROUNDS = 3
const words =
  'Refund webhook idempotent lock queue spike index export the const lease ledger stale retries token'.split(' ')

/** Frame times while something is done to the page. */
export async function sampled(page: Page, act: () => Promise<void>): Promise<FrameFigures> {
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
export async function wheel(page: Page, what: 'zoom' | 'pan'): Promise<void> {
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
/** Zooms in until each message has some width, because a click at several messages zooms in further. */
export async function zoomToMessages(page: Page): Promise<void> {
  const box = await boxOf(page)
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5)
  for (let event = 0; event < WHEEL_EVENTS * 2; event++) {
    await page.mouse.wheel(0, -120)
    await page.waitForTimeout(8)
    if (event < WHEEL_EVENTS / 2) continue
    const [, from = '', to = ''] =
      /layers\.zoom=([\d.]+?)\.\.([\d.]+)/.exec(await page.evaluate(() => location.hash)) ?? []
    if (Number(to) - Number(from) < box.width / 3) return
  }
}

export async function moveOver(page: Page): Promise<void> {
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
export async function clicks(page: Page, of: 'summaries' | 'messages'): Promise<Tries> {
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

export async function drags(page: Page): Promise<Tries> {
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

export async function dragSlowly(page: Page): Promise<void> {
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
export async function search(page: Page): Promise<Tries> {
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

/** The first round, in which each place is asked for the first time, is left out. */
export async function changePlaces(page: Page): Promise<Tries> {
  const taken: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const place of PLACES) {
      await page.evaluate((name) => window.probe.await('pointerup', 'place', name), place)
      await page.locator(`nav[aria-label=Views] [data-view=${place}]`).click()
      const ms = await answer(page)
      if (round > 0) taken.push(ms)
      await page.waitForTimeout(REST_MS)
    }
  }
  return triesOf(taken)
}

async function answer(page: Page): Promise<number> {
  const taken = await page.waitForFunction(() => window.probe.answer, undefined, { timeout: LIMIT_MS })
  return Number(await taken.jsonValue())
}
