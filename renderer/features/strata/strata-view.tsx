import { type ReactNode, useRef } from 'react'
import { STRATA_AXES } from '#core/contract/lists.ts'
import type { StrataAxis } from '#core/contract/strata.ts'
import { navigate, useShownChoice } from '#renderer/routes.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { Splitter } from '#renderer/ui/controls/splitter.tsx'
import { useStored } from '#renderer/ui/data/use-stored.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { COLOR_BY } from './bar-color.ts'
import { StrataStage } from './strata-stage.tsx'
import { StrataToolbar } from './strata-toolbar.tsx'
import styles from './strata-view.module.css'
import { useStrata } from './use-strata-queries.ts'

type Props = {
  readonly conversationId: number
  /** Chooses another form of the layers. */
  readonly forms: ReactNode
  /** The content below the splitter: the lineage of the selected node. */
  readonly children?: ReactNode
}

const DEFAULT_HEIGHT = 402
/** In a high window the drawing has this part of it. */
const DEFAULT_SHARE = 0.46
const MIN_HEIGHT = 220
const MIN_BELOW = 150

/** A conversation as strata: the history along x, its compression along y, and what the model sees highlighted. */
export function StrataView({ conversationId, forms, children }: Props) {
  const view = useRef<HTMLDivElement>(null)
  const size = useSize(view)
  const [axis] = useShownChoice('layers.axis', STRATA_AXES)
  const [colorBy, setColorBy] = useShownChoice('layers.color', COLOR_BY)
  // Positions on one axis mean nothing on another.
  const setAxis = (next: StrataAxis) =>
    navigate({ shown: { 'layers.axis': next === STRATA_AXES[0] ? null : next, 'layers.zoom': null } }, 'replace')
  const [stored, setHeight] = useStored<number>('strata.height', 0)
  const height = stored || Math.max(DEFAULT_HEIGHT, Math.round((size?.height ?? 0) * DEFAULT_SHARE))
  const { data: strata, error, refetch } = useStrata(conversationId, axis)
  const max = Math.max(MIN_HEIGHT, (size?.height ?? Number.POSITIVE_INFINITY) - MIN_BELOW)

  const content = () => {
    if (error && strata === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />
    if (strata === undefined) return <Loading what="the layers" />
    if (strata.totalMessages === 0 && strata.summaries.id.length === 0)
      return (
        <EmptyState title="Nothing has been said yet">
          This conversation has no message. They appear here as its agent writes them.
        </EmptyState>
      )
    const key = `${strata.conversationId} ${strata.axis}`
    return <StrataStage key={key} strata={strata} colorBy={colorBy} />
  }

  return (
    <div ref={view} className={styles.view}>
      <section
        className={styles.upper}
        style={children === undefined ? { flex: 1 } : { height: Math.min(height, max) }}
        aria-label="Layers"
      >
        <StrataToolbar
          {...{
            axis,
            onAxis: setAxis,
            colorBy,
            onColorBy: setColorBy,
            forms,
            strata,
          }}
        />
        {content()}
      </section>
      {children !== undefined && (
        <>
          <Splitter
            label="layers"
            orientation="horizontal"
            size={Math.min(height, max)}
            min={MIN_HEIGHT}
            max={Number.isFinite(max) ? max : DEFAULT_HEIGHT}
            pane="before"
            onResize={setHeight}
          />
          <div className={styles.lower}>{children}</div>
        </>
      )}
    </div>
  )
}
