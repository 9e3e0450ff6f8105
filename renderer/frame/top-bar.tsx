import type { MemoryInfo } from '#core/contract/memory.ts'
import { useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import { navigate, useRoutePart } from '../routes.ts'
import { HomeButton } from '../ui/controls/home-button.tsx'
import { Icon } from '../ui/controls/icon.tsx'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { Kbd } from '../ui/controls/kbd.tsx'
import { EARLY_FIELD, SEARCH_FIELD } from '../ui/controls/search-field-id.ts'
import { ThemeMenu } from '../ui/controls/theme-menu.tsx'
import bar from '../ui/styles/page-bar.module.css'
import { formatRelative } from '../ui/texts/format-time.ts'
import { paceOf, useNow } from '../ui/texts/use-now.ts'
import { factsOf } from '../views.ts'
import { FilePill } from './file-pill.tsx'
import styles from './top-bar.module.css'

type Props = {
  readonly info: MemoryInfo
  readonly onPalette: () => void
  readonly onCopy: () => void
  readonly onFollow: () => void
}

/** Opens the search, which puts the cursor into its field. */
export function openSearch(): void {
  navigate({ view: 'find', searchKind: 'find' }, 'push')
  // When the search is open already, its field gets the focus.
  const field = document.getElementById(SEARCH_FIELD)
  if (field instanceof HTMLInputElement) field.select()
  // The search may have to be loaded first. What is typed until then is taken here, not by the keys of the window.
  const taker = field ?? document.getElementById(EARLY_FIELD)
  taker?.focus()
}

/** Opens the search for a question. */
export const openAsk = (): void => navigate({ view: 'find', searchKind: 'ask' }, 'push')

export const openSettings = (): void => navigate({ view: 'settings' }, 'push')

/** Takes what is typed before the search field is there, which begins with these words then. */
function EarlyField({ query }: { readonly query: string | null }) {
  return (
    <input
      id={EARLY_FIELD}
      className="unseen"
      type="text"
      tabIndex={-1}
      aria-label="Words to search for"
      autoComplete="off"
      spellCheck={false}
      value={query ?? ''}
      onChange={(event) => navigate({ query: event.target.value === '' ? null : event.target.value }, 'replace')}
    />
  )
}

/** Shows what is open and whether it changes, and leads to the search. */
export function TopBar({ info, onPalette, onCopy, onFollow }: Props) {
  const query = useRoutePart('query')
  const view = useRoutePart('view')
  return (
    <header className={bar.bar}>
      <HomeButton />
      <FilePill info={info} onCopy={onCopy} onFollow={onFollow} />
      <LiveText />
      <div className={bar.gap} />
      <IconButton
        icon="gear"
        label="Settings"
        aria-current={factsOf(view).scope === 'program' ? 'page' : undefined}
        onClick={openSettings}
      />
      <ThemeMenu />
      <search className={styles.search}>
        <EarlyField query={query} />
        <button type="button" className={styles.box} onClick={openSearch}>
          <span className={query === null ? styles.placeholder : styles.query}>
            {query ?? 'Search messages and summaries'}
          </span>
          <Kbd>/</Kbd>
        </button>
        <button type="button" className={styles.palette} title="Everything by name" onClick={onPalette}>
          <Kbd>Mod K</Kbd>
        </button>
      </search>
    </header>
  )
}

/** Tells whether the window follows the file. A click stops following, and another one catches up. */
function LiveText() {
  const { changedAtMs, paused, behind, togglePause } = useLive()
  const isLost = useConnection() === 'lost'
  const now = useNow(paceOf(changedAtMs, Date.now()))
  const when = changedAtMs === null ? '' : ` · ${formatRelative(changedAtMs, now)}`
  return (
    <button
      type="button"
      className={styles.live}
      aria-pressed={paused}
      title={paused ? 'Follow the file again' : 'Hold the window still; the file is not touched either way'}
      onClick={togglePause}
    >
      {isLost
        ? 'not live'
        : paused
          ? `paused${behind ? ' · changes wait' : ''}`
          : changedAtMs === null
            ? 'watching'
            : `live${when}`}
      <Icon name={paused ? 'play' : 'pause'} />
    </button>
  )
}
