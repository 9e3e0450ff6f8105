import { type Access, Tools } from '#core/agents/tools/tools.ts'
import { Core } from '#core/core.ts'
import { LcmError } from '#core/errors.ts'
import { Machine } from '#core/machine/machine.ts'
import { despiteWrongValues } from '#core/systems/opening/wrong-values.ts'
import { chooseConversation } from '../cli/session.ts'
import { procedureCaller } from '../procedures.ts'
import { executeHere } from '../run-job.ts'
import { firstStopSignal } from '../stop-signals.ts'
import { createMcpServer } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import type { ToolNames } from './tool-names.ts'

export type McpOptions = {
  readonly path: string
  /** Brings the file of a conversation in PostgreSQL up to date; its path may be another one then. Null for any other. */
  readonly upToDate: ((signal: AbortSignal) => Promise<string>) | null
  readonly allowNewer: boolean
  /** What the client may read. */
  readonly access: Access
  readonly names: ToolNames
  /** Every procedure that reads the memory is a tool, too. */
  readonly withProcedures: boolean
  readonly resourcesDir: string
  readonly version: string
}

/** When the client leaves, pending answers have this long to be finished. */
const LAST_ANSWERS_MS = 5_000

/**
 * Serves a memory to one client over standard input and output until the client leaves or a signal arrives. The file is
 * opened for reading, and what others write meanwhile is seen. A conversation in PostgreSQL is brought up to date before
 * each call.
 * @returns the exit code
 * @throws LcmError for a file that cannot be opened, not_found for an unknown conversation or grant: before anything is served
 */
export async function serveStdio(options: McpOptions): Promise<number> {
  // Standard output belongs to the protocol, so other output goes to standard error.
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
  // Each answer that waits for a slow client adds a listener.
  process.stdout.setMaxListeners(0)
  const open = { readOnly: true, allowNewer: options.allowNewer }
  const machine = new Machine({ env: process.env, resourcesDir: options.resourcesDir })
  const coreOn = (path: string): Core =>
    new Core({ path, open, machine, execute: executeHere(open), isRemembered: false })
  const core = coreOn(options.path)
  const cores = new Map([[options.path, core]])
  let last: Promise<unknown> = Promise.resolve()
  /** Of calls at the same time one after the other has the file brought up to date. */
  const present = async (signal: AbortSignal): Promise<Core> => {
    if (options.upToDate === null) return core
    const { upToDate } = options
    const run = last.then(() => upToDate(signal)).catch(sayUnavailable)
    last = run.catch(() => undefined)
    const path = await run
    const opened = cores.get(path) ?? coreOn(path)
    cores.set(path, opened)
    return opened
  }
  try {
    const { access } = options
    await despiteWrongValues(options.path, async () => {
      const lcm = await core.lcm()
      if (access.kind === 'conversation') chooseConversation(lcm, access.conversationId)
      if (access.kind === 'grant') lcm.grants.scope(access.grantId)
    })
    const unsubscribe = options.upToDate === null ? core.subscribe(() => undefined) : () => undefined
    const leaving = new AbortController()
    const server = createMcpServer(new Tools(async () => (await present(leaving.signal)).lcm(), access), {
      ...options,
      procedures: options.withProcedures ? procedureCaller(core) : null,
    })
    const transport = new StdioTransport({ input: process.stdin, output: process.stdout })
    await server.connect(transport)
    const inputEnded = new Promise<'end'>((done) => {
      process.stdin.once('end', () => done('end'))
      process.stdin.once('close', () => done('end'))
    })
    const signal = await Promise.race([inputEnded, firstStopSignal()])
    if (signal === 'end') await transport.idle(LAST_ANSWERS_MS)
    leaving.abort()
    unsubscribe()
    await server.close()
    return signal === 'SIGINT' ? 130 : 0
  } finally {
    for (const opened of cores.values()) await opened.close()
  }
}

/** The operator reads where the database is and what is wrong with it; an agent, that it may try again. */
function sayUnavailable(error: unknown): never {
  if (!(error instanceof LcmError)) throw error
  console.error(`lcm: ${error.message}`)
  throw new LcmError(
    error.code,
    'The database with this memory gave no answer that can be used: try again in a moment.',
  )
}
