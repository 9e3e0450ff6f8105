import type { Support } from '../../../core/contract/provenance.ts'
import styles from './support-mark.module.css'
import { SUPPORT_TEXTS } from './wording.ts'

const DISCS: Readonly<Record<Support, string>> = { supported: '●', weak: '◐', none: '○' }

/** The disc of a degree of support, with its name or another text. */
export function SupportMark({ support, children }: { readonly support: Support; readonly children?: string }) {
  return (
    <span className={styles.mark} data-support={support}>
      <span className={styles.disc} aria-hidden="true">
        {DISCS[support]}
      </span>
      {children ?? SUPPORT_TEXTS[support]}
    </span>
  )
}
