import { type KeyboardEvent, type ReactNode, type RefObject, useEffect } from 'react'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { SEARCH_FIELD } from '#renderer/ui/controls/search-field-id.ts'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { isTyping, useKeys } from '#renderer/ui/controls/use-keys.ts'
import field from '#renderer/ui/styles/search-input.module.css'
import { ToggleChip } from './filter-bar.tsx'
import type { Filters, SearchMatch } from './filters.ts'
import styles from './search-view.module.css'
import type { ActiveRow } from './use-active-row.ts'

type Props = {
  readonly input: RefObject<HTMLInputElement | null>
  readonly kinds: ReactNode
  readonly text: string
  readonly onText: (text: string) => void
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly active: ActiveRow
  readonly hasHits: boolean
}

const MODES = [
  { value: 'full_text', label: 'full text', hint: 'Words, "phrases", prefix*, OR, NOT' },
  { value: 'regex', label: 'regex', hint: 'A regular expression, in linear time' },
  { value: 'literal', label: 'literal', hint: 'These characters, in any script' },
] as const

const MATCHES: Readonly<Record<SearchMatch, { readonly short: string; readonly label: string }>> = {
  auto: { short: 'words or question', label: 'all words, or a question from three words on' },
  all: { short: 'all words', label: 'all words' },
  any: { short: 'any word', label: 'any of the words' },
  question: { short: 'question', label: 'a question: any of the words, the best first' },
}

const PAGE_ROWS = 8

/** The search field. The arrow keys move in the hits meanwhile, and Enter opens the active one. */
export function SearchField({ input, kinds, text, onText, filters, onFilters, active, hasHits }: Props) {
  useEffect(() => {
    // A user who began to type in the window's own search box continues here, after the typed text.
    const element = input.current
    element?.focus()
    element?.setSelectionRange(element.value.length, element.value.length)
  }, [input])
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => active.move(1),
    ArrowUp: () => active.move(-1),
    PageDown: () => active.move(PAGE_ROWS),
    PageUp: () => active.move(-PAGE_ROWS),
    Enter: () => active.open(),
  }
  const press = (event: KeyboardEvent) => {
    // Esc keeps the words and gives letter keys to the list: j, k, c.
    if (event.key === 'Escape' && text !== '') {
      event.preventDefault()
      event.currentTarget instanceof HTMLElement && event.currentTarget.blur()
      return
    }
    const handler = keys[event.key]
    if (event.nativeEvent.isComposing || handler === undefined) return
    event.preventDefault()
    handler()
  }
  const outside = (run: () => void) => (event: globalThis.KeyboardEvent) => {
    // In a group of radio buttons the arrow keys choose.
    if (!isTyping(event.target)) run()
  }
  useKeys({
    ...Object.fromEntries(Object.entries(keys).map(([key, run]) => [key, outside(run)])),
    j: () => active.move(1),
    k: () => active.move(-1),
    c: active.fold,
  })
  return (
    <div className={styles.line}>
      {kinds}
      <label className={field.field}>
        <Icon name="search" />
        <input
          ref={input}
          id={SEARCH_FIELD}
          type="search"
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={press}
          placeholder="Search messages and summaries"
          aria-label="Search messages and summaries"
          role="combobox"
          aria-haspopup="grid"
          aria-expanded={hasHits}
          aria-controls="search-hits"
          aria-activedescendant={hasHits ? `hit-${active.stop}` : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        {filters.mode === 'full_text' && (
          <Menu
            label={`Match ${MATCHES[filters.match].short}`}
            className={styles.match}
            items={(['auto', 'all', 'any', 'question'] as const).map((match) => ({
              label: MATCHES[match].label,
              isChecked: match === filters.match,
              onSelect: () => onFilters({ ...filters, match }),
            }))}
          >
            {MATCHES[filters.match].short}
            <Icon name="chevronDown" />
          </Menu>
        )}
        {filters.mode !== 'full_text' && (
          <ToggleChip
            isOn={filters.caseSensitive}
            title="Tell capital from small letters"
            onToggle={() => onFilters({ ...filters, caseSensitive: !filters.caseSensitive })}
          >
            Aa
          </ToggleChip>
        )}
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
