// Starts a core from the sources, asks it for the conversations of a file, and ends. The parent process records what
// its thread loads for that.
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#core/contract/contract.ts'
import { CoreHost } from '#core/doors/core-host.ts'

const [path = null] = process.argv.slice(2)
const cores = new CoreHost({
  workerUrl: new URL('../../../../core/doors/worker.ts', import.meta.url),
  resourcesDir: join(import.meta.dirname, '../../../../resources'),
})
const port = cores.connect(path)
port.start()
const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port }))
await client.conversations.list({})
await cores.close()
