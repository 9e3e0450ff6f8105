import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import type { SqlTable } from '#core/contract/sql.ts'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { isColourable } from '#renderer/ui/texts/code-languages.ts'
import type { CodeLines } from '#renderer/ui/texts/code-tokens.ts'
import looks from '#renderer/ui/texts/coloured-code.module.css'
import { tokensByWorker } from '#renderer/ui/texts/coloured-code.tsx'
import { completionAt } from './completion.ts'
import styles from './statement-field.module.css'

type Props = {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly tables: readonly SqlTable[]
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

/** The statement in colours. Tab completes a name that is begun, Escape puts the offered names away. */
export function StatementField({ field, text, tables, onChange, onRun }: Props) {
  const [cursor, setCursor] = useState<number | null>(null)
  const completion = cursor === null ? null : completionAt(text, cursor, tables)
  const complete = (name: string) => {
    const area = field.current
    if (area === null || completion === null) return
    area.setRangeText(name, completion.from, completion.to, 'end')
    setCursor(null)
    onChange(area.value)
    area.focus()
  }
  const press = (event: KeyboardEvent) => {
    const first = completion?.names[0]
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun()
    else if (event.key === 'Tab' && !event.shiftKey && first !== undefined) complete(first)
    else if (event.key === 'Escape' && first !== undefined) setCursor(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={styles.field}>
      <div className={styles.text}>
        <Coloured text={text} />
        <textarea
          ref={field}
          className={styles.typed}
          rows={6}
          value={text}
          spellCheck={false}
          placeholder="SELECT … FROM messages"
          aria-label="Statement"
          onChange={({ target }) => {
            setCursor(target.selectionEnd)
            onChange(target.value)
          }}
          onKeyDown={press}
          onBlur={() => setCursor(null)}
        />
      </div>
      {completion !== null && (
        // biome-ignore lint/a11y/useSemanticElements: names that are offered are no set of fields
        <div className={styles.names} role="group" aria-label="Names that complete the word">
          <Kbd>Tab</Kbd>
          {completion.names.map((name) => (
            // A press that took the focus from the statement would put the names away before the click.
            <button
              key={name}
              type="button"
              tabIndex={-1}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** The same text below the field, whose own letters are transparent. A line that is being changed is plain until its colours are known. */
function Coloured({ text }: { readonly text: string }) {
  const [known, setKnown] = useState<CodeLines>([])
  useEffect(() => {
    if (!isColourable(text)) return
    let isWanted = true
    void tokensByWorker(text, 'sql').then((lines) => {
      if (isWanted && lines !== null) setKnown(lines)
    })
    return () => {
      isWanted = false
    }
  }, [text])
  return (
    <div className={styles.coloured} aria-hidden="true">
      {text.split('\n').map((line, index) => {
        const tokens = known[index]
        const isKnown = tokens !== undefined && tokens.map((token) => token.text).join('') === line
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <div key={index} className={styles.line}>
            {isKnown
              ? // Names of hidden characters, as other views show them, would move the letters away from those of the field.
                tokens.map((token, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line never change places
                  <span key={at} className={token.look === null ? undefined : looks[token.look]} data-look={token.look}>
                    {token.text}
                  </span>
                ))
              : line}
          </div>
        )
      })}
    </div>
  )
}
