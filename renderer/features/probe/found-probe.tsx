import type { ReactNode } from 'react'
import type { ProbeState } from '#core/contract/probe.ts'
import { NO_PROBE, type ProbeAddress, type ProbeSort } from '#renderer/probe-address.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { KeepButton } from '#renderer/ui/nodes/keep-button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { ProbeHead } from './probe-head.tsx'
import { answerOf, type ProbeRow, rowsOf, shownRows } from './probe-rows.ts'
import probeTableStyles from './probe-table.module.css'
import { ProbeStateMark, ProbeTable, QUESTIONS } from './probe-table.tsx'
import styles from './probe-view.module.css'
import { inOrder, recoveryText } from './probe-wording.ts'
import { type TracedQuestion, tracedOf } from './traced-question.ts'
import type { Probe } from './use-probe.ts'

/** The place of an answer along the messages of the conversation. */
export type ProbeMark = { readonly number: number; readonly position: number; readonly state: ProbeState }

export type FoundProps = {
  readonly conversationId: number
  readonly found: NonNullable<Probe['found']>
  readonly address: ProbeAddress
  readonly renderTrace: (traced: TracedQuestion) => ReactNode
  readonly renderStrata: (
    marks: readonly ProbeMark[],
    selected: number | null,
    onSelect: (number: number) => void,
  ) => ReactNode
}

const LOST = ['changed', 'dropped'] as const

/** What a probe found: recall, the answers along the history, and the questions with the trace of the selected one. */
export function FoundProbe({ found, address, conversationId, renderTrace, renderStrata }: FoundProps) {
  const { reports } = found.outcome
  const [asked] = reports
  const shown = inOrder(reports)
  const all = asked ? rowsOf(asked, shown) : []
  const rows = shownRows(all, address)
  const at = rows.findIndex(({ number }) => number === address.question)
  const selected = all.find(({ number }) => number === address.question) ?? null
  const set = (patch: Partial<ProbeAddress>) => navigate({ probe: { ...address, ...patch } }, 'replace')
  const select = (row: ProbeRow) =>
    navigate(
      { selection: row.asked.evidence?.id ?? null, probe: { ...address, question: row.number } },
      address.question === null ? 'push' : 'replace',
    )
  const step = (by: 1 | -1) => {
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]
    if (!next) return
    // A button that had the focus would be pressed by Enter.
    document.getElementById(QUESTIONS)?.focus({ preventScroll: true })
    select(next)
  }
  const open = ({ asked: { evidence } }: ProbeRow) =>
    evidence !== null && navigate({ view: 'messages', selection: evidence.id }, 'push')
  const isLostOnly = address.states.length === LOST.length && LOST.every((state) => address.states.includes(state))
  const last = rows.at(-1)
  useKeys({
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    j: () => step(1),
    k: () => step(-1),
    Home: () => rows[0] && select(rows[0]),
    End: () => last && select(last),
    Enter: () => (selected === null ? false : open(selected)),
    x: () => set({ states: isLostOnly ? [] : LOST }),
    c: () => (shown.length < 2 ? false : set({ isChangedOnly: !address.isChangedOnly })),
  })
  if (!asked) return null
  const { notes } = asked.report
  const sort = (by: ProbeSort) =>
    set(
      address.sort !== by
        ? { sort: by, isDescending: false }
        : address.isDescending
          ? { sort: 'order', isDescending: false }
          : { isDescending: true },
    )
  const clear = () =>
    set({ states: NO_PROBE.states, kind: NO_PROBE.kind, depth: NO_PROBE.depth, isChangedOnly: NO_PROBE.isChangedOnly })
  const marks = rows.flatMap(({ number, asked: { evidence, state } }): ProbeMark[] =>
    evidence?.position == null ? [] : [{ number, position: evidence.position, state }],
  )
  const traced = selected === null ? null : tracedOf(conversationId, selected.asked)
  return (
    <>
      {asked.report.questions.length > 0 && (
        <ProbeHead
          {...{ reports: shown, asked }}
          changed={all.filter(({ isChanged }) => isChanged).length}
          states={address.states}
          kind={address.kind}
          depth={address.depth}
          isChangedOnly={address.isChangedOnly}
          onStates={(states) => set({ states })}
          onKind={(kind) => set({ kind })}
          onDepth={(depth) => set({ depth })}
          onChangedOnly={(isChangedOnly) => set({ isChangedOnly })}
        />
      )}
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
      {asked.report.questions.length > 0 &&
        renderStrata(marks, address.question, (number) => {
          const row = all.find((one) => one.number === number)
          if (row) select(row)
        })}
      {asked.report.questions.length === 0 ? (
        <EmptyState title="There is nothing to ask">
          Questions are made of sentences with numbers, paths, names or decisions. Ask your own instead.
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState title="No question is left" actions={<Button onClick={clear}>Show all questions</Button>}>
          None of {all.length} is what the filters ask for.
        </EmptyState>
      ) : (
        <div className={styles.columns} data-split={selected !== null || undefined}>
          <ProbeTable
            rows={rows}
            selected={address.question}
            sort={address.sort}
            isDescending={address.isDescending}
            onSort={sort}
            onSelect={select}
            onOpen={open}
          />
          {selected !== null && (
            <ProbeAnswer
              key={selected.number}
              row={selected}
              isPast={asked.report.atMs !== null}
              trace={traced && renderTrace(traced)}
              onOpen={() => open(selected)}
              onClose={() => navigate({ selection: null, probe: { ...address, question: null } }, 'push')}
            />
          )}
        </div>
      )}
    </>
  )
}

type ProbeAnswerProps = {
  readonly row: ProbeRow
  /** True when the window of an earlier moment was asked, while a trace leads to the window of now. */
  readonly isPast: boolean
  /** The way of the answer up to the window. */
  readonly trace: ReactNode
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** One question with its answer, how it is had, and its way to the window. */
function ProbeAnswer({ row: { asked, number }, isPast, trace, onOpen, onClose }: ProbeAnswerProps) {
  const { question, state, evidence, answer, hit } = asked
  return (
    <section className={probeTableStyles.answerAnswer} aria-label={`Question ${number}`}>
      <header className={probeTableStyles.head}>
        <p className={probeTableStyles.line}>
          <ProbeStateMark state={state} />
          <IconButton className={probeTableStyles.close} icon="close" label="Close the question" onClick={onClose} />
        </p>
        <h2 dir="auto">{question}</h2>
        <p dir="auto">
          {answerOf(asked) === '' ? (
            <span className="dim">No answer is known.</span>
          ) : (
            <>
              <span className="dim">answer </span>
              <b className={answer === null ? undefined : probeTableStyles.answerWords}>{answerOf(asked)}</b>
            </>
          )}
        </p>
        <p className="dim" dir="auto">
          {recoveryText(asked)}
          {hit !== null && (
            <>
              {' '}
              It finds <NodeLink id={hit} maxChars={18} />.
            </>
          )}
        </p>
        {evidence !== null && (
          <p className={probeTableStyles.evidence}>
            <span className="dim">{evidence.role ?? 'message'}</span>
            <NodeLink id={evidence.id} />
            <TimeText atMs={evidence.atMs} form="short" />
            <Button onClick={onOpen} title="Show it in the messages (Enter)">
              Messages
            </Button>
            <Button
              title="Follow it in a view of its own (T)"
              onClick={() =>
                navigate({ searchKind: 'trace', tracedId: evidence.id, query: answer, selection: evidence.id }, 'push')
              }
            >
              Trace
            </Button>
            <KeepButton id={evidence.id} sentence={evidence.text} />
          </p>
        )}
      </header>
      {evidence === null ? (
        <p className={probeTableStyles.none}>No message is known that answers it, so there is nothing to trace.</p>
      ) : (
        <>
          {isPast && <p className={probeTableStyles.none}>The trace leads to the window of now, not of the moment.</p>}
          {trace}
        </>
      )}
    </section>
  )
}
