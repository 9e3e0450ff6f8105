import { useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { navigate, useLink, useRoutePart } from '../routes.ts'
import { Chip } from '../ui/controls/chip.tsx'
import { classNames } from '../ui/controls/class-names.ts'
import { Icon } from '../ui/controls/icon.tsx'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import { formatPressure, plural } from '../ui/texts/format.ts'
import { type ListedView, type View, viewsOf } from '../views.ts'
import styles from './tabs.module.css'

type Props = {
  readonly conversation: ListedConversation | null
  /** Null where the right panel has nothing to say. */
  readonly isPanelOpen: boolean | null
  readonly onTogglePanel: () => void
  /** What else can be done with the memory. */
  readonly actions: readonly MemoryAction[]
}

export type MemoryAction = { readonly label: string; readonly onSelect: () => void }

/**
 * The views as links, so that the browser can open them like any link: those of the conversation in the order of its
 * questions, and at the end those of the file, with a menu of the rest.
 */
export function Tabs({ conversation, isPanelOpen, onTogglePanel, actions }: Props) {
  const tab = (listed: ListedView) => <Tab key={listed.view} {...listed} conversation={conversation} />
  return (
    <nav className={styles.tabs} aria-label="Views">
      <div className={styles.row}>{viewsOf('conversation').map(tab)}</div>
      <div className={styles.row}>
        {viewsOf('file').map(tab)}
        <MemoryMenu actions={actions} />
      </div>
      {isPanelOpen !== null && (
        <IconButton
          icon="sidebar"
          label={isPanelOpen ? 'Hide the right panel' : 'Show the right panel'}
          title={`${isPanelOpen ? 'Hide' : 'Show'} the right panel ( \\ )`}
          aria-pressed={isPanelOpen}
          onClick={onTogglePanel}
        />
      )}
    </nav>
  )
}

type TabProps = ListedView & { readonly conversation: ListedConversation | null }

function Tab({ view, label, letter, conversation }: TabProps) {
  const linkTo = useLink()
  const shown = useRoutePart('view')
  return (
    <a
      className={styles.tab}
      data-view={view}
      href={linkTo({ view })}
      title={`g ${letter}`}
      aria-current={view === shown ? 'page' : undefined}
      draggable={false}
    >
      {label}
      <TabBadge view={view} conversation={conversation} />
    </a>
  )
}

const OF_MEMORY = viewsOf('memory')

/** Everything else of the file: views that are needed now and then, and what can be done with it. */
function MemoryMenu({ actions }: Pick<Props, 'actions'>) {
  const shown = useRoutePart('view')
  const current = OF_MEMORY.find(({ view }) => view === shown)
  return (
    <Menu
      label={current ? `Memory: ${current.label}` : 'Memory'}
      className={classNames(styles.menu, current && styles.current)}
      items={[
        ...OF_MEMORY.map(({ view, label, letter }) => ({
          label,
          isChecked: view === shown,
          hint: `g ${letter}`,
          onSelect: () => navigate({ view }, 'push'),
        })),
        ...actions.map((action, index) => ({ ...action, isApart: index === 0 })),
      ]}
    >
      Memory
      <Icon name="chevronDown" />
    </Menu>
  )
}

function TabBadge({ view, conversation }: { readonly view: View; readonly conversation: ListedConversation | null }) {
  if (view === 'window' && conversation !== null) return <PressureBadge conversation={conversation} />
  return view === 'health' ? <FindingsBadge /> : null
}

function PressureBadge({ conversation: { pressure } }: { readonly conversation: ListedConversation }) {
  const settings = useQuery(api.memory.settings.queryOptions())
  if (pressure === null) return <Chip title="How full the model's window is, is not known">…</Chip>
  const isFull = settings.data !== undefined && pressure >= settings.data.hardThreshold
  return (
    <Chip tone={isFull ? 'error' : 'lit'} title="How full the model's window is">
      {formatPressure(pressure)}
    </Chip>
  )
}

function FindingsBadge() {
  const report = useQuery(api.integrity.last.queryOptions())
  if (!report.data) return null
  const { error, warning } = report.data.counts
  if (error + warning === 0) return null
  return (
    <Chip tone={error > 0 ? 'error' : 'warning'} title={`${plural(error, 'error')}, ${plural(warning, 'warning')}`}>
      {error + warning}
    </Chip>
  )
}
