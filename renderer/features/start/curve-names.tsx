import styles from './pressure-chart.module.css'

/** The room for names, as a part of the width of the chart. */
const NAMES = { share: 0.18, least: 140, most: 230 }

export const namesWidth = (chartWidth: number): number =>
  Math.max(NAMES.least, Math.min(NAMES.most, chartWidth * NAMES.share))

/** The end of a curve: the name of its conversation, and how full its window is. */
type CurveEnd = {
  readonly conversationId: number
  readonly name: string
  readonly y: number
  readonly share: string
}

type Props = {
  /** That of the selected conversation first. */
  readonly ends: readonly CurveEnd[]
  readonly floor: number
  readonly width: number
  readonly onChoose: ((conversationId: number) => void) | undefined
}

/** Names the curves at their ends. A click selects the conversation. */
export function CurveNames({ ends, floor, width, onChoose }: Props) {
  const tops = apart(
    ends.map(({ y }) => y),
    floor,
  )
  return ends.map(({ conversationId, name, share }, index) => (
    <button
      key={conversationId}
      type="button"
      className={styles.end}
      data-chosen={index === 0 || undefined}
      style={{ top: tops[index], width: width - 10 }}
      title={`${name}: ${share}`}
      onClick={() => onChoose?.(conversationId)}
    >
      <bdi>{name}</bdi> <span>{share}</span>
    </button>
  ))
}

const END_PX = 14

/** Returns heights at which names stand below each other without touching, each as near to its curve as that allows. */
function apart(heights: readonly number[], floor: number): readonly number[] {
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0))
  const tops: number[] = []
  let below = 0
  for (const [rank, index] of order.entries()) {
    // The lowest ones are pushed up by the floor, and the others down by those above them.
    const most = floor - (order.length - 1 - rank) * END_PX
    tops[index] = Math.min(Math.max(heights[index] ?? 0, below), most)
    below = (tops[index] ?? 0) + END_PX
  }
  return tops
}
