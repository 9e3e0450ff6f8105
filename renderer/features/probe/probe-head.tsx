import { PROBE_STATES } from '#core/contract/lists.ts'
import type { NamedProbe, ProbeState, ProbeSum } from '#core/contract/probe.ts'
import { formatCount, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { knownShare, recallText, recoverableParts } from '#renderer/ui/texts/recall-text.ts'
import styles from './probe-head.module.css'
import { depthKey, depthWords, KIND_WORDS, PROBE_SIGNS, STATE_HINTS, STATE_WORDS } from './probe-wording.ts'

type Props = {
  /** In the order in which they are shown. */
  readonly reports: readonly NamedProbe[]
  /** The one that was asked for, to which the sums belong. */
  readonly asked: NamedProbe
  readonly changed: number
  readonly states: readonly ProbeState[]
  readonly kind: string | null
  readonly depth: string | null
  readonly isChangedOnly: boolean
  readonly onStates: (states: readonly ProbeState[]) => void
  readonly onKind: (kind: string | null) => void
  readonly onDepth: (depth: string | null) => void
  readonly onChangedOnly: (isOn: boolean) => void
}

/** Recall and its parts. Each part shows only its questions when it is pressed. */
export function ProbeHead(props: Props) {
  const { reports, asked, changed, states, isChangedOnly, onStates, onChangedOnly } = props
  const { total } = asked.report
  const toggle = (state: ProbeState) =>
    onStates(states.includes(state) ? states.filter((one) => one !== state) : [...states, state])
  return (
    <header className={styles.head}>
      <div className={styles.figures}>
        {reports.map((one, index) => (
          <Figure key={one.name} named={one} before={reports[index - 1] ?? null} isNamed={reports.length > 1} />
        ))}
      </div>
      <fieldset className={styles.filters} aria-label="States">
        {PROBE_STATES.map((state) => (
          <button
            key={state}
            type="button"
            className={styles.filter}
            data-state={state}
            aria-pressed={states.includes(state)}
            disabled={countOf(total, state) === 0}
            title={STATE_HINTS[state]}
            onClick={() => toggle(state)}
          >
            <span aria-hidden="true">{PROBE_SIGNS[state]}</span> {formatCount(countOf(total, state))}{' '}
            {STATE_WORDS[state]}
          </button>
        ))}
        {reports.length > 1 && (
          <button
            type="button"
            className={styles.filter}
            aria-pressed={isChangedOnly}
            onClick={() => onChangedOnly(!isChangedOnly)}
          >
            only what changed ({formatCount(changed)})
          </button>
        )}
      </fieldset>
      <Sums {...props} />
    </header>
  )
}

type FigureProps = { readonly named: NamedProbe; readonly before: NamedProbe | null; readonly isNamed: boolean }

function Figure({ named: { name, report }, before, isNamed }: FigureProps) {
  const { recall, total } = report
  const known = knownShare(total)
  const change = recall === null || before?.report.recall == null ? 0 : known - knownShare(before.report.total)
  return (
    <div className={styles.figure}>
      <strong>{recall === null ? '–' : formatPercent(known)}</strong>
      <div>
        <p className={styles.name}>
          <b>{isNamed || name !== 'now' ? name : 'known without looking'}</b>
          {change !== 0 && (
            <span data-worse={change < 0 || undefined} className={styles.change}>
              {change < 0 ? '−' : '+'}
              {formatPercent(Math.abs(change))}
            </span>
          )}
          <span className={styles.of}>
            {recall !== null && `${recoverableParts(total).join(' · ')} · ${plural(total.questions, 'question')}`}
          </span>
        </p>
        <StateBar sum={total} label={`Answers ${name}`} />
      </div>
    </div>
  )
}

/** The same by the kind of the question, and by the depth of the summary in the window that covers the answer. */
function Sums({ asked: { report }, kind, depth, onKind, onDepth }: Props) {
  return (
    <ul
      className={styles.sums}
      aria-label="By kind, and by the depth of the summary in the window that covers the answer"
    >
      {report.byKind.map((sum) => (
        <li key={sum.kind}>
          <Sum
            name={KIND_WORDS[sum.kind]}
            sum={sum}
            isOn={kind === sum.kind}
            onToggle={() => onKind(kind === sum.kind ? null : sum.kind)}
          />
        </li>
      ))}
      <li
        className={styles.behind}
        title="The depth of the summary in the window that covers the message with the answer"
      >
        covered by:
      </li>
      {report.byDepth.map((sum) => (
        <li key={depthKey(sum.depth)}>
          <Sum
            name={depthWords(sum.depth)}
            sum={sum}
            isOn={depth === depthKey(sum.depth)}
            onToggle={() => onDepth(depth === depthKey(sum.depth) ? null : depthKey(sum.depth))}
          />
        </li>
      ))}
    </ul>
  )
}

type SumProps = {
  readonly name: string
  readonly sum: ProbeSum
  readonly isOn: boolean
  readonly onToggle: () => void
}

function Sum({ name, sum, isOn, onToggle }: SumProps) {
  const title = `${plural(sum.questions, 'question')}: ${recallText(sum)}`
  return (
    <button type="button" className={styles.sum} aria-pressed={isOn} title={title} onClick={onToggle}>
      <span className={styles.line}>
        <span className="one-line">{name}</span>
        <span className={styles.recall}>{formatPercent(knownShare(sum))}</span>
      </span>
      <StateBar sum={sum} label={name} />
    </button>
  )
}

type StateBarProps = { readonly sum: ProbeSum; readonly label: string }

/** How many questions are in each state, to scale. */
function StateBar({ sum, label }: StateBarProps) {
  const words = PROBE_STATES.map((state) => `${formatCount(countOf(sum, state))} ${STATE_WORDS[state]}`).join(', ')
  return (
    <div className={styles.bar} role="img" aria-label={`${label}: ${words}`}>
      {PROBE_STATES.map((state) => {
        const count = countOf(sum, state)
        return count === 0 ? null : (
          <span
            key={state}
            data-state={state}
            style={{ flexGrow: count }}
            title={`${formatCount(count)} ${STATE_WORDS[state]}`}
          />
        )
      })}
    </div>
  )
}

function countOf(sum: ProbeSum, state: ProbeState): number {
  const { inWindow, bySearch, byExpanding, changed, dropped } = sum
  return { in_window: inWindow, by_search: bySearch, by_expanding: byExpanding, changed, dropped }[state]
}
