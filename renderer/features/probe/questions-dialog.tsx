import { type ChangeEvent, useRef, useState } from 'react'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { readGiven } from './given-questions.ts'
import styles from './probe-view.module.css'
import type { OwnQuestions } from './use-probe.ts'

type Props = {
  readonly own: OwnQuestions | null
  readonly onTake: (own: OwnQuestions | null) => void
  readonly onClose: () => void
}

const LARGEST_BYTES = 8_000_000

/** Asks for the user's own questions: typed, pasted or from a file. */
export function QuestionsDialog({ own, onTake, onClose }: Props) {
  const file = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(own?.text ?? '')
  const [refused, setRefused] = useState<string | null>(null)
  const given = readGiven(text)
  const problem = refused ?? ('problem' in given ? given.problem : null)
  const count = 'questions' in given ? given.questions.length : 0
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0]
    event.target.value = ''
    if (chosen === undefined) return
    if (chosen.size > LARGEST_BYTES)
      return setRefused(`${chosen.name} is larger than 8 MB: give at most 2,000 questions.`)
    try {
      setText(await chosen.text())
      setRefused(null)
    } catch {
      setRefused(`${chosen.name} cannot be read. Choose it again, or paste its lines.`)
    }
  }
  const take = () => {
    if (!('questions' in given)) return
    onTake(given.questions.length === 0 ? null : { text, questions: given.questions })
    onClose()
  }
  return (
    <Dialog
      title="Your own questions"
      width={640}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => file.current?.click()}>Choose a file…</Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={problem !== null} onClick={take}>
            {problem !== null ? 'Ask' : count === 0 ? 'Make the questions' : `Ask ${plural(count, 'question')}`}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <p>
          One question a line, in plain words or as JSON:{' '}
          <code>{'{"question": "…", "answer": "…", "evidence": ["msg_52"]}'}</code>. Without answer and evidence, the
          best message that a search finds counts as the answer.
        </p>
        <textarea
          rows={12}
          value={text}
          aria-label="Questions, one a line"
          aria-invalid={problem !== null}
          aria-describedby="questions-problem"
          placeholder="Which retry limit did we agree on for the payment service?"
          spellCheck={false}
          data-autofocus=""
          onChange={(event) => {
            setRefused(null)
            setText(event.target.value)
          }}
        />
        <p id="questions-problem" className={styles.problem} role="status">
          {problem ?? (count > 0 ? plural(count, 'question') : '')}
        </p>
        <input
          ref={file}
          type="file"
          hidden
          accept=".jsonl,.ndjson,.json,.txt"
          aria-label="A file of questions"
          onChange={(event) => void choose(event)}
        />
      </div>
    </Dialog>
  )
}
