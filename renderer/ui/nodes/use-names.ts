import { skipToken, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { client } from '#renderer/api.ts'
import { messageNumber, messageText } from './message-number.ts'

/** The core takes this many ids in one call. */
const MOST_IDS = 500

type NameRequest = {
  readonly id: string
  readonly resolve: (node: NamedNode) => void
  readonly reject: (error: unknown) => void
}

let waiting: NameRequest[] = []

type NamedNode = { readonly id: string; readonly name: string | null; readonly number: number | null }

/** Asks for the name of a node, together with all others that are asked for at the same time. */
function namedNode(id: string): Promise<NamedNode> {
  if (waiting.length === 0) setTimeout(askAll, 0)
  return new Promise((resolve, reject) => waiting.push({ id, resolve, reject }))
}

function askAll(): void {
  const asked = waiting
  waiting = []
  for (let from = 0; from < asked.length; from += MOST_IDS) void ask(asked.slice(from, from + MOST_IDS))
}

async function ask(asked: readonly NameRequest[]): Promise<void> {
  try {
    const { names } = await client.lineage.names({ ids: asked.map(({ id }) => id) })
    const byId = new Map(names.map((node) => [node.id, node]))
    for (const { id, resolve } of asked) resolve(byId.get(id) ?? { id, name: null, number: null })
  } catch (error) {
    for (const { reject } of asked) reject(error)
  }
}

export type NameMap = ReadonlyMap<string, string>

/**
 * Returns what messages and summaries are called: the first sentence of each. Until a name is known, and for texts
 * without words, it is not in the map, and the id stands in its place.
 */
export function useNames(ids: readonly string[]): NameMap {
  return useQueries({
    queries: ids.map((id) => ({ queryKey: ['name', id], queryFn: () => namedNode(id), retry: false })),
    combine: toMap,
  })
}

function useNamedNode(id: string | null): NamedNode | undefined {
  return useQuery({ queryKey: ['name', id], queryFn: id === null ? skipToken : () => namedNode(id), retry: false }).data
}

/** The name of one node, or null. */
export const useName = (id: string | null): string | null => useNamedNode(id)?.name ?? null

/** What a person calls a message: `message 374`, by its place in the conversation. Its id until that is known. */
export function useMessageText(id: string): string {
  const number = useNamedNode(messageNumber(id) === null ? null : id)?.number ?? null
  return number === null ? id : messageText(number)
}

const toMap = (results: readonly UseQueryResult<NamedNode>[]): NameMap =>
  new Map(results.flatMap(({ data }) => (data?.name ? [[data.id, data.name]] : [])))
