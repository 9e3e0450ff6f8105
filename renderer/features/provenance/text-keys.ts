type Extension = { readonly direction: 'forward' | 'backward'; readonly by: 'word' | 'line' }

const EXTENSIONS: Readonly<Record<string, Extension>> = {
  ArrowRight: { direction: 'forward', by: 'word' },
  ArrowLeft: { direction: 'backward', by: 'word' },
  ArrowDown: { direction: 'forward', by: 'line' },
  ArrowUp: { direction: 'backward', by: 'line' },
}

/**
 * Selects words of a text with Shift and the arrow keys, beginning at the current sentence. Without this the browser
 * does so only after a click into the text.
 * @returns whether the key was one of these
 */
export function extendSelection(area: HTMLElement, key: string, current: number | null): boolean {
  const extension = EXTENSIONS[key]
  const selection = window.getSelection()
  if (extension === undefined || selection === null) return false
  const isInside = selection.anchorNode !== null && area.contains(selection.anchorNode) && !selection.isCollapsed
  if (!isInside) {
    const start = area.querySelector(current === null ? '[data-claim]' : `[data-claim="${current}"]`)
    const text = start?.querySelector('[data-start]')?.firstChild
    if (!text) return false
    selection.collapse(text, 0)
  }
  selection.modify('extend', extension.direction, extension.by)
  return true
}
