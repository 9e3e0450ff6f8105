import {
  AnnotationMode,
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
  VerbosityLevel,
} from 'pdfjs-dist'
// The half of PDF.js that reads documents. It runs in this worker, too, so that ending it ends everything.
import 'pdfjs-dist/build/pdf.worker.mjs'
import { type Numbered, READY } from '../texts/limited-worker.ts'

/** What this worker is asked: to draw a page, the first is 1. */
export type PdfQuestion = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly page: number
  /** The longer side of the picture, in pixels. */
  readonly sidePx: number
}

/** A page as a picture, with its words. */
export type PdfPage = {
  readonly picture: Blob
  readonly width: number
  readonly height: number
  /** The number of pages of the document. */
  readonly pages: number
  readonly words: string
}

export type PdfAnswer = PdfPage | { readonly failed: string }

/** A picture on a page that has more pixels is left out. */
const MOST_IMAGE_PIXELS = 32_000_000
const MOST_CANVAS_BYTES = 4 * MOST_IMAGE_PIXELS
const MOST_WORDS_CHARS = 20_000

/** Canvases that belong to no page, drawn by the processor: pixels are read as often as they are drawn. */
class Canvases {
  create(width: number, height: number) {
    const canvas = new OffscreenCanvas(width, height)
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) }
  }

  getNoAlphaContext(canvas: OffscreenCanvas) {
    return canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  }

  reset({ canvas }: { readonly canvas: OffscreenCanvas }, width: number, height: number): void {
    canvas.width = width
    canvas.height = height
  }

  destroy({ canvas }: { readonly canvas: OffscreenCanvas }): void {
    canvas.width = 0
    canvas.height = 0
  }
}

/** Filters are elements of a page, and a worker has none. */
class NoFilters {
  addFilter = () => 'none'
  addAlphaFilter = () => 'none'
  addLuminosityFilter = () => 'none'
  addKnockoutFilter = () => 'none'
  addHCMFilter = () => 'none'
  destroy(): void {}
}

/** The files to which documents refer by name: fonts that every reader has, maps of characters, and decoders of pictures. */
const fileAddress = (folder: string): string => new URL(`../pdf/${folder}/`, self.location.href).href

async function draw({ bytes, page, sidePx }: PdfQuestion): Promise<PdfAnswer> {
  const task = getDocument({
    data: bytes,
    // Nothing is fetched but the files of the library, and nothing is compiled.
    ...{ useWorkerFetch: true, useWasm: false, enableXfa: false },
    ...{
      cMapUrl: fileAddress('cmaps'),
      standardFontDataUrl: fileAddress('standard_fonts'),
      wasmUrl: fileAddress('wasm'),
    },
    // Fonts are drawn as outlines, and never become fonts of the window.
    ...{ disableFontFace: true, useSystemFonts: false },
    ...{ maxImageSize: MOST_IMAGE_PIXELS, canvasMaxAreaInBytes: MOST_CANVAS_BYTES },
    ...{ CanvasFactory: Canvases, FilterFactory: NoFilters },
    verbosity: VerbosityLevel.ERRORS,
  })
  try {
    return await drawPage(await task.promise, page, sidePx)
  } catch (error) {
    if (error instanceof PasswordException) return { failed: 'it needs a password' }
    return { failed: error instanceof InvalidPDFException ? 'it is damaged' : 'this page is damaged' }
  } finally {
    void task.destroy()
  }
}

async function drawPage(document: PDFDocumentProxy, number: number, sidePx: number): Promise<PdfPage> {
  const page = await document.getPage(number)
  const { width, height } = page.getViewport({ scale: 1 })
  const viewport = page.getViewport({ scale: sidePx / Math.max(width, height) })
  const canvas = new OffscreenCanvas(Math.max(1, Math.ceil(viewport.width)), Math.max(1, Math.ceil(viewport.height)))
  await page.render({
    canvas: canvas as unknown as HTMLCanvasElement,
    viewport,
    // Neither links nor forms.
    annotationMode: AnnotationMode.DISABLE,
    background: 'white',
  }).promise
  const picture = await canvas.convertToBlob({ type: 'image/png' })
  return {
    ...{ picture, width: canvas.width, height: canvas.height, pages: document.numPages },
    words: await wordsOf(page),
  }
}

async function wordsOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent()
  let words = ''
  for (const item of items) {
    if (!('str' in item)) continue
    words += item.hasEOL ? `${item.str}\n` : item.str
    if (words.length > MOST_WORDS_CHARS) return words.slice(0, MOST_WORDS_CHARS)
  }
  return words
}

self.addEventListener('message', ({ data: { id, value } }: MessageEvent<Numbered<PdfQuestion>>) => {
  if (value === undefined) return
  void draw(value).then((answer) => self.postMessage({ id, value: answer } satisfies Numbered<PdfAnswer>))
})

self.postMessage(READY)
