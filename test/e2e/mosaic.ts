import type { Browser, Page } from '@playwright/test'

/** A picture in which each tile has the mean colour of 8 by 8 pixels: red, green and blue, row after row. */
export type Mosaic = { readonly columns: number; readonly rows: number; readonly colours: readonly number[] }

const TILE_PX = 8
/**
 * Smoothing of fonts and edges by another Chromium changes the mean of a tile by a few of 255 steps, and a label that is
 * not there by forty.
 */
const MOST_STEPS = 14

/** Opens an empty page in which pictures are decoded and encoded. */
export async function openWorkbench(browser: Browser): Promise<Page> {
  return await (await browser.newContext()).newPage()
}

/** Takes a picture of a page. */
export async function mosaicOf(page: Page, workbench: Page): Promise<Mosaic> {
  // Whether what was clicked still looks pointed at below a dialog is a matter of moments.
  await page.mouse.move(0, 0)
  const picture = await page.screenshot({ type: 'jpeg', quality: 85, animations: 'disabled', caret: 'hide' })
  return workbench.evaluate(
    async ([base64, tile]) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/jpeg;base64,${base64}`)).blob())
      const [columns, rows] = [Math.ceil(bitmap.width / tile), Math.ceil(bitmap.height / tile)]
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true })
      if (pen === null) throw new Error('this browser draws no pictures')
      pen.drawImage(bitmap, 0, 0)
      const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height)
      const [sums, counts] = [new Float64Array(columns * rows * 3), new Float64Array(columns * rows)]
      for (let pixel = 0; pixel < bitmap.width * bitmap.height; pixel += 1) {
        const [x, y] = [pixel % bitmap.width, Math.floor(pixel / bitmap.width)]
        const at = Math.floor(y / tile) * columns + Math.floor(x / tile)
        counts[at] = (counts[at] ?? 0) + 1
        for (let part = 0; part < 3; part += 1)
          sums[at * 3 + part] = (sums[at * 3 + part] ?? 0) + (data[pixel * 4 + part] ?? 0)
      }
      const colours = Array.from(sums, (sum, at) => Math.round(sum / (counts[Math.floor(at / 3)] ?? 1)))
      return { columns, rows, colours }
    },
    [picture.toString('base64'), TILE_PX] as const,
  )
}

/** Returns the places at which two pictures differ, with both colours, or that there is nothing to compare with. */
export function tilesThatDiffer(seen: Mosaic, wanted: Mosaic | undefined): readonly string[] {
  if (wanted === undefined || wanted.columns !== seen.columns || wanted.rows !== seen.rows)
    return ['nothing of this size is recorded']
  const places: string[] = []
  for (let tile = 0; tile < seen.columns * seen.rows; tile += 1) {
    const [is, was] = [seen, wanted].map(({ colours }) => colours.slice(tile * 3, tile * 3 + 3)) as [number[], number[]]
    if (!is.some((value, part) => Math.abs(value - (was[part] ?? 0)) > MOST_STEPS)) continue
    const [x, y] = [(tile % seen.columns) * TILE_PX, Math.floor(tile / seen.columns) * TILE_PX]
    places.push(`${2 * x},${2 * y}: was rgb(${was}), is rgb(${is})`)
  }
  return places
}

/** Writes mosaics of one size below each other into a PNG. */
export async function writeSheet(workbench: Page, mosaics: readonly Mosaic[]): Promise<Buffer> {
  const base64 = await workbench.evaluate(
    async ([columns, rows, colours]) => {
      const canvas = new OffscreenCanvas(columns, rows)
      const pixels = new ImageData(columns, rows)
      for (let pixel = 0; pixel < columns * rows; pixel += 1)
        pixels.data.set([...colours.slice(pixel * 3, pixel * 3 + 3), 255], pixel * 4)
      canvas.getContext('2d')?.putImageData(pixels, 0, 0)
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    },
    [
      mosaics[0]?.columns ?? 0,
      mosaics.reduce((sum, { rows }) => sum + rows, 0),
      mosaics.flatMap(({ colours }) => colours),
    ] as const,
  )
  return Buffer.from(base64, 'base64')
}

/** Reads the mosaics of a sheet. */
export async function readSheet(workbench: Page, png: Buffer, count: number): Promise<readonly Mosaic[]> {
  const { columns, height, colours } = await workbench.evaluate(async (base64) => {
    const blob = await (await fetch(`data:image/png;base64,${base64}`)).blob()
    const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none' })
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    if (pen === null) throw new Error('this browser draws no pictures')
    pen.drawImage(bitmap, 0, 0)
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height)
    return { columns: bitmap.width, height: bitmap.height, colours: Array.from(data).filter((_, at) => at % 4 < 3) }
  }, png.toString('base64'))
  const rows = Math.floor(height / count)
  return Array.from({ length: count }, (_, at) => ({
    columns,
    rows,
    colours: colours.slice(at * rows * columns * 3, (at + 1) * rows * columns * 3),
  }))
}
