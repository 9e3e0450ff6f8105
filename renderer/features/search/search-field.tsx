import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import type { Filters } from './filters.ts'
import styles from './search-field.module.css'
import type { ActiveHit } from './use-active-hit.ts'

type Props = {
  readonly text: string
  readonly onText: (text: string) => void
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly active: ActiveHit
  readonly hasHits: boolean
}

const MODES = [
  { value: 'full_text', label: 'full text', hint: 'Words, "phrases", prefix*, OR, NOT' },
  { value: 'regex', label: 'regex', hint: 'A regular expression, in linear time' },
  { value: 'literal', label: 'literal', hint: 'Exactly these characters, in any script' },
] as const

const PAGE_HITS = 8

/** Where one types. The arrow keys move in the hits meanwhile, and Enter opens the one they are on. */
export function SearchField({ text, onText, filters, onFilters, active, hasHits }: Props) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // Whoever began to type in the window's own search box goes on here, behind what was typed.
    const field = input.current
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
  }, [])
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => active.move(1),
    ArrowUp: () => active.move(-1),
    PageDown: () => active.move(PAGE_HITS),
    PageUp: () => active.move(-PAGE_HITS),
    Enter: () => active.open(),
  }
  const press = (event: KeyboardEvent) => {
    const handler = keys[event.key]
    if (event.nativeEvent.isComposing || handler === undefined) return
    event.preventDefault()
    handler()
  }
  useKeys({ ...keys, j: () => active.move(1), k: () => active.move(-1), '/': () => input.current?.select() })
  return (
    <div className={styles.line}>
      <label className={styles.field}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          className={styles.input}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={press}
          placeholder="Search messages and summaries"
          aria-label="Search messages and summaries"
          role="combobox"
          aria-haspopup="grid"
          aria-expanded={hasHits}
          aria-controls="search-hits"
          aria-activedescendant={hasHits ? `hit-${active.position}` : undefined}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <Segmented
        label="Mode"
        options={MODES}
        value={filters.mode}
        onChange={(mode) => onFilters({ ...filters, mode })}
      />
    </div>
  )
}
