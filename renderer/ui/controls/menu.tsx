import { type ReactNode, type ToggleEvent, useId, useRef } from 'react'
import { classNames } from './class-names.ts'
import styles from './menu.module.css'

type MenuItem = {
  readonly label: string
  readonly onSelect: () => void
  /** Marks the present choice. */
  readonly isChecked?: boolean
  readonly hint?: string
  /** Stands apart from what is above it. */
  readonly isApart?: boolean
}

type Props = {
  /** The name of the button and the list. */
  readonly label: string
  /** The content of the button. */
  readonly children: ReactNode
  readonly items: readonly MenuItem[]
  /** Stands in a frame, as other buttons do. */
  readonly isFramed?: boolean
  readonly className?: string | undefined
}

/** A button that opens a short list. Esc and a click elsewhere close it; arrow keys move in it. */
export function Menu({ label, children, items, isFramed, className }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState !== 'open' || button.current === null) return
    const anchor = button.current.getBoundingClientRect()
    const list = event.currentTarget
    const left = Math.min(anchor.left, window.innerWidth - list.offsetWidth - 8)
    const isBelow = anchor.bottom + list.offsetHeight + 8 < window.innerHeight
    list.style.left = `${Math.max(8, left)}px`
    list.style.top = `${isBelow ? anchor.bottom + 4 : anchor.top - list.offsetHeight - 4}px`
    list.querySelector('button')?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={classNames(styles.button, isFramed && styles.framed, className)}
        popoverTarget={id}
        aria-haspopup="menu"
        title={label}
        aria-label={label}
      >
        {children}
      </button>
      <div
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className={styles.list}
        onToggle={place}
        onKeyDown={move}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            {...(item.isChecked === undefined
              ? { role: 'menuitem' }
              : { role: 'menuitemradio', 'aria-checked': item.isChecked })}
            className={classNames(styles.item, item.isApart && styles.apart)}
            popoverTarget={id}
            popoverTargetAction="hide"
            onClick={item.onSelect}
          >
            <span className={styles.check}>{item.isChecked ? '✓' : ''}</span>
            {item.label}
            {item.hint && <span className={styles.hint}>{item.hint}</span>}
          </button>
        ))}
      </div>
    </>
  )
}

function move(event: { key: string; currentTarget: HTMLElement; preventDefault(): void }): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const items: (Element | null)[] = [...event.currentTarget.querySelectorAll('button')]
  const current = items.indexOf(document.activeElement)
  const next = items[(current + step + items.length) % items.length]
  if (next instanceof HTMLElement) next.focus()
}
