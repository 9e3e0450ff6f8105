import { copyFile, readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { TestMemory } from '../builders/memory.ts'
import { expect, SHARED_HOST, test, toStrata } from './app.ts'
import { sampleCopy } from './memories.ts'

test.use(SHARED_HOST)

const stage = (page: Page) => page.getByRole('application', { name: /^Layers: / })
const detail = (page: Page) => page.getByRole('complementary', { name: 'Detail' })
const selected = (page: Page): string | null => /[?&]select=([\w-]+)/.exec(new URL(page.url()).hash)?.[1] ?? null

/** Clicks down the middle of the drawing until a summary is hit. */
async function clickABar(page: Page): Promise<string> {
  const box = await stage(page).boundingBox()
  if (!box) throw new Error('the strata are not drawn')
  for (let y = 30; y < box.height; y += 8) {
    await stage(page).click({ position: { x: box.width / 2, y } })
    const id = selected(page)
    if (id?.startsWith('sum_')) return id
  }
  throw new Error('no bar was hit')
}

/** Whether anything at all is on the canvas, and not one colour only. */
const coloursDrawn = (page: Page): Promise<number> =>
  stage(page)
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
      const seen = new Set<number>()
      for (let at = 0; at < data.length; at += 4 * 97) {
        seen.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0))
      }
      return seen.size
    })

test('the strata are drawn, a clicked bar is selected in every view, and keys walk the bars and the tree', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(sampleCopy(home))
  await toStrata(page)
  await expect(stage(page)).toBeVisible()
  await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)

  const id = await clickABar(page)
  await expect(detail(page).getByRole('button', { name: `Copy ${id}` })).toBeVisible()
  await expect(page.getByRole('group', { name: new RegExp(`^Lineage of ${id}`) })).toBeVisible()

  // From a bar to its sources, and back to its dependents.
  await stage(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => selected(page)).not.toBe(id)
  await expect(detail(page).getByRole('button', { name: `Copy ${selected(page)}` })).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => selected(page)).toBe(id)

  for (const axis of ['tokens', 'time']) {
    await page.getByRole('radiogroup', { name: 'What width means' }).getByText(axis).click()
    await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)
    expect(selected(page)).toBe(id)
  }
  // Beside the detail, the colours are in a menu.
  for (const colour of ['kind', 'compression', 'age', 'level']) {
    await page.getByRole('button', { name: /^colour: / }).click()
    await page.getByRole('menuitemradio', { name: colour }).click()
    await expect(page.getByRole('button', { name: `colour: ${colour}` })).toBeVisible()
  }
  await page.getByRole('button', { name: 'Zoom to the selection' }).click()
  await page.getByRole('button', { name: 'Show everything (0)' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(() => selected(page)).toBeNull()

  const form = page.getByRole('radiogroup', { name: 'How the layers are shown' })
  await form.getByText('tree').click()
  const tree = page.getByRole('tree', { name: 'Summaries and what they stand for' })
  const items = tree.getByRole('treeitem').filter({ has: page.locator('[title^=sum_]') })
  await expect(items.first()).toBeVisible()
  const roots = await items.count()
  await items.first().click()
  await expect.poll(() => selected(page)).toMatch(/^sum_/)
  const root = selected(page)
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => selected(page)).not.toBe(root)
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => selected(page)).toBe(root)
  // Unfolds and goes in, to the first source.
  await page.keyboard.press('ArrowLeft')
  await expect(tree.locator('[role=treeitem][aria-level="2"] [title^=sum_]').first()).toBeVisible()
  expect(await items.count()).toBeGreaterThan(roots)
  await expect(tree.locator('[role=treeitem][aria-selected=true]')).toHaveAttribute('aria-level', '2')
  await form.getByText('drawing').click()
  await expect(stage(page)).toBeVisible()
})

test('the graph grows by expanding, down to the messages', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await toStrata(page)
  await clickABar(page)
  const graph = page.getByRole('group', { name: /^Lineage of sum_/ })
  await expect(graph).toBeVisible()
  const cards = graph.locator('.react-flow__node')
  await expect.poll(() => cards.count()).toBeGreaterThan(1)
  // Down to a leaf, and from there to what was said.
  const isLeaf = () => detail(page).getByText('first summary', { exact: true }).isVisible()
  for (let steps = 0; steps < 5 && !(await isLeaf()); steps += 1) {
    const before = selected(page)
    await page.getByRole('button', { name: '← sources' }).click()
    await expect.poll(() => selected(page)).not.toBe(before)
    await expect(detail(page).getByRole('button', { name: `Copy ${selected(page)}` })).toBeVisible()
  }
  const messages = cards.filter({ hasText: /message \d/ })
  if ((await messages.count()) === 0) await page.getByRole('button', { name: 'E expand' }).click()
  await expect.poll(() => messages.count()).toBeGreaterThan(0)
  // The camera follows what was expanded: a card may move away under the first click.
  await expect(async () => {
    await messages.first().click()
    expect(selected(page)).toMatch(/^msg_/)
  }).toPass()
  await page.getByRole('button', { name: '→ dependents' }).click()
  await expect.poll(() => selected(page)).toMatch(/^sum_/)
})

test('bars and cards say what is in them, and no edge of a cycle runs through a card', async ({ openMemory, home }) => {
  const path = sampleCopy(home)
  const memory = new TestMemory(path)
  // The first source of a summary is made to rest on it, which closes a cycle.
  const [link] = memory.db.rows<[string, string]>('SELECT summary_id, source_summary_id FROM summary_sources LIMIT 1')
  if (link === undefined) throw new Error('the sample has no condensed summary')
  memory.damage(
    `INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES ('${link[1]}', '${link[0]}', 99)`,
  )
  memory.db.close()
  const page = await openMemory(path)
  await toStrata(page)
  await page.goto(new URL(`#/conversation/1/layers?select=${link[0]}`, page.url()).href)
  await expect(detail(page).getByRole('button', { name: `Copy ${link[0]}` })).toBeVisible()

  const graph = page.getByRole('group', { name: /^Lineage of sum_/ })
  const cards = graph.locator('.react-flow__node-card')
  await expect(cards.first()).toHaveText(/^[A-Z]\w+ \S+ .*(first summary|depth \d)/)
  await expect(graph.getByText('cycle', { exact: true }).first()).toBeVisible()
  const crossings = await graph.evaluate((area) => {
    const boxes = [...area.querySelectorAll('.react-flow__node-card')].map((card) => card.getBoundingClientRect())
    const edges = [...area.querySelectorAll<SVGPathElement>('g > path')]
    return edges.flatMap((edge) => {
      const matrix = edge.getScreenCTM()
      return Array.from({ length: 200 }, (_, step) => {
        const at = edge.getPointAtLength((edge.getTotalLength() * step) / 199).matrixTransform(matrix ?? undefined)
        const isIn = (box: DOMRect) =>
          at.x > box.left + 2 && at.x < box.right - 2 && at.y > box.top + 2 && at.y < box.bottom - 2
        return boxes.some(isIn)
      }).filter(Boolean)
    })
  })
  expect(crossings).toEqual([])

  // The same names stand in the bars: the picture that is saved has them as text.
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('menuitem', { name: 'SVG drawing' }).click()
  const svg = await readFile(await (await download).path(), 'utf8')
  expect(svg).toContain('Set gateway.retries to 1')
})

test('the detail panel expands a summary down to its messages and leads to them', async ({ openMemory, home }) => {
  const page = await openMemory(sampleCopy(home))
  await toStrata(page)
  await clickABar(page)
  await detail(page).getByRole('button', { name: 'Expand', exact: true }).click()
  await detail(page).getByText('all messages').click()
  const message = detail(page)
    .getByRole('button', { name: /^message \d+ msg_\d+$/ })
    .first()
  await expect(message).toBeVisible()
  const id = /msg_\d+/.exec((await message.getAttribute('title')) ?? '')?.[0] ?? ''
  await message.click()
  await expect.poll(() => selected(page)).toBe(id)
  await expect(detail(page).getByRole('button', { name: `Copy ${id}` })).toBeVisible()
  await detail(page).getByRole('button', { name: 'Open in messages' }).click()
  await expect(page.getByRole('article', { name: new RegExp(`${id}$`) })).toBeVisible()
})

/** Drags over the drawing from one share of its width to another. */
async function dragOver(page: Page, from: number, to: number): Promise<void> {
  const box = await stage(page).boundingBox()
  if (!box) throw new Error('the strata are not drawn')
  const y = box.y + box.height * 0.45
  await page.mouse.move(box.x + box.width * from, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y)
  await page.mouse.move(box.x + box.width * to, y)
  await page.mouse.up()
}

const markedRange = (page: Page) => /[?&]layers\.range=(\d+)-(\d+)/.exec(new URL(page.url()).hash)

test('a drag marks messages, limits transcript and search to them, and stands in a saved picture', async ({
  openSample,
}) => {
  const page = await openSample()
  await toStrata(page)
  await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)
  await dragOver(page, 0.4, 0.5)
  await expect.poll(() => markedRange(page)).not.toBeNull()
  const [first, last] = (markedRange(page) ?? []).slice(1).map(Number) as [number, number]
  const chip = page.getByText(new RegExp(`· ${last - first + 1}\\smessages$`))
  await expect(chip.first()).toBeVisible()

  const bar = page.getByRole('region', { name: 'Range' })
  await expect(bar).toContainText(`messages ${first} – ${last}`)
  await expect(bar).toContainText(/[\d,]+ of [\d,]+\sdetails outside the window lost/)
  await bar.getByRole('button', { name: 'What they lost' }).click()
  await expect(bar.getByText('Lost details')).toBeVisible()

  await page.keyboard.press('g')
  await page.keyboard.press('t')
  const rows = page.getByRole('feed', { name: 'Messages' }).getByRole('article')
  await expect(page.getByText('Only these messages are shown.')).toBeVisible()
  await expect(page.getByText(new RegExp(`^${first} of 377`))).toBeVisible()
  await expect(rows.first()).toBeVisible()
  await page.getByRole('button', { name: 'Last', exact: true }).click()
  await expect(page.getByText(new RegExp(`^${last} of 377`))).toBeVisible()

  await page.goto(new URL(page.url().replace('/messages', '/find')).href)
  await page.getByRole('combobox', { name: 'Search messages and summaries' }).fill('retries')
  await expect(page.getByText('are searched.')).toBeVisible()
  const count = page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /\d\s+hits?/ })
  const total = async () => Number(/([\d,]+)\s+hits?/.exec((await count.textContent()) ?? '')?.[1]?.replace(',', ''))
  await expect.poll(total).toBeGreaterThan(0)
  const limited = await total()
  await page.getByRole('button', { name: 'Remove the range' }).click()
  await expect.poll(total).toBeGreaterThan(limited)
  expect(markedRange(page)).toBeNull()

  // An address may name messages that the conversation does not hold. The limit can be lifted.
  await page.goto(new URL('#/conversation/1/layers?layers.range=340-420', page.url()).href)
  await expect(bar).toHaveText(/81\smessages.*This conversation ends before the marked messages do\.$/)
  await bar.getByRole('button', { name: 'Remove the range' }).click()
  await expect(bar).toHaveCount(0)

  // A picture is well-formed, and holds the words of bars, runs and the marked range.
  await page.goto(new URL('#/conversation/1/layers?layers.zoom=30..75&layers.range=40-60', page.url()).href)
  await expect(page.getByRole('region', { name: 'Range' })).toContainText('messages 40 – 60')
  await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)
  const save = async (kind: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByRole('menuitem', { name: kind }).click()
    return readFile(await (await download).path())
  }
  // Names of bars arrive after them.
  await expect(async () => expect((await save('SVG drawing')).toString()).toContain('Agreed, tomorrow')).toPass()
  const svg = (await save('SVG drawing')).toString()
  expect(svg).toMatch(/21\u00a0messages · /)
  expect(svg).toMatch(/compaction 1 · /)
  const root = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    return { name: parsed.documentElement.nodeName, errors: parsed.querySelectorAll('parsererror, script').length }
  }, svg)
  expect(root).toEqual({ name: 'svg', errors: 0 })
  const png = await save('PNG picture')
  expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
  expect(png.readUInt32BE(16)).toBeGreaterThan(1000)
})

test('W A S D zoom and pan, M marks what is in sight, and a message says how much of it stands in every layer', async ({
  openSample,
}) => {
  const page = await openSample()
  await toStrata(page)
  await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)
  const zoom = () => /[?&]layers\.zoom=([\d.]+)/.exec(new URL(page.url()).hash)?.[1] ?? null
  await page.keyboard.press('w')
  await expect.poll(zoom).not.toBeNull()
  const middle = zoom()
  await page.keyboard.press('d')
  await expect.poll(zoom).not.toBe(middle)
  await page.keyboard.press('a')
  await expect.poll(zoom).toBe(middle)
  await page.keyboard.press('m')
  await expect.poll(() => markedRange(page)).not.toBeNull()
  await page.keyboard.press('s')
  await expect.poll(zoom).toBeNull()
  await page.keyboard.press('Escape')
  await expect.poll(() => markedRange(page)).toBeNull()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await expect(keys).toContainText('mark the messages of the selection, or those in sight')
  await page.keyboard.press('Escape')

  await page.goto(new URL('#/conversation/1/layers?select=msg_60', page.url()).href)
  const layers = page.getByText(
    /^Of \d+\sdetails: \d+ in first summaries, \d+ in depth 1, \d+ in depth 2, \d+ in the window$/,
  )
  await expect(layers).toBeVisible()
  // A screen reader is told the same, and it goes with the selection.
  await expect(page.getByRole('status').filter({ hasText: 'Selected msg_60' })).toContainText('in the window')
  await page.keyboard.press('Escape')
  await expect(layers).toBeHidden()

  // An age legend has unlike ends, and says whose times they are.
  await page.getByRole('radiogroup', { name: 'What colour means' }).getByText('age').click()
  const legend = page.getByText(/^made .*when its row was written/)
  await expect(legend).toBeVisible()
  const [, from, to] =
    /^made (.+\d)(\D.*\d)\s*\(when its row was written\)$/.exec((await legend.textContent()) ?? '') ?? []
  expect(from).toBeDefined()
  expect(from).not.toBe(to)
  await expect(legend).toHaveAttribute('title', /The axis shows when the messages were said/)

  // Forced colours are other colours, although the theme stays the light one.
  const ground = () =>
    page.evaluate(() => {
      const pen = document.querySelector('canvas')?.getContext('2d')
      return [...(pen?.getImageData(1, 1, 1, 1).data ?? [])].slice(0, 3).join(' ')
    })
  await page.emulateMedia({ colorScheme: 'light', contrast: null })
  await expect.poll(ground).toBe('251 250 248')
  await page.emulateMedia({ colorScheme: 'light', contrast: null, forcedColors: 'active' })
  await expect.poll(ground).not.toBe('251 250 248')

  // A replay goes along every axis.
  await page.goto(new URL('#/conversation/1/layers?layers.at=200&layers.axis=tokens', page.url()).href)
  const replay = page.getByRole('region', { name: 'Replay' })
  await expect(replay.getByRole('status')).toContainText(/^200 of 377/)
  await expect(replay.getByRole('slider', { name: 'Moment' })).toHaveValue('200')
  await stage(page).focus()
  await page.keyboard.press(' ')
  await expect(replay.getByRole('button', { name: 'Pause (Space)' })).toBeVisible()
  await page.keyboard.press(' ')
})

test('a replay shows the past, plays by itself, and is exported as a page that works from disk', async ({
  openSample,
}) => {
  const page = await openSample()
  await toStrata(page)
  await expect.poll(() => coloursDrawn(page)).toBeGreaterThan(4)
  await page.keyboard.press('p')
  const replay = page.getByRole('region', { name: 'Replay' })
  const moment = replay.getByRole('slider', { name: 'Moment' })
  await expect(replay.getByRole('status')).toContainText(/^0 of 377/)
  await moment.fill('200')
  await expect(page).toHaveURL(/layers\.at=200/)
  await expect(replay.getByRole('status')).toContainText(
    /^200 of 377\smessages · Mar \d+, \d\d:\d\d · \d\scompactions? · window ≈/,
  )

  // It plays to its end, faster when asked.
  for (const _ of [1, 2, 3]) await page.keyboard.press('>')
  await expect(replay.getByRole('combobox', { name: /^Speed/ })).toHaveValue('8')
  await stage(page).focus()
  await page.keyboard.press('Space')
  await expect(replay.getByRole('status')).toContainText(/^377 of 377/)
  await expect(page).toHaveURL(/layers\.at=377/)
  await expect(replay.getByRole('button', { name: 'Play (Space)' })).toBeVisible()

  const download = page.waitForEvent('download')
  await replay.getByRole('button', { name: 'Export as HTML' }).click()
  const file = await (await download).path()
  await page.keyboard.press('p')
  await expect(replay).toBeHidden()

  const copy = `${file}.html`
  await copyFile(file, copy)
  const exported = await page.context().newPage()
  const errors: string[] = []
  exported.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await exported.goto(`file://${copy}`)
  await exported.getByRole('slider', { name: 'Moment' }).fill('200')
  await expect(exported.getByRole('status')).toContainText('200 of 377 messages · window ≈')
  await exported.getByRole('button', { name: 'Play' }).click()
  await expect(exported.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(exported.getByRole('status')).not.toContainText('200 of 377')
  expect(errors).toEqual([])
  await exported.close()
})
