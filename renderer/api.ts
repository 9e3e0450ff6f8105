import { type ClientLink, createORPCClient, DynamicLink } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { useSyncExternalStore } from 'react'
import type { Contract } from '../core/contract/contract.ts'
import { Connection, type ConnectionState } from './connection.ts'
import { host } from './host.ts'

type Context = Record<never, never>

/** A typed client of the core. */
export type Client = ContractRouterClient<Contract>

const connection = new Connection<MessagePort | WebSocket, ClientLink<Context>>(
  () => host.connect(),
  (transport) =>
    transport instanceof WebSocket ? new SocketLink({ websocket: transport }) : new PortLink({ port: transport }),
)

/**
 * The client of this window's core. Calls wait while the connection is being made, and fail when it breaks during the
 * call.
 */
export const client: Client = createORPCClient(new DynamicLink(() => connection.link()))

/** Query and mutation options for every procedure: `useQuery(api.memory.info.queryOptions())`. */
export const api = madeOnce(createTanstackQueryUtils(client))

/** Keeps what the library makes anew each time it is named. */
function madeOnce<T extends object>(utils: T): T {
  const made = new Map<string | symbol, unknown>()
  return new Proxy(utils, {
    get(target, name) {
      if (!made.has(name)) {
        const value: unknown = Reflect.get(target, name)
        made.set(name, typeof value === 'object' && value !== null ? madeOnce(value) : value)
      }
      return made.get(name)
    },
  })
}

/** Returns whether the core can be reached now. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(
    (listener) => connection.subscribe(listener),
    () => connection.state,
  )
}

/**
 * Calls a listener that is not a component.
 * @returns a function that stops listening
 */
export function onConnectionChange(listener: (state: ConnectionState) => void): () => void {
  return connection.subscribe(() => listener(connection.state))
}

/** Tries at once to reach the core. */
export const reconnect = (): void => connection.retry()
