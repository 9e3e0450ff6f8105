import { useState } from 'react'
import type { DiffLine } from '#core/contract/surgery.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import styles from './surgery-dialog.module.css'

const FIRST_LINES = 400

/** A text before and after, line by line. */
export function SideBySideTable({ diff, label }: { readonly diff: readonly DiffLine[]; readonly label: string }) {
  const [isWhole, setWhole] = useState(false)
  const rows = sideBySide(diff)
  const shown = isWhole ? rows : rows.slice(0, FIRST_LINES)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <table className={styles.table}>
          <thead className="unseen">
            <tr>
              <th scope="col">before</th>
              <th scope="col">after</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ kind, before, after }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines are fixed, and may repeat
              <tr key={index}>
                <Line text={before} state={kind === 'same' ? 'same' : 'removed'} />
                <Line text={after} state={kind === 'same' ? 'same' : 'added'} />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show {plural(rows.length - shown.length, 'more line')}
        </Button>
      )}
    </>
  )
}

type LineProps = { readonly text: string | null; readonly state: 'same' | 'removed' | 'added' }
const SIGNS = { same: ' ', removed: '−', added: '+' } as const

function Line({ text, state }: LineProps) {
  if (text === null) return <td className={styles.line} data-state="none" />
  return (
    <td className={styles.line} data-state={state} dir="auto">
      <span className={styles.sign}>{SIGNS[state]}</span>
      {text}
    </td>
  )
}

/** An old and a new line side by side. Null when one side has no line. */
type SideRow = {
  readonly kind: 'same' | 'changed'
  readonly before: string | null
  readonly after: string | null
}

/** Pairs replaced lines with their replacements, and unchanged lines with themselves. */
export function sideBySide(diff: readonly DiffLine[]): readonly SideRow[] {
  const rows: SideRow[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ kind: 'changed', before: removed[at] ?? null, after: added[at] ?? null })
    removed = []
    added = []
  }
  for (const { kind, text } of diff) {
    if (kind === 'removed') removed.push(text)
    else if (kind === 'added') added.push(text)
    else {
      flush()
      rows.push({ kind: 'same', before: text, after: text })
    }
  }
  flush()
  return rows
}
