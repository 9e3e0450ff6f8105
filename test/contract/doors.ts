import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { createRouterClient } from '@orpc/server'
import type { Contract } from '#core/contract/contract.ts'
import { Core } from '#core/core.ts'
import { startBrowserHost } from '#core/doors/browser-host.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import type { Confirm } from '#core/settings/confirmation.ts'
import { enter, openSocket } from '../builders/browser-session.ts'
import { workerUrl } from '../builders/built-program.ts'

export type Client = ContractRouterClient<Contract>
export type OpenDoor = { readonly client: Client; close(): Promise<void> }
export type Door = { readonly name: string; open(path: string | null): Promise<OpenDoor> }

const resourcesDir = join(import.meta.dirname, '../../resources')
/** The user of every door grants what is asked. */
const confirm: Confirm = async () => 'granted'

const inProcess: Door = {
  name: 'in process',
  open: async (path) => {
    const machine = new Machine({ env: process.env, resourcesDir })
    const core = new Core({ path, open: {}, machine, execute: executeHere({}), confirm })
    return { client: createRouterClient(createRouter(core)) as Client, close: async () => core.close() }
  },
}

const messagePort: Door = {
  name: 'over a MessagePort to the core thread',
  open: async (path) => {
    const cores = new CoreHost({ workerUrl, resourcesDir, confirm })
    const port = cores.connect(path)
    port.start()
    return {
      client: createORPCClient(new PortLink({ port })),
      close: async () => {
        port.close()
        await cores.close()
      },
    }
  },
}

const http: Door = {
  name: 'over HTTP to the browser host',
  open: async (path) => {
    const cores = new CoreHost({ workerUrl, resourcesDir, confirm })
    const rendererDir = join(import.meta.dirname, 'page')
    const host = await startBrowserHost({ cores, rendererDir, port: 0, defaultFile: path })
    const socket = await openSocket(await enter(host.url), path)
    return {
      client: createORPCClient(new SocketLink({ websocket: socket as never })),
      close: async () => {
        socket.close()
        await host.close()
      },
    }
  },
}

export const doors: readonly Door[] = [inProcess, messagePort, http]
