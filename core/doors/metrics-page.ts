import { setTimeout as later } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../contract/contract.ts'

/** A scraper waits no longer. https://prometheus.io/docs/prometheus/latest/configuration/configuration/ */
const LIMIT_MS = 10_000

/** Asks a core for all counts, over a port that is closed afterwards. Returns null when it does not answer. */
export async function readMetrics(port: MessagePort): Promise<string | null> {
  const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port }))
  const gone = new Promise<null>((resolve) => port.once('close', () => resolve(null)))
  port.start()
  try {
    const asked = client.activity.prometheus().then(({ text }) => text)
    return await Promise.race([asked.catch(() => null), gone, later(LIMIT_MS, null, { ref: false })])
  } finally {
    port.close()
  }
}
