import { useEffect, useRef } from 'react'
import { isTyping, useKeys } from './use-keys.ts'

type ListKeys = {
  /** `j` and `k`. */
  readonly move: (steps: 1 | -1) => void
  /** `gg` and Home. */
  readonly start: () => void
  /** `G` and End. */
  readonly end: () => void
  /** Enter. */
  readonly open: () => void
}

/** The time limit between both presses of `gg`. */
const TWICE_MS = 800

/** Binds the keys that move in a list, whatever has the focus in its view. Null binds none. */
export function useListKeys(keys: ListKeys | null): void {
  useKeys(
    keys === null
      ? {}
      : {
          j: () => keys.move(1),
          k: () => keys.move(-1),
          Home: keys.start,
          End: keys.end,
          G: keys.end,
          Enter: keys.open,
        },
  )
  useTwice('g', keys?.start)
}

/** A single `g` begins a key sequence of the window, so only a second one in a row counts here. */
function useTwice(key: string, onTwice: (() => void) | undefined): void {
  const latest = useRef(onTwice)
  useEffect(() => {
    latest.current = onTwice
  })
  useEffect(() => {
    let lastMs = Number.NEGATIVE_INFINITY
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.key !== key || event.ctrlKey || event.metaKey || event.altKey) {
        lastMs = Number.NEGATIVE_INFINITY
        return
      }
      const isSecond = event.timeStamp - lastMs < TWICE_MS
      lastMs = isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp
      if (isSecond && document.querySelector('dialog[open]') === null) latest.current?.()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [key])
}
