import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { navigate, useLink, useRoutePart } from '../routes.ts'
import { Chip } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { formatPressure, plural } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { VIEW_LIST, type View } from '../views.ts'
import { fittingTabs } from './columns.ts'
import styles from './tabs.module.css'

type Props = {
  readonly conversation: ListedConversation | null
  /** Null where the right panel has nothing to say. */
  readonly isPanelOpen: boolean | null
  readonly onTogglePanel: () => void
  readonly onShare: () => void
}

/** The settings are behind the gear. */
const TABS = VIEW_LIST.filter(({ view }) => view !== 'settings')
/** Room for the button that lists the views for which there is none. */
const MORE_PX = 100

/** The views as links, so that the browser can open them like any link. Those that do not fit are in a menu. */
export function Tabs({ conversation, isPanelOpen, onTogglePanel, onShare }: Props) {
  const shown = useRoutePart('view')
  const linkTo = useLink()
  const [strip, fitting] = useFittingTabs()
  const others = TABS.slice(fitting)
  const isElsewhere = others.find(({ view }) => view === shown)
  return (
    <nav className={styles.tabs} aria-label="Views">
      <div className={styles.row}>
        <div ref={strip} className={styles.strip}>
          {TABS.map(({ view, label }, index) => (
            <a
              key={view}
              className={styles.tab}
              data-out={index >= fitting || undefined}
              href={linkTo({ view })}
              aria-current={view === shown ? 'page' : undefined}
              draggable={false}
            >
              {label}
              <TabBadge view={view} conversation={conversation} />
            </a>
          ))}
        </div>
        {others.length > 0 && (
          <Menu
            label={isElsewhere ? `${isElsewhere.label}, more views` : 'More views'}
            className={classNames(styles.more, isElsewhere && styles.current)}
            items={others.map(({ view, label, letter }) => ({
              label,
              isChecked: view === shown,
              hint: `g ${letter}`,
              onSelect: () => navigate({ view }, 'push'),
            }))}
          >
            {isElsewhere?.label ?? 'More'}
            <Icon name="chevronDown" />
          </Menu>
        )}
      </div>
      {conversation !== null && <IconButton icon="share" label="Share this conversation" onClick={onShare} />}
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

/** Measures how many tabs fit in the strip. The others wrap into a line below it, where they are not seen. */
function useFittingTabs() {
  const strip = useRef<HTMLDivElement>(null)
  const [fitting, setFitting] = useState(TABS.length)
  useLayoutEffect(() => {
    const element = strip.current
    if (element === null) return
    const tabs = [...element.children].filter((child) => child instanceof HTMLElement)
    const measure = () => {
      const widths = tabs.map((tab) => tab.getBoundingClientRect().width)
      // The button for the others takes its room from the strip, so that the room of both is measured.
      setFitting(fittingTabs(widths, element.parentElement?.clientWidth ?? 0, MORE_PX))
    }
    const observer = new ResizeObserver(measure)
    for (const each of [element, ...tabs]) observer.observe(each)
    measure()
    return () => observer.disconnect()
  }, [])
  return [strip, fitting] as const
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
