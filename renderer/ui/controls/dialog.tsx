import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { currentPlace, onRouteChange } from '#renderer/routes.ts'
import { classNames } from './class-names.ts'
import styles from './dialog.module.css'
import { IconButton } from './icon-button.tsx'

type Props = {
  readonly title: string
  /** Keeps the title for screen readers only. */
  readonly isTitleHidden?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons at the foot. Enter presses the last one. */
  readonly actions?: ReactNode
  readonly width?: number
}

/**
 * A dialog that opens when it is rendered, and closes by Esc, its cross, a click beside it, or when the user goes
 * elsewhere. The element with `data-autofocus` gets the focus, or else the dialog itself. Afterwards the focus returns.
 */
export function Dialog({ title, isTitleHidden = false, onClose, children, actions, width = 520 }: Props) {
  const titleId = useId()
  useClosedElsewhere(onClose)
  const closeBeside = (event: MouseEvent<HTMLDialogElement>) => {
    if (event.target === event.currentTarget) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click beside the dialog does
    <dialog
      ref={open}
      tabIndex={-1}
      className={styles.dialog}
      style={{ width }}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={closeBeside}
    >
      <div className={styles.frame}>
        <header className={classNames(styles.header, isTitleHidden && 'unseen')}>
          <h2 id={titleId}>{title}</h2>
          {!isTitleHidden && <IconButton icon="close" label="Close" onClick={onClose} />}
        </header>
        <div className={styles.body}>{children}</div>
        {actions !== undefined && <footer className={styles.footer}>{actions}</footer>}
      </div>
    </dialog>
  )
}

function useClosedElsewhere(onClose: () => void): void {
  const latest = useRef(onClose)
  useEffect(() => {
    latest.current = onClose
  })
  useEffect(() => {
    const place = currentPlace()
    return onRouteChange(() => {
      if (currentPlace() !== place) latest.current()
    })
  }, [])
}

function open(dialog: HTMLDialogElement | null): void {
  if (dialog === null || dialog.open) return
  dialog.showModal()
  // React's own autoFocus comes too early, because no element of a closed dialog can have the focus.
  const first = dialog.querySelector('[data-autofocus]') ?? dialog
  if (first instanceof HTMLElement) first.focus()
}
