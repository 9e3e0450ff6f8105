import { formatBytes, formatPercent } from '../../ui/format.ts'
import type { Part } from './storage-rows.ts'
import styles from './storage-view.module.css'

/** File and log to scale. */
export function PartsBar({ parts }: { readonly parts: readonly Part[] }) {
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0)
  return (
    <div className={styles.parts}>
      <div className={styles.bar} aria-hidden="true">
        {parts.map(({ use, bytes, color, label }) => (
          <span key={use} style={{ flexGrow: bytes, background: color }} title={`${label}: ${formatBytes(bytes)}`} />
        ))}
      </div>
      <ul className={styles.legend}>
        {parts.map(({ use, bytes, color, label }) => (
          <li key={use}>
            <span className={styles.swatch} style={{ background: color }} aria-hidden="true" />
            {label} <span className={styles.dim}>{`${formatBytes(bytes)}, ${formatPercent(bytes / whole)}`}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
