import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { POSTGRES_ADDRESS } from '../core/contract/lists.ts'
import { api, reconnect, useConnection } from './api.ts'
import styles from './app.module.css'
import { prepareTour } from './features/tour/tour.ts'
import { DropTarget } from './features/welcome/drop-target.tsx'
import { importOnWelcomePage } from './features/welcome/handed-over.ts'
import { OpenError } from './features/welcome/open-error.tsx'
import { Welcome } from './features/welcome/welcome.tsx'
import { ErrorBoundary } from './frame/error-boundary.tsx'
import { OpeningWindow } from './frame/opening-window.tsx'
import { host } from './host.ts'
import { navigate, useRoutePart } from './routes.ts'
import { Button } from './ui/controls/button.tsx'
import { useKeys } from './ui/controls/use-keys.ts'
import { later } from './ui/states/later.tsx'
import { Loading } from './ui/states/loading.tsx'
import { useLastError } from './ui/states/use-last-error.ts'
import { factsOf } from './views.ts'

const MemoryWindow = later(
  () => import('./frame/memory-window.tsx').then(({ MemoryWindow }) => MemoryWindow),
  ({ info }) => <OpeningWindow file={info.path} />,
)

const FleetPage = later(
  () => import('./features/fleet/fleet-page.tsx').then(({ FleetPage }) => FleetPage),
  () => <Loading what="the database" />,
)

const ProgramWithoutMemory = later(
  () => import('./frame/program-without-memory.tsx').then((code) => code.ProgramWithoutMemory),
  () => <Loading what="the settings" />,
)

type Props = {
  /** Path of the memory file, or the address of a database; null for the welcome page. */
  readonly file: string | null
}

/** The window: welcome, the memory, or why it cannot be opened. */
export function App({ file }: Props) {
  useEffect(
    () =>
      host.onMenu((command) => {
        if (command === 'open') void openByDialog()
        if (command === 'settings') navigate({ view: 'settings' }, 'push')
      }),
    [],
  )
  return (
    <ErrorBoundary>
      <ConnectionBanner />
      {file === null ? (
        <NoMemory />
      ) : POSTGRES_ADDRESS.test(file) ? (
        <FleetPage address={file} />
      ) : (
        <DropTarget onMemory={host.openFile} onTranscripts={importOnWelcomePage}>
          <Memory file={file} />
        </DropTarget>
      )}
    </ErrorBoundary>
  )
}

function NoMemory() {
  const view = useRoutePart('view')
  useKeys({ 'Mod+,': () => navigate({ view: 'settings' }, 'push') })
  return factsOf(view).scope === 'program' ? <ProgramWithoutMemory /> : <Welcome onTour={prepareTour} />
}

async function openByDialog(): Promise<void> {
  const path = await host.pickMemory?.()
  if (path) host.openFile(path)
}

function Memory({ file }: { readonly file: string }) {
  const info = useQuery(api.memory.info.queryOptions())
  const error = useLastError(info)
  if (info.data) return <MemoryWindow info={info.data} />
  if (error !== null) return <OpenError path={file} error={error} onRetry={() => void info.refetch()} />
  return <OpeningWindow file={file} />
}

/** Says that the core cannot be reached, over everything else: what is below may be out of date. */
function ConnectionBanner() {
  if (useConnection() !== 'lost') return null
  return (
    <div className={styles.banner} role="alert">
      <span className={styles.dot} aria-hidden="true" />
      <span>
        <strong>Connection lost.</strong> What is shown stays as it was. Trying again…
      </span>
      <Button onClick={reconnect}>Try now</Button>
    </div>
  )
}
