import type { MapRun } from '../../../core/contract/map.ts'
import { useShownChoice } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './map-view.module.css'
import { countsText, operatorText } from './run-wording.ts'
import { StepList } from './step-list.tsx'

const ONLY_NAMES = ['all', 'retries', 'failures'] as const

const ONLY = [
  { value: 'all', label: 'All', hint: 'Every try that failed and every result' },
  { value: 'retries', label: 'Retries', hint: 'Tries that failed, and results that needed more than one' },
  { value: 'failures', label: 'Failures', hint: 'Items that have no valid result' },
] as const

/** The details of one run and the results of its items. */
export function RunDetail({ run }: { readonly run: MapRun }) {
  const [only, setOnly] = useShownChoice('map.only', ONLY_NAMES)
  const { runId, hasJournal, retain, actor, atMs, hashes } = run
  return (
    <section className={styles.detail} aria-label="Run">
      <div className={styles.facts}>
        <Facts>
          <Fact name="operation">{operatorText({ ...run, retain: null })}</Fact>
          <Fact name="retained">{retain === null ? null : <bdi>{retain}</bdi>}</Fact>
          <Fact name="items">{countsText(run)}</Fact>
          <Fact name="by">{actor === null ? null : <bdi>{actor}</bdi>}</Fact>
          <Fact name="recorded">{atMs === null ? null : <TimeText atMs={atMs} form="short" />}</Fact>
          <Fact name="run">{runId === null ? null : <code>{runId}</code>}</Fact>
          {Object.entries(hashes).map(([name, hash]) => (
            <Fact key={name} name={name.replaceAll('_', ' ')}>
              <code className={styles.hash}>{hash}</code>
            </Fact>
          ))}
        </Facts>
      </div>
      {runId !== null && hasJournal ? (
        <>
          <div className={styles.toolbar}>
            <Segmented label="Which items" options={ONLY} value={only} onChange={setOnly} />
          </div>
          <StepList key={only} runId={runId} only={only} isRunning={run.status === 'running'} />
        </>
      ) : (
        <EmptyState title="Items are not recorded">
          {runId === null
            ? 'The program that recorded this run keeps no record of its items.'
            : 'The journal of this run is not beside the memory any more.'}
        </EmptyState>
      )}
    </section>
  )
}
