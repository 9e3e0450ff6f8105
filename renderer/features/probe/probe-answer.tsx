import type { ReactNode } from 'react'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { answerOf, type ProbeRow } from './probe-rows.ts'
import styles from './probe-table.module.css'
import { ProbeStateMark } from './probe-table.tsx'
import { recoveryText } from './probe-wording.ts'

type Props = {
  readonly row: ProbeRow
  /** True when the window of an earlier moment was asked, while a trace leads to the window of now. */
  readonly isPast: boolean
  /** The way of the answer up to the window. */
  readonly trace: ReactNode
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** One question with its answer, how it is had, and its way to the window. */
export function ProbeAnswer({ row: { asked, number }, isPast, trace, onOpen, onClose }: Props) {
  const { question, state, evidence, answer, hit } = asked
  return (
    <section className={styles.answerAnswer} aria-label={`Question ${number}`}>
      <header className={styles.head}>
        <p className={styles.line}>
          <ProbeStateMark state={state} />
          <IconButton className={styles.close} icon="close" label="Close the question" onClick={onClose} />
        </p>
        <h2 dir="auto">{question}</h2>
        <p dir="auto">
          {answerOf(asked) === '' ? (
            <span className={styles.dim}>No answer is known.</span>
          ) : (
            <>
              <span className={styles.dim}>answer </span>
              <b className={answer === null ? undefined : styles.answerWords}>{answerOf(asked)}</b>
            </>
          )}
        </p>
        <p className={styles.dim} dir="auto">
          {recoveryText(asked)}
          {hit !== null && (
            <>
              {' '}
              It finds <NodeLink id={hit} maxChars={18} />.
            </>
          )}
        </p>
        {evidence !== null && (
          <p className={styles.evidence}>
            <span className={styles.dim}>{evidence.role ?? 'message'}</span>
            <NodeLink id={evidence.id} />
            <TimeText atMs={evidence.atMs} form="short" />
            <Button onClick={onOpen} title="Show it in the transcript (Enter)">
              Transcript
            </Button>
            <Button
              title="Follow it in a view of its own (T)"
              onClick={() =>
                navigate({ searchKind: 'trace', tracedId: evidence.id, query: answer, selection: evidence.id }, 'push')
              }
            >
              Trace
            </Button>
          </p>
        )}
      </header>
      {evidence === null ? (
        <p className={styles.none}>No message is known that answers it, so there is nothing to trace.</p>
      ) : (
        <>
          {isPast && <p className={styles.none}>The trace leads to the window of now, not of the moment.</p>}
          {trace}
        </>
      )}
    </section>
  )
}
