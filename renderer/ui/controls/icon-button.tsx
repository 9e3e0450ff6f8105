import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'
import styles from './icon-button.module.css'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'children'> & {
  readonly icon: IconName
  /** The action, as the name for a screen reader and as the title. */
  readonly label: string
}

/** A button with a picture. */
export function IconButton({ icon, label, className, title, ...rest }: Props) {
  return (
    <button
      type="button"
      className={classNames(styles.button, className)}
      aria-label={label}
      title={title ?? label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}
