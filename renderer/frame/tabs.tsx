import { useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '../../core/contract/memory.ts'
import { api } from '../api.ts'
import { formatRoute, patchRoute, useRoute, type View } from '../routes.ts'
import { Chip } from '../ui/chip.tsx'
import { formatPressure, plural } from '../ui/format.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { TABS } from './tab-list.ts'
import styles from './tabs.module.css'

type Props = {
  readonly conversation: ListedConversation | null
  readonly isDetailOpen: boolean
  readonly onToggleDetail: () => void
}

/** The views as links, so that the browser can open them like any link. */
export function Tabs({ conversation, isDetailOpen, onToggleDetail }: Props) {
  const route = useRoute()
  return (
    <nav className={styles.tabs} aria-label="Views">
      <div className={styles.strip}>
        {TABS.map(({ view, label }) => (
          <a
            key={view}
            className={styles.tab}
            href={formatRoute(patchRoute(route, { view }))}
            aria-current={view === route.view ? 'page' : undefined}
            draggable={false}
            ref={view === route.view ? bringIntoSight : undefined}
          >
            {label}
            <TabBadge view={view} conversation={conversation} />
          </a>
        ))}
      </div>
      <IconButton
        icon="sidebar"
        label={isDetailOpen ? 'Hide the detail panel' : 'Show the detail panel'}
        title={`${isDetailOpen ? 'Hide' : 'Show'} the detail panel ( \\ )`}
        aria-pressed={isDetailOpen}
        onClick={onToggleDetail}
      />
    </nav>
  )
}

/** In a narrow window the strip of tabs scrolls. */
function bringIntoSight(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

function TabBadge({ view, conversation }: { readonly view: View; readonly conversation: ListedConversation | null }) {
  if (view === 'context' && conversation !== null) return <PressureBadge conversation={conversation} />
  return view === 'integrity' ? <FindingsBadge /> : null
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
