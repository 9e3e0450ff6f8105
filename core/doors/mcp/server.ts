import { resolve } from 'node:path'
import { Server } from '@modelcontextprotocol/server'
import type { Tools } from '#core/agents/tools/tools.ts'
import { LcmError, toErrorInfo } from '#core/errors.ts'
import { elapsedMs, errorFields, levelOfError, logEvent, memoryKey } from '#core/log.ts'
import { withoutPaths } from '#core/sanitize.ts'
import { despiteWrongValues } from '#core/systems/opening/wrong-values.ts'
import { toCliJson } from '../cli/output/cli-json.ts'
import type { CallProcedure } from '../procedures.ts'
import { callProcedureTool, procedureTools } from './procedure-tools.ts'
import { instructionsFor, offeredTools, type ToolNames, withNames } from './tool-names.ts'

/** Nothing is changed, and nothing outside of the memory is reached. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: boolean
}

const SERVER_NAME = 'lcm'

type ServerOptions = {
  readonly version: string
  /** The memory that is read, for the log. */
  readonly path?: string | null
  readonly names?: ToolNames
  /** With it every procedure that reads the memory is a tool, too. */
  readonly procedures?: CallProcedure | null
}

/** Creates the server of the Model Context Protocol with the tools for agents. */
export function createMcpServer(reader: Tools, options: ServerOptions): Server {
  const { version, path = null, names = null, procedures = null } = options
  const server = new Server(
    { name: SERVER_NAME, version },
    { instructions: instructionsFor(names), capabilities: { tools: {} } },
  )
  const tools = new Map(offeredTools(names).map((tool) => [tool.name, tool]))
  const generated = new Map(procedures ? procedureTools().map((tool) => [tool.name, tool]) : [])
  const known = [...tools.keys(), ...generated.keys()]
  server.setRequestHandler('tools/list', () => ({
    tools: Array.from([...tools.values(), ...generated.values()], ({ name, title, description, inputSchema }) => ({
      ...{ name, title, description, inputSchema: inputSchema as { type: 'object' } },
      annotations: { title, ...ANNOTATIONS },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq: { signal } }) => {
    const asProcedure = generated.get(name)
    if (asProcedure && procedures)
      return answer({ tool: name, path, names }, () => callProcedureTool(asProcedure, procedures, given ?? {}, signal))
    const offered = tools.get(name)
    if (!offered)
      return failure(new LcmError('not_found', `There is no such tool here. There are ${known.join(', ')}.`))
    const { tool, defaults } = offered
    return answer({ tool, path, names }, () => reader.call(tool, { ...defaults, ...given }, signal))
  })
  return server
}

/**
 * Makes the result of a call. Times are ISO 8601, as on the command line. The text is the same document, for clients
 * that use no structured content.
 */
async function answer(
  { tool, path, names }: { readonly tool: string; readonly path: string | null; readonly names: ToolNames },
  work: () => Promise<object>,
): Promise<ToolResult> {
  const start = performance.now()
  const fields = { tool, ...(path !== null && { memory: memoryKey(resolve(path)) }) }
  try {
    const told = renamed(await despiteWrongValues(path, work), names)
    const answered = result(toCliJson(told) as Record<string, unknown>)
    logEvent('info', 'mcp', 'tool.done', { ...fields, duration_ms: elapsedMs(start) })
    return answered
  } catch (error) {
    const { error_code = 'internal', ...rest } = errorFields(error)
    const failed = { ...fields, duration_ms: elapsedMs(start), error_code, ...rest }
    logEvent(levelOfError(error_code), 'mcp', 'tool.failed', failed)
    return failure(error, names)
  }
}

/** Puts the offered names of the tools into the notes and guidelines of an answer, which are texts of ours. */
function renamed(answer: object, names: ToolNames): object {
  const ours = (['notes', 'guidelines'] as const).flatMap((key) => {
    const said: unknown = key in answer ? answer[key as keyof typeof answer] : null
    return Array.isArray(said) ? [[key, said.map((text) => withNames(names, String(text)))]] : []
  })
  return { ...answer, ...Object.fromEntries(ours) }
}

function failure(error: unknown, names: ToolNames = null): ToolResult {
  const { code, message, retryable } = toErrorInfo(error)
  if (code === 'internal') console.error(error)
  // Paths of this machine are no business of an agent, and even less of those who read its output.
  return { ...result({ error: { code, message: withNames(names, withoutPaths(message)), retryable } }), isError: true }
}

function result(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}
