import { useQuery } from '@tanstack/react-query'
import type { AgentState } from '#core/contract/connections.ts'
import { api } from '#renderer/api.ts'
import { CommandText } from '../controls/command-text.tsx'
import { SectionHeading } from '../controls/section-heading.tsx'
import { ErrorLine } from '../states/error-state.tsx'
import { shortenPath } from '../texts/format.ts'
import { TimeText } from '../texts/time-text.tsx'
import styles from './agent-connections.module.css'

/** An agent that is started, or a hook that fails, is seen after so long. */
const LOOK_MS = 10_000

/** The agents that are installed or connected on this computer, or why they cannot be listed. Null where there is none. */
export function useAgentsHere() {
  const { data, error, refetch } = useQuery(api.machine.agents.queryOptions({ refetchInterval: LOOK_MS }))
  const here = data?.filter(({ isInstalled, memory }) => isInstalled || memory !== null) ?? []
  // Where no agent is, nothing is to be connected.
  return error === null && here.length === 0 ? null : { here, error, retry: () => void refetch() }
}

/** The agents of this computer: which keep their sessions in a memory, and how to connect or mend the others. */
export function AgentConnections() {
  const agents = useAgentsHere()
  if (agents === null) return null
  return (
    <section className={styles.section} aria-label="Agents on this computer">
      <SectionHeading>Agents on this computer</SectionHeading>
      {agents.error !== null && <ErrorLine error={agents.error} onRetry={agents.retry} />}
      <ul>
        {agents.here.map((state) => (
          <Agent key={state.agent} state={state} />
        ))}
      </ul>
    </section>
  )
}

function Agent({ state }: { readonly state: AgentState }) {
  const { label, isConnected, memory, version, lastHeardAtMs, problems, command } = state
  const isFine = isConnected && problems.length === 0
  return (
    <li className={styles.agent}>
      <p className={styles.head} data-state={memory === null ? 'none' : isFine ? 'fine' : 'wrong'}>
        <strong>{label}</strong>
        <span>{memory === null ? 'not connected' : isConnected ? 'connected' : 'not connected as it should be'}</span>
        {memory !== null && (
          <span className="dim">
            <bdi title={memory}>{shortenPath(memory, 44)}</bdi>
            {version !== null && `, by version ${version}`}
            {lastHeardAtMs !== null && (
              <>
                , last heard of <TimeText atMs={lastHeardAtMs} />
              </>
            )}
          </span>
        )}
      </p>
      {memory === null && <p className="dim">Connect it, and every session is kept in a memory as it runs.</p>}
      {problems.length > 0 && (
        <ul className={styles.problems}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {command !== null && <CommandText command={command} />}
    </li>
  )
}
