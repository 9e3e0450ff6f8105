import type { ButtonHTMLAttributes } from 'react'
import styles from './button.module.css'
import { classNames } from './class-names.ts'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> & {
  /** `primary` is used at most once in a view, and never for what cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
  /** Gives the button the focus when its dialog opens. */
  readonly 'data-autofocus'?: ''
}

/** A button with a text. */
export function Button({ look = 'plain', className, ...rest }: Props) {
  return <button type="button" className={classNames(styles.button, styles[look], className)} {...rest} />
}
