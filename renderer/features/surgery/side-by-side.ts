import type { DiffLine } from '../../../core/contract/surgery.ts'

/** An old and a new line side by side. Null when one side has no line. */
export type SideRow = {
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
