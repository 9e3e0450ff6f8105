import { ROLES } from '../../../core/contract/lists.ts'
import { Button } from '../../ui/button.tsx'
import { nodeColor } from '../../ui/depth-color.ts'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './filter-bar.module.css'
import { activeFilters, DEEPEST_CHOICE, type Filters, NO_FILTERS, toggled } from './filters.ts'
import { ToggleChip } from './toggle-chip.tsx'

type Props = {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}

const WHERE = [
  { value: 'conversation', label: 'this conversation' },
  { value: 'everywhere', label: 'all' },
] as const
const SCOPES = [
  { value: 'both', label: 'both' },
  { value: 'messages', label: 'messages' },
  { value: 'summaries', label: 'summaries' },
] as const
const SORTS = [
  { value: 'newest', label: 'newest' },
  { value: 'oldest', label: 'oldest' },
  { value: 'relevance', label: 'relevance' },
] as const
const WINDOWS = [
  { value: 'any', label: 'in or out', hint: 'Whether the model sees it itself or not' },
  { value: 'in', label: 'in window', hint: 'Only what the model sees itself' },
  { value: 'out', label: 'outside', hint: 'Only what the model does not see itself' },
] as const
const DEPTHS = Array.from({ length: DEEPEST_CHOICE + 1 }, (_, depth) => depth)

/** What narrows and orders the hits. */
export function FilterBar({ filters, onFilters }: Props) {
  const set = (patch: Partial<Filters>) => onFilters({ ...filters, ...patch })
  const { mode, scope, sort, where } = filters
  return (
    <div className={styles.bar}>
      <div className={styles.line}>
        <Segmented label="Where" options={WHERE} value={where} onChange={(value) => set({ where: value })} />
        <Segmented label="Search in" options={SCOPES} value={scope} onChange={(value) => set({ scope: value })} />
        <Segmented
          label="In the window"
          options={WINDOWS}
          value={filters.window}
          onChange={(value) => set({ window: value })}
        />
        <Segmented label="Order" options={SORTS} value={sort} onChange={(value) => set({ sort: value })} />
      </div>
      <div className={styles.line}>
        <fieldset className={styles.group} aria-label="Roles" disabled={scope === 'summaries'}>
          {ROLES.map((role) => (
            <ToggleChip
              key={role}
              color={nodeColor({ kind: 'message', role })}
              isOn={filters.roles.includes(role)}
              onToggle={() => set({ roles: toggled(filters.roles, role) })}
            >
              {role}
            </ToggleChip>
          ))}
        </fieldset>
        <fieldset className={styles.group} aria-label="Depths" disabled={scope === 'messages'}>
          {DEPTHS.map((depth) => (
            <ToggleChip
              key={depth}
              color={nodeColor({ kind: 'condensed', depth })}
              isOn={filters.depths.includes(depth)}
              onToggle={() => set({ depths: toggled(filters.depths, depth) })}
            >
              {depthName(depth)}
            </ToggleChip>
          ))}
        </fieldset>
        <DayField label="from" value={filters.fromDay} onChange={(fromDay) => set({ fromDay })} />
        <DayField label="to" value={filters.toDay} onChange={(toDay) => set({ toDay })} />
        {activeFilters(filters) > 0 && (
          <Button look="quiet" onClick={() => onFilters({ ...NO_FILTERS, mode, scope, sort, where })}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}

function depthName(depth: number): string {
  if (depth === 0) return 'leaf'
  return depth === DEEPEST_CHOICE ? `d${depth}+` : `d${depth}`
}

type DayProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (day: string) => void
}

function DayField({ label, value, onChange }: DayProps) {
  return (
    <label className={styles.day}>
      {label}
      <input type="date" value={value} data-empty={value === ''} onChange={(event) => onChange(event.target.value)} />
    </label>
  )
}
