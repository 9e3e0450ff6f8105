import { useMemo } from 'react'
import type { ProbeState } from '#core/contract/probe.ts'
import type { ProbeSort } from '#renderer/probe-address.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { answerOf, type ProbeRow } from './probe-rows.ts'
import styles from './probe-table.module.css'
import { depthWords, KIND_WORDS, PROBE_SIGNS, STATE_HINTS, STATE_WORDS } from './probe-wording.ts'

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

/** The id of the table, which takes the focus when the keys move in it. */
export const QUESTIONS = 'probe-questions'

/** The questions, each with what became of its answer. */
export function ProbeTable({ rows, selected, sort, isDescending, onSort, onSelect, onOpen }: Props) {
  const isCompared = (rows[0]?.states.length ?? 0) > 1
  const sorting = useMemo(
    () => ({ by: sort, isDescending, onSort: (id: string) => onSort(id as ProbeSort) }),
    [sort, isDescending, onSort],
  )
  return (
    <DataTable
      label="Questions"
      id={QUESTIONS}
      rows={rows}
      columns={COLUMNS}
      layout={isCompared ? styles.compared : styles.columns}
      keyOf={({ number }) => number}
      rowPx={28}
      selected={selected}
      onSelect={onSelect}
      onOpen={onOpen}
      sort={sorting}
    />
  )
}

const COLUMNS: readonly (Column<ProbeRow> & { readonly id: ProbeSort })[] = [
  {
    id: 'state',
    title: 'state',
    hint: 'Whether the agent would know it',
    className: styles.state,
    cell: ({ states, isChanged }) =>
      (isChanged ? states : states.slice(0, 1)).map((state, window) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: windows never change places
        <span key={window} className={styles.one}>
          {window > 0 && <span aria-hidden="true">→</span>}
          {window > 0 && <span className="unseen">then</span>}
          <ProbeStateMark state={state} />
        </span>
      )),
  },
  {
    id: 'question',
    title: 'question',
    hint: 'What is asked',
    cell: ({ asked }) => <span dir="auto">{asked.question}</span>,
    cellTitle: ({ asked }) => asked.question,
  },
  {
    id: 'kind',
    title: 'kind',
    hint: 'What is asked for',
    className: styles.kind,
    cell: ({ asked }) => KIND_WORDS[asked.kind],
  },
  {
    id: 'answer',
    title: 'answer',
    hint: 'The words that answer it',
    className: styles.answer,
    cell: ({ asked }) => (
      <span className={styles.words} dir="auto">
        {answerOf(asked)}
      </span>
    ),
    cellTitle: ({ asked }) => answerOf(asked),
  },
  {
    id: 'steps',
    title: 'steps',
    hint: 'Searches and expansions until it is read',
    className: styles.steps,
    cell: ({ asked: { steps } }) => (steps === null ? '–' : formatCount(steps)),
  },
  {
    id: 'place',
    title: 'place',
    hint: 'The message that answers it, and what stands for it in the window',
    className: styles.place,
    cell: ({ asked: { evidence, depth } }) =>
      evidence === null ? (
        '–'
      ) : (
        <>
          <MessageName id={evidence.id} /> · {depthWords(depth)}
        </>
      ),
    cellTitle: ({ asked }) => asked.evidence?.id,
  },
]

/** The sign of a state and its word. */
export function ProbeStateMark({ state }: { readonly state: ProbeState }) {
  return (
    <span className={styles.mark} data-state={state} title={STATE_HINTS[state]}>
      <span className={styles.sign} aria-hidden="true">
        {PROBE_SIGNS[state]}
      </span>
      <span data-word="">{STATE_WORDS[state]}</span>
    </span>
  )
}
