import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#core/contract/contract.ts'
import type { Job } from '#core/contract/job.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { workerUrl } from '../builders/built-program.ts'

export type Client = ContractRouterClient<Contract>

export const resourcesDir = join(import.meta.dirname, '../../resources')

export const startCores = (): CoreHost => new CoreHost({ workerUrl, resourcesDir })

/** What a window holds: its port and the client on it. */
export function openWindow(cores: CoreHost, path: string | null): { port: MessagePort; client: Client } {
  const port = cores.connect(path)
  port.start()
  return { port, client: createORPCClient(new RPCLink({ port })) }
}

/** The job as soon as `isSo` holds for it. */
export async function jobWhen(client: Client, jobId: string, isSo: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = (await client.jobs.list()).find((one) => one.jobId === jobId)
    if (job && isSo(job)) return job
    await new Promise((resume) => setTimeout(resume, 10))
  }
}

export const hasEnded = (job: Job): boolean => job.state !== 'running'
