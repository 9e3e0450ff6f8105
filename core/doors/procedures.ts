import { createRouterClient, ORPCError } from '@orpc/server'
import { ErrorInfo } from '../contract/error.ts'
import { procedures } from '../contract/procedures.ts'
import type { Core } from '../core.ts'
import { LcmError } from '../errors.ts'
import { createRouter } from '../router.ts'

/** A procedure by its name, called with an input that is not validated yet. */
export type CallProcedure = (name: string, input: unknown, signal?: AbortSignal) => Promise<unknown>

/** The procedures of the contract by name, such as `retrieval.grep`, each with its place in the contract. */
export const PROCEDURES: ReadonlyMap<string, readonly string[]> = new Map(
  procedures().map(({ name, path }) => [name, path]),
)

type Callable = (input: unknown, options: { readonly signal?: AbortSignal }) => Promise<unknown>

/** Calls procedures in this process, through the same router as every window. They fail with an `LcmError`. */
export function procedureCaller(core: Core): CallProcedure {
  const client: unknown = createRouterClient(createRouter(core))
  return async (name, input, signal) => {
    const path = PROCEDURES.get(name)
    if (!path)
      throw new LcmError('not_found', `There is no procedure ${JSON.stringify(name)}: docs/reference.md lists them.`)
    const procedure = path.reduce((at, step) => (at as Record<string, unknown>)[step], client) as Callable
    try {
      const answer = await procedure(input, signal ? { signal } : {})
      return isStream(answer) ? typedSteps(answer) : answer
    } catch (error) {
      throw asLcmError(error)
    }
  }
}

/** Runs a job to its end, and returns its value. */
export async function runJob(core: Core, spec: unknown, signal: AbortSignal): Promise<unknown> {
  const { jobId } = (await procedureCaller(core)('jobs.start', spec)) as { jobId: string }
  return (await core.jobs.result(jobId, signal)).value
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* typedSteps(steps: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* steps
  } catch (error) {
    throw asLcmError(error)
  }
}

function asLcmError(error: unknown): unknown {
  const info = error instanceof ORPCError ? ErrorInfo.safeParse(error.data) : null
  return info?.success ? new LcmError(info.data.code, info.data.message, info.data.details, { cause: error }) : error
}
