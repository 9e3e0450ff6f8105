import { useEffect, useRef } from 'react'

/** Handlers by key, as `KeyboardEvent.key` says it: `j`, `ArrowLeft`, `?`; `Mod+k` means Ctrl, on a Mac ⌘. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

const isMac = () => navigator.platform.startsWith('Mac')

/** The name under which a key press is bound. Shift is part of the character and not named. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>, mac: boolean): string {
  const mod = mac ? event.metaKey : event.ctrlKey
  const other = mac ? event.ctrlKey : event.metaKey
  const name = event.key.length === 1 && mod ? event.key.toLowerCase() : event.key
  return `${other ? 'Other+' : ''}${event.altKey ? 'Alt+' : ''}${mod ? 'Mod+' : ''}${name}`
}

/** Whoever types means letters. A range and a checkbox take no text, and let letters pass. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}

/** Enter on a button presses it, whatever else Enter does in the view. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, summary, a[href]') !== null
}

/** A dialog or a menu is open, and takes the keys. */
const isElsewhere = () => document.querySelector('dialog[open], :popover-open') !== null

/**
 * Binds keys for as long as the component is there. Silent while a dialog or menu is open or somebody types, except for
 * bindings with `Mod+`, which work while typing too. A handler that is bound keeps the key from the browser and from
 * others, unless it returns false.
 */
export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings)
  useEffect(() => {
    latest.current = bindings
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isElsewhere()) return
      const name = keyName(event, isMac())
      const handler = latest.current[name]
      if (handler === undefined || (isTyping(event.target) && !name.includes('Mod+'))) return
      if (name === 'Enter' && isPressable(event.target)) return
      if (handler(event) !== false) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}
