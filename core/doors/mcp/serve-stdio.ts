import { type Access, Tools } from '../../agents/tools/tools.ts'
import { Core } from '../../core.ts'
import { Machine } from '../../machine/machine.ts'
import { despiteWrongValues } from '../../systems/wrong-values.ts'
import { chooseConversation } from '../cli/session.ts'
import { procedureCaller } from '../procedures.ts'
import { executeHere } from '../run-job.ts'
import { createMcpServer } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import type { ToolNames } from './tool-names.ts'

export type McpOptions = {
  readonly path: string
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
 * opened for reading, and what others write meanwhile is seen.
 * @returns the exit code
 * @throws LcmError for a file that cannot be opened, not_found for an unknown conversation or grant: before anything is served
 */
export async function serveStdio(options: McpOptions): Promise<number> {
  // Standard output belongs to the protocol, so other output goes to standard error.
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
  // Each answer that waits for a slow client adds a listener.
  process.stdout.setMaxListeners(0)
  const open = { readOnly: true, allowNewer: options.allowNewer }
  const core = new Core({
    path: options.path,
    open,
    machine: new Machine({ env: process.env, resourcesDir: options.resourcesDir }),
    execute: executeHere(open),
    isRemembered: false,
  })
  try {
    const { access } = options
    await despiteWrongValues(options.path, async () => {
      const lcm = await core.lcm()
      if (access.kind === 'conversation') chooseConversation(lcm, access.conversationId)
      if (access.kind === 'grant') lcm.grants.scope(access.grantId)
    })
    const unsubscribe = core.subscribe(() => undefined)
    const server = createMcpServer(new Tools(() => core.lcm(), access), {
      ...options,
      procedures: options.withProcedures ? procedureCaller(core) : null,
    })
    const transport = new StdioTransport({ input: process.stdin, output: process.stdout })
    await server.connect(transport)
    const signal = await new Promise<'end' | 'SIGINT' | 'SIGTERM'>((done) => {
      process.stdin.once('end', () => done('end'))
      process.stdin.once('close', () => done('end'))
      process.once('SIGINT', () => done('SIGINT'))
      process.once('SIGTERM', () => done('SIGTERM'))
    })
    if (signal === 'end') await transport.idle(LAST_ANSWERS_MS)
    unsubscribe()
    await server.close()
    return signal === 'SIGINT' ? 130 : 0
  } finally {
    await core.close()
  }
}
