import { useState } from 'react'
import type { AssembledContext } from '#core/contract/context.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { CompactButton } from '#renderer/ui/controls/compact-button.tsx'
import { formatCompact, formatCount, formatPressure, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { roomText, roomUntilSoft } from '#renderer/ui/texts/room-text.ts'
import { type Category, categoryColor, sumsByCategory } from './category.ts'
import styles from './context-view.module.css'
import { TokenRibbon } from './token-ribbon.tsx'
import type { SeenWindow } from './use-window.ts'

type Props = {
  readonly window: SeenWindow
  /** True while the answer to the last change is not there yet. */
  readonly isStale: boolean
  /** By which the window is worked out, or null where the file stores it. */
  readonly rule: string | null
  /** True while it is shown what a resume would load. */
  readonly isResumed: boolean
}

/** The window in figures and to scale. */
export function WindowHead({ window, isStale, rule, isResumed }: Props) {
  const selection = useRoutePart('selection')
  const [category, setCategory] = useState<Category | null>(null)
  return (
    <header className={styles.head} data-stale={isStale}>
      <WindowFigures {...{ window, rule, isResumed }} />
      <TokenRibbon
        window={window}
        selection={selection}
        category={category}
        onSelect={(id) => navigate({ selection: id }, 'push')}
      />
      <Legend window={window} onPoint={setCategory} />
    </header>
  )
}

type LegendProps = {
  readonly window: AssembledContext
  /** Called when the pointer enters a category, and with null when it leaves. */
  readonly onPoint: (category: Category | null) => void
}

/** The meaning of the colours in the ribbon, with the tokens of each. */
function Legend({ window, onPoint }: LegendProps) {
  const out = window.items.filter((item) => !item.included)
  const outTokens = out.reduce((sum, item) => sum + item.tokens, 0)
  return (
    <ul className={styles.legend} aria-label="Tokens by kind">
      {sumsByCategory(window.items).map(({ category, label, tokens, items }) => (
        <li
          key={category}
          title={`${formatTokens(tokens)} in ${plural(items, 'item')}`}
          onPointerEnter={() => onPoint(category)}
          onPointerLeave={() => onPoint(null)}
        >
          <span className={styles.swatch} style={{ background: categoryColor(category) }} />
          {label} <b>{formatCompact(tokens)}</b>
        </li>
      ))}
      {out.length > 0 && (
        <li className={styles.out} title={`${formatTokens(outTokens)} in ${plural(out.length, 'item')}`}>
          <span className={styles.outline} />
          left out <b>{formatCompact(outTokens)}</b>
        </li>
      )}
    </ul>
  )
}

/** How full the window is, how much more fits, and remarks about the answer. */
function WindowFigures({ window, rule, isResumed }: Omit<Props, 'isStale'>) {
  const isPast = window.atMs !== undefined
  return (
    <>
      <div className={styles.line}>
        <p title={`${formatPressure(window.pressure)} of the budget`}>
          <strong className={styles.tokens}>{formatCount(window.tokens)}</strong>
          <span className="dim">
            {' '}
            tokens of {formatCount(window.budget)} ·{' '}
            {isPast
              ? 'what the model saw then'
              : isResumed
                ? 'what a resume would load'
                : rule === null
                  ? 'what the model sees next turn'
                  : 'worked out from this file, which stores no window'}
          </span>
        </p>
        <span className={styles.decision}>
          <RoomText window={window} />
          {!isPast && <CompactButton />}
        </span>
      </div>
      {window.leftOutTokens > 0 && (
        <p className={styles.note} role="note">
          {outText(window.items.filter((item) => !item.included).length, isPast)}
        </p>
      )}
      {window.prunedTokens !== undefined && <PrunedText window={window} isPast={isPast} />}
      {window.sentAgain !== undefined && (
        <p className={styles.note} role="note">
          {sentAgainText(window.sentAgain)}
        </p>
      )}
      {window.overBudget && (
        <p className={styles.warning} role="note">
          System messages and the newest messages alone pass the budget. They stay in all the same; nothing else does.
        </p>
      )}
      {window.reconstructed && isPast && (
        <p className={styles.note} role="note">
          Reconstructed: the file does not record this moment, so creation times say what stood in the window.
        </p>
      )}
      {rule !== null && !isPast && (
        <p className={styles.note} role="note">
          How it is worked out: {rule} What the agent adds by itself is not in the file.
        </p>
      )}
    </>
  )
}

const sentAgainText = ({ results, tokens }: NonNullable<AssembledContext['sentAgain']>): string =>
  `${plural(results, 'result')} more, with ${plural(tokens, 'token')}, are not counted: the agent sends them once more since it resumed the session.`

const outText = (items: number, isPast: boolean): string =>
  items === 1
    ? `${plural(items, 'item')} ${isPast ? 'was' : 'is'} left out, with its reason below.`
    : `${plural(items, 'item')} ${isPast ? 'were' : 'are'} left out, each with its reason below.`

function PrunedText({ window, isPast }: { readonly window: SeenWindow; readonly isPast: boolean }) {
  const messages = window.items.filter((item) => item.pruned).length
  return (
    <p className={styles.note} role="note">
      <b>{formatCount(window.prunedTokens ?? 0)}</b> tokens more are not counted: the agent {isPast ? 'had' : 'has'}{' '}
      pruned them from {plural(messages, 'message')} and {isPast ? 'saw' : 'sees'} only that something stood there.
    </p>
  )
}

function RoomText({ window }: { readonly window: SeenWindow }) {
  const { turns, tokens } = roomUntilSoft(window)
  return (
    <p className={tokens < 0 ? styles.past : styles.room}>
      {roomText({ ...window, budgetTokens: window.budget })}
      {turns !== null && (
        <>
          , about <b title="At the mean size of the turns in the window">{plural(turns, 'turn')}</b>
        </>
      )}
    </p>
  )
}
