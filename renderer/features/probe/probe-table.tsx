import { useEffect, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { ProbeSort } from '../../probe-address.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/format.ts'
import { answerOf, type ProbeRow } from './probe-rows.ts'
import { ProbeStateMark } from './probe-state.tsx'
import styles from './probe-table.module.css'
import { depthWords, KIND_WORDS } from './probe-wording.ts'

type Props = {
  readonly rows: readonly ProbeRow[]
  /** The number of the selected question. */
  readonly selected: number | null
  readonly sort: ProbeSort
  readonly isDescending: boolean
  readonly onSort: (sort: ProbeSort) => void
  readonly onSelect: (row: ProbeRow) => void
  readonly onOpen: (row: ProbeRow) => void
}

const COLUMNS: readonly { readonly sort: ProbeSort; readonly label: string; readonly hint: string }[] = [
  { sort: 'state', label: 'state', hint: 'Whether the agent would know it' },
  { sort: 'question', label: 'question', hint: 'What is asked' },
  { sort: 'kind', label: 'kind', hint: 'What is asked for' },
  { sort: 'answer', label: 'answer', hint: 'The words that answer it' },
  { sort: 'steps', label: 'steps', hint: 'Searches and expansions until it is read' },
  { sort: 'place', label: 'place', hint: 'The message that answers it, and what stands for it in the window' },
]

/** The id of the table, which takes the focus when the keys move in it. */
export const QUESTIONS = 'probe-questions'

/** The questions, each with what became of its answer. */
export function ProbeTable({ rows, selected, sort, isDescending, onSort, onSelect, onOpen }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const index = rows.findIndex(({ number }) => number === selected)
  useEffect(() => {
    if (index >= 0) list.current?.scrollIntoView({ index })
  }, [index])
  const isCompared = (rows[0]?.states.length ?? 0) > 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div
      className={styles.table}
      role="grid"
      id={QUESTIONS}
      aria-label="Questions"
      aria-activedescendant={index < 0 ? undefined : `question-${selected}`}
      aria-rowcount={rows.length + 1}
      data-compared={isCompared || undefined}
      tabIndex={-1}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus */}
      <div role="row" className={classNames(styles.row, styles.head)}>
        {COLUMNS.map((column) => (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
          <div
            key={column.sort}
            role="columnheader"
            className={styles[column.sort]}
            aria-sort={sort !== column.sort ? 'none' : isDescending ? 'descending' : 'ascending'}
          >
            <button type="button" title={`${column.hint}: sort by it`} onClick={() => onSort(column.sort)}>
              {column.label}
              {sort === column.sort && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
            </button>
          </div>
        ))}
      </div>
      <Virtuoso
        ref={list}
        className={styles.rows}
        role="rowgroup"
        data={rows}
        computeItemKey={(_, { number }) => number}
        increaseViewportBy={200}
        tabIndex={-1}
        itemContent={(_, row) => (
          <QuestionRow row={row} isSelected={row.number === selected} onSelect={onSelect} onOpen={onOpen} />
        )}
      />
    </div>
  )
}

type RowProps = Pick<Props, 'onSelect' | 'onOpen'> & { readonly row: ProbeRow; readonly isSelected: boolean }

function QuestionRow({ row, isSelected, onSelect, onOpen }: RowProps) {
  const { asked, states, isChanged } = row
  const { evidence, steps, kind, question, depth } = asked
  const answer = answerOf(asked)
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys and Enter do the same
    <div
      id={`question-${row.number}`}
      role="row"
      className={classNames(styles.row, styles.question_row, isSelected && styles.selected)}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={() => onSelect(row)}
      onDoubleClick={() => onOpen(row)}
    >
      <Cell name={styles.state}>
        {(isChanged ? states : states.slice(0, 1)).map((state, window) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: windows never change places
          <span key={window} className={styles.one}>
            {window > 0 && <span aria-hidden="true">→</span>}
            {window > 0 && <span className="unseen">then</span>}
            <ProbeStateMark state={state} />
          </span>
        ))}
      </Cell>
      <Cell name={styles.question} title={question}>
        {question}
      </Cell>
      <Cell name={styles.kind}>{KIND_WORDS[kind]}</Cell>
      <Cell name={styles.answer} title={answer}>
        {answer}
      </Cell>
      <Cell name={styles.steps}>{steps === null ? '–' : formatCount(steps)}</Cell>
      <Cell name={styles.place} title={evidence?.id}>
        {evidence === null
          ? '–'
          : `${evidence.seq === null ? evidence.id : `seq ${formatCount(evidence.seq)}`} · ${depthWords(depth)}`}
      </Cell>
    </div>
  )
}

type CellProps = {
  readonly name: string | undefined
  readonly title?: string | undefined
  readonly children: React.ReactNode
}

function Cell({ name, title, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row
    <div role="gridcell" tabIndex={-1} className={name} title={title} dir="auto">
      {children}
    </div>
  )
}
