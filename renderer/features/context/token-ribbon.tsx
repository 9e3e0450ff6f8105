import { useMemo, useState } from 'react'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { formatTokens, plural } from '../../ui/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import type { Category } from './category.ts'
import { isTooSmallToRead, ribbonScale, type Segment, segmentsOf } from './ribbon.ts'
import { RibbonBand } from './ribbon-band.tsx'
import { RibbonMarks } from './ribbon-marks.tsx'
import { RibbonTip } from './ribbon-tip.tsx'
import styles from './token-ribbon.module.css'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
  /** Lights up one category and dims the others. */
  readonly category: Category | null
  readonly onSelect: (id: string) => void
}

const HEIGHT = 34
/** Of the band to scale while another one magnifies it. */
const SMALL_HEIGHT = 12

/**
 * The window to scale, item after item, with the thresholds marked; a window that fills little of it is shown magnified
 * as well. The table below says the same in words.
 */
export function TokenRibbon({ window, selection, category, onSelect }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<Segment | null>(null)
  const { items, tokens } = window
  const scale = ribbonScale(window)
  const isSmall = isTooSmallToRead(tokens, scale)
  const toScale = useMemo(() => segmentsOf(items, width, scale), [items, width, scale])
  const magnified = useMemo(() => (isSmall ? segmentsOf(items, width, tokens) : []), [isSmall, items, width, tokens])
  const selected = useMemo(
    () => (selection === null ? -1 : items.findIndex((item) => item.id === selection && item.included)),
    [items, selection],
  )
  const band = {
    widthPx: width,
    category,
    selected,
    hovered,
    onHover: setHovered,
    onSelect: (segment: Segment) => {
      const id = items[segment.main]?.id
      if (id !== undefined) onSelect(id)
    },
  }
  const count = plural(items.filter((item) => item.included).length, 'item')
  return (
    <div className={styles.ribbon} ref={box}>
      <RibbonBand
        {...band}
        segments={toScale}
        heightPx={isSmall ? SMALL_HEIGHT : HEIGHT}
        label={`${formatTokens(tokens)} of ${formatTokens(window.budget)} in ${count}`}
      />
      <RibbonMarks window={window} scale={scale} heightPx={isSmall ? SMALL_HEIGHT : HEIGHT} />
      {isSmall && (
        <>
          <div
            className={styles.wedge}
            style={{ clipPath: `polygon(0 0, ${(tokens / scale) * 100}% 0, 100% 100%, 0 100%)` }}
          />
          <RibbonBand {...band} segments={magnified} heightPx={HEIGHT} label={`The same, magnified`} />
        </>
      )}
      {hovered !== null && <RibbonTip segment={hovered} window={window} widthPx={width} />}
    </div>
  )
}
