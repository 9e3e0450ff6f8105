import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

export type Size = { readonly width: number; readonly height: number }

/** Returns the inner size of an element in CSS pixels and updates it. Null before it is known. */
export function useSize(ref: RefObject<Element | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const read = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}

/** Returns the width of an element in CSS pixels and updates it. 0 before it is on the page. */
export function useWidth<T extends Element>(): readonly [RefObject<T | null>, number] {
  const ref = useRef<T>(null)
  return [ref, useSize(ref)?.width ?? 0]
}
