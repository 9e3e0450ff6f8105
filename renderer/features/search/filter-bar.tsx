import { type ReactNode, useState } from 'react'
import { ROLES } from '#core/contract/lists.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { depthLabel, nodeColor } from '#renderer/ui/nodes/depth-color.ts'
import { NodeName } from '#renderer/ui/nodes/node-name.tsx'
import { activeFilters, DEEPEST_CHOICE, dayText, type Filters, toggled, withoutFilters } from './filters.ts'
import styles from './search-view.module.css'

type Props = {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  /** The selected summary, to which a search can be limited, or null. */
  readonly summary: string | null
}

const WHERE = [
  { value: 'everywhere', label: 'everywhere', hint: 'In every conversation of the file' },
  { value: 'conversation', label: 'this conversation' },
] as const
const SCOPES = [
  { value: 'both', label: 'messages and summaries' },
  { value: 'messages', label: 'messages', hint: 'Text, tool arguments, tool results and reasoning' },
  { value: 'summaries', label: 'summaries' },
  { value: 'files', label: 'files', hint: 'Names and exploration summaries of large files' },
] as const
const WINDOWS = [
  { value: 'in', label: 'in the window', hint: 'Only what is in the window itself' },
  { value: 'out', label: 'outside', hint: 'Only what is not in the window itself' },
] as const
const DEPTHS = Array.from({ length: DEEPEST_CHOICE + 1 }, (_, depth) => depth)

/** Controls that limit the hits. */
export function FilterBar({ filters, onFilters, summary }: Props) {
  const set = (patch: Partial<Filters>) => onFilters({ ...filters, ...patch })
  const { scope, where, within } = filters
  const offered = within ?? summary
  const [areAllShown, setAllShown] = useState(false)
  // What limits the hits is always shown.
  const isLimitedBelow = filters.roles.length + filters.depths.length > 0 || filters.fromDay + filters.toDay !== ''
  return (
    <div className={styles.bar}>
      <div className={styles.filterLine}>
        <Segmented label="Where" options={WHERE} value={where} onChange={(value) => set({ where: value })} />
        <Segmented label="Search in" options={SCOPES} value={scope} onChange={(value) => set({ scope: value })} />
        {scope !== 'files' && (
          <fieldset className={styles.group} aria-label="In the window">
            {WINDOWS.map(({ value, label, hint }) => (
              <ToggleChip
                key={value}
                title={hint}
                isOn={filters.window === value}
                onToggle={() => set({ window: filters.window === value ? 'any' : value })}
              >
                {label}
              </ToggleChip>
            ))}
          </fieldset>
        )}
        {offered !== null && scope !== 'files' && (
          <ToggleChip
            isOn={within !== null}
            title={`Only what ${offered} covers`}
            onToggle={() => set({ within: within === null ? offered : null })}
          >
            within <ChosenNode id={offered} />
          </ToggleChip>
        )}
        {!isLimitedBelow && (
          <span className={styles.moreFilters}>
            <ToggleChip isOn={areAllShown} onToggle={() => setAllShown(!areAllShown)}>
              more filters
            </ToggleChip>
          </span>
        )}
        {activeFilters(filters) > 0 && (
          <span className={styles.clear}>
            <Button look="quiet" onClick={() => onFilters(withoutFilters(filters))}>
              Clear
            </Button>
          </span>
        )}
      </div>
      <div className={classNames(styles.filterLine, !areAllShown && !isLimitedBelow && styles.whereWide)}>
        <fieldset className={styles.group} aria-label="Roles" disabled={scope === 'summaries' || scope === 'files'}>
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
        <fieldset className={styles.group} aria-label="Depths" disabled={scope === 'messages' || scope === 'files'}>
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
        <span className={styles.days}>
          <DayField label="from" value={filters.fromDay} onChange={(fromDay) => set({ fromDay })} />
          <DayField label="to" value={filters.toDay} onChange={(toDay) => set({ toDay })} />
        </span>
      </div>
    </div>
  )
}

function depthName(depth: number): string {
  if (depth === 0) return 'first'
  return depth === DEEPEST_CHOICE ? `${depthLabel(depth)}+` : depthLabel(depth)
}

type DayFieldProps = {
  readonly label: string
  /** `YYYY-MM-DD`, or empty. */
  readonly value: string
  readonly onChange: (day: string) => void
}

/** One end of a range of days. */
function DayField({ label, value, onChange }: DayFieldProps) {
  return (
    <label className={styles.day}>
      {label}
      <span className={styles.dayField}>
        <input type="date" value={value} onChange={(event) => onChange(event.target.value)} />
        <span className={styles.dayText} data-empty={value === ''} aria-hidden="true">
          {dayText(value)}
        </span>
      </span>
    </label>
  )
}

type ToggleChipProps = {
  /** CSS colour of its swatch, if it has one. */
  readonly color?: string
  readonly title?: string
  readonly isOn: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** One of several options that can be chosen together. */
export function ToggleChip({ color, title, isOn, onToggle, children }: ToggleChipProps) {
  return (
    <button
      type="button"
      className={styles.chip}
      data-bare={color === undefined || undefined}
      aria-pressed={isOn}
      title={title}
      onClick={onToggle}
    >
      {color !== undefined && <span className={styles.swatch} style={{ background: color }} />}
      {children}
    </button>
  )
}

/** The name of the node within which is searched, as the words of a chip. */
export function ChosenNode({ id }: { readonly id: string }) {
  return (
    <span className={styles.chosenNode}>
      <NodeName id={id} />
    </span>
  )
}
