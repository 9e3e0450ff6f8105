import { useEffect, useRef } from 'react'

/** Handlers by key, named as in `KeyboardEvent.key`: `j`, `ArrowLeft`, `?`. `Mod+k` means Ctrl, and ⌘ on a Mac. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

const isMac = () => navigator.platform.startsWith('Mac')

/** Returns the name under which a key press is bound. Shift is part of the character and not named. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>, mac: boolean): string {
  const mod = mac ? event.metaKey : event.ctrlKey
  const other = mac ? event.ctrlKey : event.metaKey
  const name = event.key.length === 1 && mod ? event.key.toLowerCase() : event.key
  return `${other ? 'Other+' : ''}${event.altKey ? 'Alt+' : ''}${mod ? 'Mod+' : ''}${name}`
}

/** True while the user types, so that letters are text. Sliders and checkboxes take no text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}

/** Enter presses a focused button, whatever else it does in the view. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, summary, a[href]') !== null
}

/** An open dialog or menu takes the keys. */
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
