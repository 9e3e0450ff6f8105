import type { Strata } from '#core/contract/strata.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { layerName } from '#renderer/ui/nodes/depth-color.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { barsPath, laneRows } from './lane-rows.ts'
import { mergeNarrow } from './merge-narrow.ts'
import styles from './strata-sketch.module.css'
import { useStrata } from './use-strata-queries.ts'

const PITCH = 20
const BAR = 12
const NARROW_PX = 2

/** The strata in small: a row for each layer, with its name in words. Nothing of a conversation without messages. */
export function StrataSketch({ conversationId }: { readonly conversationId: number }) {
  const { data, error, refetch } = useStrata(conversationId, 'messages')
  if (data !== undefined) return data.totalMessages === 0 ? null : <Sketch strata={data} />
  return error ? <ErrorLine error={error} onRetry={() => void refetch()} /> : <Loading what="the layers" lines={3} />
}

const rowsOf = keptOf((strata: Strata, width: number) => {
  const scale = { x0: 0, x1: Math.max(1, strata.extent), left: 0, width: Math.max(1, width) }
  const [window, ...depths] = laneRows(strata, scale)
  const raw = strata.window.filter(({ depth, isLeftOut }) => depth < 0 && !isLeftOut).sort((a, b) => a.x0 - b.x0)
  const entries = raw.map((_, at) => at)
  const seen = mergeNarrow({ x0: raw.map(({ x0 }) => x0), x1: raw.map(({ x1 }) => x1), entries }, scale, NARROW_PX)
  return [
    ...(window ? [{ ...window, name: 'what the model sees' }] : []),
    ...depths.map((row) => ({ ...row, name: layerName(row.depth) })),
    { name: 'messages', color: 'var(--assistant)', runs: seen },
  ]
})

function Sketch({ strata }: { readonly strata: Strata }) {
  const [box, width] = useWidth<HTMLDivElement>()
  const rows = rowsOf(strata, width)
  const names = rows.map(({ name }, row) => (name === rows[row - 1]?.name ? '' : name))
  return (
    <div className={styles.sketch}>
      <div className={styles.names} aria-hidden="true">
        {names.map((name, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place, and some share a name
          <span key={row}>{name}</span>
        ))}
      </div>
      <div ref={box} className={styles.rows}>
        <svg
          width={width}
          height={rows.length * PITCH}
          role="img"
          aria-label={`${plural(strata.totalMessages, 'message')} below ${plural(strata.summaries.id.length, 'summary', 'summaries')}, and what the model sees of them`}
        >
          {rows.map(({ color, runs }, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <g key={row}>
              {row === rows.length - 1 && (
                <rect className={styles.all} x={0} y={row * PITCH + 4} width={width} height={BAR} rx={2} />
              )}
              <path fill={color} d={barsPath(runs, row * PITCH + (row === 0 ? 8 : 4), row === 0 ? 4 : BAR, 2)} />
            </g>
          ))}
        </svg>
      </div>
    </div>
  )
}
