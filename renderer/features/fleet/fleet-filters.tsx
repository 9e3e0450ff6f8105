import { useRef } from 'react'
import { FLEET_ALARMS } from '../../../core/contract/lists.ts'
import { Chip } from '../../ui/chip.tsx'
import { plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import field from '../../ui/search-input.module.css'
import { SelectField } from '../../ui/select-field.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import styles from './fleet-page.module.css'
import { ALARM_TEXTS, type Narrowed } from './narrowed.ts'

type Props = {
  readonly narrowed: Narrowed
  readonly onNarrow: (narrowed: Narrowed) => void
  readonly total: number
  readonly isExact: boolean
}

/** Which conversations are listed. */
export function FleetFilters({ narrowed, onNarrow, total, isExact }: Props) {
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  return (
    <div className={styles.filters}>
      <label className={field.field}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label="Filter conversations by title"
          placeholder="Filter by title or session"
          spellCheck={false}
          value={narrowed.text}
          onChange={(event) => onNarrow({ ...narrowed, text: event.target.value })}
        />
      </label>
      {narrowed.tenant !== null && (
        <Chip tone="lit" title="Show all tenants" onClick={() => onNarrow({ ...narrowed, tenant: null })}>
          tenant {narrowed.tenant} ×
        </Chip>
      )}
      <SelectField
        label="Alarm"
        options={[
          { value: '', label: 'any or none' },
          ...FLEET_ALARMS.map((alarm) => ({ value: alarm, label: ALARM_TEXTS[alarm] })),
        ]}
        value={narrowed.alarm ?? ''}
        onChange={(value) => onNarrow({ ...narrowed, alarm: FLEET_ALARMS.find((alarm) => alarm === value) ?? null })}
      />
      <span className={styles.total}>
        {isExact ? '' : 'more than '}
        {plural(total, 'conversation')}
      </span>
    </div>
  )
}
