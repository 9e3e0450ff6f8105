import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useEffect, useState } from 'react'
import type { ImportResult } from '#core/contract/import.ts'
import type { Job } from '#core/contract/job.ts'
import type { FoundTranscripts as Found } from '#core/contract/machine.ts'
import { api } from '#renderer/api.ts'
import { host } from '#renderer/host.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { Mark } from '#renderer/ui/controls/home-button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { ThemeMenu } from '#renderer/ui/controls/theme-menu.tsx'
import { AgentConnections } from '#renderer/ui/parts/agent-connections.tsx'
import { ConnectDialog } from '#renderer/ui/parts/connect-dialog.tsx'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { useNewFile } from '#renderer/ui/states/use-new-file.ts'
import { formatBytes, plainName, plural, shortenPath } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { Databases } from './databases.tsx'
import { DropTarget } from './drop-target.tsx'
import { FolderDialog } from './folder-dialog.tsx'
import foundListStyles from './found-list.module.css'
import { FoundList } from './found-list.tsx'
import { FoundMemories } from './found-memories.tsx'
import { forgetHandedOver, handedOver } from './handed-over.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportReport, isSound } from './import-report.tsx'
import { FoundName } from './memory-row.tsx'
import { OpenActions } from './open-actions.tsx'
import { RecentMemories } from './recent-memories.tsx'
import styles from './welcome.module.css'

/** The page without a file, with every way to open one. */
export function Welcome({ onTour }: Pick<ComponentProps<typeof OpenActions>, 'onTour'>) {
  const [isBrowsing, setBrowsing] = useState(false)
  /** The address with which the dialog for a database opens, or null. */
  const [connecting, setConnecting] = useState<string | null>(null)
  const [chosen, setChosen] = useState<readonly string[] | null>(handedOver)
  useEffect(forgetHandedOver, [])
  const transcripts = useImport()
  const importChosen = (paths: readonly string[]) => {
    setChosen(null)
    transcripts.start(paths)
  }
  useEffect(
    () =>
      host.onMenu((command) => {
        if (command === 'import') void pickTranscripts(setChosen)
      }),
    [],
  )
  return (
    <DropTarget onMemory={host.openFile} onTranscripts={setChosen}>
      <div className={styles.page}>
        <header className={styles.header}>
          <Mark size={26} />
          <div>
            <h1 className={styles.title}>LCM Inspector</h1>
            <p className="dim">What an agent remembers, what its model sees, and how one becomes the other.</p>
          </div>
          <IconButton icon="gear" label="Settings" onClick={() => navigate({ view: 'settings' }, 'push')} />
          <ThemeMenu />
        </header>
        {transcripts.isActive ? (
          <ImportProgress transcripts={transcripts} />
        ) : chosen !== null ? (
          <ImportPreview paths={chosen} onImport={importChosen} onBack={() => setChosen(null)} />
        ) : (
          <main className={styles.main}>
            <OpenActions
              onBrowse={() => setBrowsing(true)}
              onConnect={(address) => setConnecting(address ?? '')}
              onImport={() => void pickTranscripts(setChosen)}
              onTranscript={(path) => setChosen([path])}
              onTour={onTour}
            />
            <RecentMemories />
            <AgentConnections />
            <Databases />
            <FoundMemories />
            <FoundTranscripts onChoose={setChosen} />
          </main>
        )}
      </div>
      {connecting !== null && (
        <ConnectDialog address={connecting} onConnected={host.openFile} onClose={() => setConnecting(null)} />
      )}
      {isBrowsing && (
        <FolderDialog
          onMemory={host.openFile}
          onTranscript={(path) => {
            setBrowsing(false)
            setChosen([path])
          }}
          onClose={() => setBrowsing(false)}
        />
      )}
    </DropTarget>
  )
}

async function pickTranscripts(choose: (paths: readonly string[]) => void): Promise<void> {
  const paths = await host.pickTranscripts?.()
  if (paths && paths.length > 0) choose(paths)
}

/** A running import, and then what was not imported. */
function ImportProgress({ transcripts }: { readonly transcripts: Import }) {
  const { job, error, result, open, leave } = transcripts
  if (result !== null)
    return (
      <main className={styles.importProgressMain}>
        <ImportReport result={result} />
        <div className={styles.actions}>
          {result.added + result.alreadyThere > 0 && (
            <Button look="primary" onClick={open}>
              Open the memory
            </Button>
          )}
          <Button onClick={leave}>Back</Button>
        </div>
      </main>
    )
  if (error !== null) return <ErrorState error={error} actions={<Button onClick={leave}>Back</Button>} />
  return (
    <main className={styles.importProgressMain}>
      <JobProgress job={job} title="Importing…" />
      <p className={styles.note}>The transcripts are only read. What has arrived when it is cancelled stays.</p>
    </main>
  )
}

/** An import into a new memory, from the choice of transcripts to the opening of the memory. */
type Import = {
  /** True when it is running, has failed, or has a result to look at. */
  readonly isActive: boolean
  readonly job: Job | null
  readonly error: unknown
  readonly result: ImportResult | null
  readonly start: (paths: readonly string[]) => void
  /** Opens the new memory. */
  readonly open: () => void
  /** Goes back to the welcome page. */
  readonly leave: () => void
}

/** Starts imports and follows them. After a flawless one its memory is opened; flaws are shown first. */
function useImport(): Import {
  const { start, job, isRunning, error, open, forget } = useNewFile(api.machine.importNew.mutationOptions())
  const result = job?.result?.kind === 'import' ? job.result.value : null
  const isFlawless = result !== null && isSound(result)
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once, when it is whole
  useEffect(() => {
    if (isFlawless) open()
  }, [isFlawless])
  return {
    isActive: isRunning || error !== null || result !== null,
    job,
    error,
    result,
    start: (paths) => start({ paths: [...paths] }),
    open,
    leave: forget,
  }
}

type FoundTranscriptsProps = { readonly onChoose: (paths: readonly string[]) => void }

/** Transcripts of agents without a memory. A memory can be made of each. */
function FoundTranscripts({ onChoose }: FoundTranscriptsProps) {
  const found = useQuery(api.machine.discoverTranscripts.queryOptions())
  // Without transcripts nothing is shown, because the page offers to import by path anyway.
  if (!found.data || found.data.length === 0) return null
  return (
    <FoundList
      title="Transcripts on this machine"
      what="transcripts"
      items={found.data}
      textOf={({ label, agent, paths }) => `${label} ${agent} ${paths[0] ?? ''}`}
      row={(one) => (
        <FoundTranscriptRow key={`${one.agent} ${one.label} ${one.paths[0]}`} found={one} onChoose={onChoose} />
      )}
    />
  )
}

function FoundTranscriptRow({ found, onChoose }: { readonly found: Found } & FoundTranscriptsProps) {
  const [first = ''] = found.paths
  return (
    <li className={foundListStyles.row}>
      <button
        type="button"
        className={foundListStyles.open}
        title={`Look what an import of these would bring\n${found.paths.slice(0, 5).join('\n')}`}
        onClick={() => onChoose(found.paths)}
      >
        <FoundName label={found.label} />
        <span className={foundListStyles.path}>
          <bdi>{found.paths.length === 1 ? shortenPath(plainName(first), 38) : plural(found.files, 'file')}</bdi>
        </span>
        <span className={foundListStyles.system}>
          <Chip>{found.agent}</Chip>
        </span>
        <span className={foundListStyles.size}>{formatBytes(found.bytes)}</span>
        <span className={foundListStyles.time}>
          <TimeText atMs={found.modifiedAtMs} />
        </span>
      </button>
    </li>
  )
}
