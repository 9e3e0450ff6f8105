import type { KeyboardEvent } from 'react'
import { STRATA_AXES } from '../../../core/contract/lists.ts'
import type { Strata, StrataAxis } from '../../../core/contract/strata.ts'
import { formatCompact, formatTokens, plural } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useConversation } from '../../ui/use-conversations.ts'
import { COLOR_BY, type ColorBy } from './bar-color.ts'
import styles from './strata-view.module.css'

type Props = {
  readonly axis: StrataAxis
  readonly onAxis: (axis: StrataAxis) => void
  readonly colorBy: ColorBy
  readonly onColorBy: (colorBy: ColorBy) => void
  readonly isTree: boolean
  readonly onTree: (isTree: boolean) => void
  readonly strata: Strata | undefined
}

const AXES = STRATA_AXES.map((value) => ({ value, label: value }))
const COLORS = COLOR_BY.map((value) => ({ value, label: value }))

/** A focused group of radio buttons uses the arrow keys itself. */
const keepArrows = (event: KeyboardEvent) => {
  if (event.key.startsWith('Arrow')) event.stopPropagation()
}

/** Chooses the meaning of x and of the colour, and shows the totals. */
export function StrataToolbar({ axis, onAxis, colorBy, onColorBy, isTree, onTree, strata }: Props) {
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Strata" onKeyDown={keepArrows}>
      <span className={styles.choice}>
        <span className={styles.name}>x</span>
        <Segmented label="What x means" options={AXES} value={axis} onChange={onAxis} />
      </span>
      <span className={styles.choice}>
        <span className={styles.name}>colour</span>
        <Segmented label="What colour means" options={COLORS} value={colorBy} onChange={onColorBy} />
      </span>
      {strata && <Counts strata={strata} />}
      <IconButton
        icon="tree"
        label={isTree ? 'Show as a drawing' : 'Show as a tree'}
        aria-pressed={isTree}
        onClick={() => onTree(!isTree)}
      />
    </div>
  )
}

/** The figures of the window, the same as in the list of conversations. */
function Counts({ strata: { conversationId, totalMessages, totalTokens } }: { readonly strata: Strata }) {
  const { data: row } = useConversation(conversationId)
  const window = row?.contextTokens ?? null
  const leftOut = row?.leftOutTokens ?? 0
  const titles = [
    `${formatTokens(totalTokens)} stored`,
    ...(window === null ? [] : [`${formatTokens(window)} in the window`]),
    ...(leftOut > 0 ? [`${formatTokens(leftOut)} active, but left out of it`] : []),
  ]
  return (
    <span className={styles.counts} title={titles.join(', ')}>
      {plural(totalMessages, 'message')} · {formatCompact(totalTokens)} tokens
      {window !== null && (
        <>
          {' '}
          → {formatCompact(window)}
          <span className={styles.extra}> in the window</span>
        </>
      )}
      {leftOut > 0 && <span className={styles.extra}>, {formatCompact(leftOut)} left out</span>}
    </span>
  )
}
