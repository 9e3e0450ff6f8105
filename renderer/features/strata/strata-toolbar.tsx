import type { KeyboardEvent, ReactNode } from 'react'
import { STRATA_AXES } from '#core/contract/lists.ts'
import type { Strata, StrataAxis } from '#core/contract/strata.ts'
import { useShown } from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { CompactButton } from '#renderer/ui/controls/compact-button.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { formatCompact, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { COLOR_BY, type ColorBy } from './bar-color.ts'
import { FILTER_WORDS, filterText, parseFilter, toggledFilter } from './strata-filter.ts'
import styles from './strata-view.module.css'

type Props = {
  readonly axis: StrataAxis
  readonly onAxis: (axis: StrataAxis) => void
  readonly colorBy: ColorBy
  readonly onColorBy: (colorBy: ColorBy) => void
  readonly forms: ReactNode
  readonly strata: Strata | undefined
}

const AXES = STRATA_AXES.map((value) => ({ value, label: value }))
const COLORS = COLOR_BY.map((value) => ({ value, label: value }))

/** A focused group of radio buttons uses the arrow keys itself. */
const keepArrows = (event: KeyboardEvent) => {
  if (event.key.startsWith('Arrow')) event.stopPropagation()
}

/** Chooses the meaning of the width and of the colour, and shows the totals. */
export function StrataToolbar({ axis, onAxis, colorBy, onColorBy, forms, strata }: Props) {
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Layers" onKeyDown={keepArrows}>
      {forms}
      <span className={styles.choice}>
        <span className="dim">width</span>
        <Segmented label="What width means" options={AXES} value={axis} onChange={onAxis} />
      </span>
      <span className={classNames(styles.choice, styles.wide)}>
        <span className="dim">colour</span>
        <Segmented label="What colour means" options={COLORS} value={colorBy} onChange={onColorBy} />
      </span>
      <span className={styles.narrow}>
        <Menu
          label={`colour: ${colorBy}`}
          className={styles.filter}
          items={COLORS.map(({ value, label }) => ({
            label,
            isChecked: value === colorBy,
            onSelect: () => onColorBy(value),
          }))}
        >
          colour: {colorBy}
          <Icon name="chevronDown" />
        </Menu>
      </span>
      <FilterMenu />
      {strata && <Counts strata={strata} />}
      <CompactButton />
    </div>
  )
}

/** What is shown in full; the rest stays faint in its place. */
function FilterMenu() {
  const [text, setText] = useShown('layers.only')
  const filter = parseFilter(text)
  return (
    <Menu
      label={filter.size === 0 ? 'Filter what is shown' : `Filter what is shown: ${[...filter].join(', ')}`}
      className={classNames(styles.filter, filter.size > 0 && styles.filtered)}
      items={[
        ...FILTER_WORDS.map((word) => ({
          label: word,
          isChecked: filter.has(word),
          onSelect: () => setText(filterText(toggledFilter(filter, word))),
        })),
        ...(filter.size > 0 ? [{ label: 'Show everything', onSelect: () => setText(null) }] : []),
      ]}
    >
      filter{filter.size > 0 && ` · ${filter.size}`}
      <Icon name="chevronDown" />
    </Menu>
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
      {plural(totalMessages, 'message')} · {formatCompact(totalTokens)}
      <span className={styles.extra}> tokens</span>
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
