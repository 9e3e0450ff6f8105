import { type FormEvent, useState } from 'react'
import { navigate } from '#renderer/routes.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { ConversationScope } from '#renderer/ui/parts/conversation-scope.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import field from '#renderer/ui/styles/search-input.module.css'
import styles from './forgotten-field.module.css'

const QUESTION = 'What did the agent forget?'

/** Asks for words, and leads to what became of them on their way to the model. */
export function ForgottenField() {
  const [words, setWords] = useState('')
  const trace = (event: FormEvent) => {
    event.preventDefault()
    const query = words.trim()
    if (query === '') return
    navigate({ view: 'find', searchKind: 'trace', tracedId: null, selection: null, query }, 'push')
  }
  return (
    <form className={styles.form} onSubmit={trace}>
      <h2 className={styles.question}>{QUESTION}</h2>
      <div className={`${field.field} ${styles.field}`}>
        <Icon name="search" />
        <input
          type="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          placeholder="A ticket, a path, a number, a name, or what was decided"
          aria-label={QUESTION}
          autoComplete="off"
          spellCheck={false}
        />
        <ConversationScope />
        <button type="submit" className={styles.enter} title="Trace these words">
          <Kbd>Enter</Kbd>
          <span className="unseen"> traces these words</span>
        </button>
      </div>
      <p className="dim">
        Each place that says it is marked: <StateMark state="kept">still known</StateMark>,{' '}
        <StateMark state="dropped">lost</StateMark> or <StateMark state="changed">changed</StateMark>, with the
        compaction at which that happened.
      </p>
    </form>
  )
}
