import type { Strata } from '#core/contract/strata.ts'
import { formatAbsolute, formatDate, formatShort } from '#renderer/ui/texts/format-time.ts'
import { type ColorBy, legendOf } from './bar-color.ts'
import { coreText } from './core-drill.ts'
import type { Scene } from './scene.ts'
import styles from './strata-stage.module.css'

type Props = Pick<Scene, 'age' | 'palette' | 'findings' | 'core'> & {
  readonly colorBy: ColorBy
  readonly strata: Strata
}

const TIME_FORMATS = [(atMs: number) => formatDate(atMs), (atMs: number) => formatShort(atMs), formatAbsolute]
/** In files of other systems and imported ones, rows are often younger than what they say. */
const ROW_TIMES = 'When the rows of the summaries were written. The axis shows when the messages were said.'

/** The meaning of the colours. For depths the rows name it; full and dimmed colours are always explained. */
export function StrataLegend({ colorBy, palette, age, strata, findings = [], core }: Props) {
  const survives = core == null ? null : coreText(core)
  if (survives !== null)
    return (
      <div className={styles.legend}>
        <span>{survives}</span>
      </div>
    )
  const legend = legendOf(colorBy, palette, age, TIME_FORMATS)
  return (
    <div className={styles.legend}>
      {strata.summaries.id.length > 0 && colorBy !== 'survival' && (
        <>
          <span className={styles.key}>
            <span className={styles.swatch} style={{ background: palette.dim }} />
            in the window
          </span>
          <span className={styles.key}>
            <span className={styles.swatchDim} style={{ background: palette.dim }} />
            not itself in the window
          </span>
        </>
      )}
      {strata.window.some((run) => run.isLeftOut) && (
        <span className={styles.key}>
          <span className={styles.swatchDim} style={{ background: palette.lit }} />
          wants in, but is left out
        </span>
      )}
      {legend.kind === 'scale' && (
        <span className={styles.key} title={colorBy === 'age' ? ROW_TIMES : undefined}>
          {legend.from}
          <span
            className={styles.ramp}
            style={{ background: `linear-gradient(to right, ${legend.stops.join(', ')})` }}
          />
          {legend.to}
          {colorBy === 'age' && ' (when its row was written)'}
        </span>
      )}
      {legend.kind === 'names' && legend.of !== undefined && <span className={styles.of}>{legend.of}</span>}
      {legend.kind === 'names' &&
        legend.entries.map(({ color, label, isHollow }) => (
          <span key={label} className={styles.key} title={legend.of && `${legend.of}: ${label}`}>
            <span
              className={isHollow ? styles.swatchHollow : styles.swatch}
              style={isHollow ? { borderColor: color } : { background: color }}
            />
            {label}
          </span>
        ))}
      {(['error', 'warning'] as const).map(
        (severity) =>
          findings.some((finding) => finding.severity === severity) && (
            <span key={severity} className={styles.key}>
              <span className={styles.tick} style={{ background: palette[severity] }} />
              {severity} found
            </span>
          ),
      )}
    </div>
  )
}
