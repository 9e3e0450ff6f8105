import { AxisText } from '#renderer/ui/charts/chart-grid.tsx'
import { formatCompact } from '#renderer/ui/texts/format.ts'
import { amountText, type Freed, freedTokens, type Spending } from './chart-lanes.ts'
import styles from './pressure-chart.module.css'

export const FREED_PX = 26
export const SPENT_PX = 40
/** The room of the label on top of the bars. */
const SPENT_TOP = 8
const FREED_BAR_PX = 3

type FreedLaneProps = {
  readonly freed: readonly Freed[]
  readonly x: (at: number) => number
  readonly width: number
  readonly chosen: Freed | null
}

/** The tokens that each run took out of the window, hanging down. */
export function FreedLane({ freed, x, width, chosen }: FreedLaneProps) {
  const most = freed.reduce((all, one) => Math.max(all, freedTokens(one)), 1)
  const bar = (one: Freed): string => {
    const height = Math.max(2, (freedTokens(one) / most) * (FREED_PX - 4))
    return `M${(x(one.x) - FREED_BAR_PX / 2).toFixed(1)} 1h${FREED_BAR_PX}v${height.toFixed(1)}h-${FREED_BAR_PX}Z`
  }
  return (
    <>
      <line className={styles.laneLine} x1={0} x2={width} y1={0.5} y2={0.5} />
      <AxisText x={-8} y={12} anchor="end">
        freed
      </AxisText>
      <AxisText x={-8} y={24} anchor="end">
        {freed.length > 0 ? `≤ ${formatCompact(most)}` : ''}
      </AxisText>
      <path className={styles.freed} d={freed.map(bar).join('')} />
      {chosen && <path className={styles.chosenFreed} d={bar(chosen)} />}
    </>
  )
}

type SpentLaneProps = {
  readonly spending: Spending
  readonly x: (at: number) => number
  readonly width: number
  readonly chosen: number | null
}

/** What the answers cost in each part of the axis, with the part that breaks of the prompt cache made. */
export function SpentLane({ spending: { bars, unit, most }, x, width, chosen }: SpentLaneProps) {
  const bar = (index: number, from: number, to: number): string => {
    const one = bars[index]
    if (one === undefined || to <= from) return ''
    const [left, right] = [x(one.x0), x(one.x1)]
    const y = (amount: number) => SPENT_PX - (amount / (most || 1)) * (SPENT_PX - SPENT_TOP)
    const wide = Math.max(1, right - left - 1).toFixed(1)
    return `M${left.toFixed(1)} ${y(from).toFixed(1)}h${wide}V${y(to).toFixed(1)}h-${wide}Z`
  }
  const [plain, broken] = [
    bars.map((one, index) => bar(index, 0, one.amount - one.broken)).join(''),
    bars.map((one, index) => bar(index, one.amount - one.broken, one.amount)).join(''),
  ]
  return (
    <>
      <line className={styles.laneLine} x1={0} x2={width} y1={SPENT_TOP} y2={SPENT_TOP} />
      <AxisText x={-8} y={SPENT_TOP + 4} anchor="end">
        {amountText(most, unit)}
      </AxisText>
      <AxisText x={-8} y={SPENT_PX} anchor="end">
        {unit === 'cost' ? 'cost' : 'sent'}
      </AxisText>
      <path className={styles.spent} d={plain} />
      <path className={styles.broken} d={broken} />
      {chosen !== null && <path className={styles.chosenSpent} d={bar(chosen, 0, bars[chosen]?.amount ?? 0)} />}
    </>
  )
}
