/** What the page itself notes about its speed. */
type WindowProbe = {
  /** When the strata first had more than their ground, or null. Milliseconds since the navigation. */
  drawnAtMs: number | null
  /** When frames began, while they are sampled. */
  frames: number[] | null
  /** Milliseconds from an event to the frame that shows what was awaited, or null while it is awaited. */
  answer: number | null
  /**
   * Waits from the next event of this type on until what is asked for is on screen. A place is on screen when its tab is
   * the current one and nothing in it is being fetched; `name` is its view.
   */
  readonly await: (event: 'pointerup' | 'input', what: 'detail' | 'hit' | 'range' | 'place', name?: string) => void
}

declare global {
  interface Window {
    probe: WindowProbe
  }
}

/** Runs in the page before anything else. It stands by itself, since only its text goes there. */
export function installProbe(): void {
  const STRIP_PX = 8
  const noteDrawing = () => {
    const canvas = document.querySelector('canvas')
    const pen = canvas?.getContext('2d', { willReadFrequently: false })
    // A strip of it, so that looking costs next to nothing.
    const isDrawn =
      canvas &&
      pen &&
      canvas.width > 300 &&
      new Set(pen.getImageData(canvas.width / 2, 0, STRIP_PX, canvas.height / 2).data).size > 12
    if (isDrawn) probe.drawnAtMs = performance.now()
    else requestAnimationFrame(noteDrawing)
  }
  requestAnimationFrame(noteDrawing)

  const address = () => new URLSearchParams(location.hash.split('?')[1])
  const isShown = {
    detail: () => {
      const id = address().get('select')
      return id !== null && document.querySelector(`aside[aria-label="Detail"] [aria-label="Copy ${id}"]`) !== null
    },
    hit: () =>
      document.querySelector('#search-hits [role=row][aria-selected]') !== null ||
      document.querySelector('main [role=status]')?.textContent?.startsWith('0 hits ·') === true,
    range: () => {
      const [first, last] = (address().get('layers.range') ?? '').split('-').map(Number)
      const text = document.querySelector('[aria-label=Range]')?.textContent ?? ''
      return text.includes(`messages ${first?.toLocaleString('en')} – ${last?.toLocaleString('en')}`)
    },
    place: (name: string) =>
      document.querySelector(`nav[aria-label=Views] [aria-current][data-view=${name}]`) !== null &&
      document.querySelector('main [role=status][aria-label^=Loading]') === null,
  } as const

  const probe: WindowProbe = {
    drawnAtMs: null,
    frames: null,
    answer: null,
    await: (event, what, name = '') => {
      probe.answer = null
      const begin = ({ timeStamp }: Event) => {
        const look = () => {
          // The frame that shows it ends after this callback.
          if (isShown[what](name)) setTimeout(() => (probe.answer = performance.now() - timeStamp))
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }
      addEventListener(event, begin, { capture: true, once: true })
    },
  }
  window.probe = probe

  const tick = (atMs: number) => {
    probe.frames?.push(atMs)
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
}
