import type { FactTrace } from '../../../core/contract/trace.ts'
import { formatDuration } from '../../ui/format.ts'
import { formatShort } from '../../ui/format-time.ts'
import styles from './stood-bar.module.css'

type Props = { readonly trace: FactTrace; readonly nowMs: number }

/** When what is traced stood in the window: in from its message on, out since the run that dropped it. */
export function StoodBar({ trace: { stood, lostAt }, nowMs }: Props) {
  const first = stood[0]?.fromAtMs
  if (first === undefined) return null
  const last = Math.max(first, ...stood.flatMap(({ fromAtMs, toAtMs }) => [fromAtMs, toAtMs ?? fromAtMs]))
  // What still stands goes on after the last change, which the file does not say anything about.
  const end = last + Math.max(1, (last - first) * 0.06)
  const at = (ms: number): string => `${(((ms - first) / Math.max(1, end - first)) * 100).toFixed(2)}%`
  const [, again] = stood
  const out = stood[0]?.toAtMs ?? null
  return (
    <div className={styles.stood}>
      <p className={styles.ends}>
        <span>{out === null || out > first ? 'in the window' : 'out'}</span>
        {out !== null && again && <span className={styles.out}>out for {formatDuration(again.fromAtMs - out)}</span>}
        {again && <span>back, {again.id}</span>}
      </p>
      <div className={styles.bar} aria-hidden="true">
        {stood.map(({ id, fromAtMs, toAtMs }) => (
          <span
            key={`${id} ${fromAtMs}`}
            style={{ left: at(fromAtMs), right: `calc(100% - ${toAtMs === null ? '100%' : at(toAtMs)})` }}
          />
        ))}
      </div>
      <p className={styles.ends}>
        <span>{formatShort(first, nowMs)}</span>
        {out !== null && (
          <span className={styles.lost}>
            {lostAt?.run ? `run ${lostAt.run}, ` : ''}
            {formatShort(out, nowMs)}
          </span>
        )}
        {again && <span>{formatShort(again.fromAtMs, nowMs)}</span>}
      </p>
    </div>
  )
}
