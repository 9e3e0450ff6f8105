import { resolve } from 'node:path'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { LcmError, toErrorInfo } from '../../errors.ts'
import { elapsedMs, errorFields, levelOfError, logEvent, memoryKey } from '../../log.ts'
import { withoutPaths } from '../../sanitize.ts'
import { despiteWrongValues } from '../../systems/wrong-values.ts'
import { toCliJson } from '../cli/cli-json.ts'
import { INPUTS, type ToolName } from './tool-inputs.ts'
import { INSTRUCTIONS, SERVER_NAME, TEXTS } from './tool-texts.ts'
import type { Tools } from './tools.ts'

/** Nothing is changed, and nothing outside of the memory is reached. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: boolean
}

const NAMES = Object.keys(INPUTS) as ToolName[]
const isTool = (name: string): name is ToolName => Object.hasOwn(INPUTS, name)

/** Creates the server with the tools of the Model Context Protocol. `path` is the memory that they read. */
export function createMcpServer(tools: Tools, version: string, path: string | null = null): Server {
  const server = new Server({ name: SERVER_NAME, version }, { instructions: INSTRUCTIONS, capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: NAMES.map((name) => ({
      name,
      ...TEXTS[name],
      inputSchema: z.toJSONSchema(INPUTS[name], { io: 'input' }) as { type: 'object' },
      annotations: { title: TEXTS[name].title, ...ANNOTATIONS },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given } }, { signal }) => {
    if (!isTool(name)) {
      return failure(new LcmError('not_found', `There is no such tool here. There are ${NAMES.join(', ')}.`))
    }
    return answer(name, path, () => tools.call(name, given, signal))
  })
  return server
}

/**
 * Makes the result of a call. Times are ISO 8601, as on the command line. The text is the same document, for clients
 * that use no structured content.
 */
async function answer(tool: ToolName, path: string | null, work: () => unknown): Promise<ToolResult> {
  const start = performance.now()
  const fields = { tool, ...(path !== null && { memory: memoryKey(resolve(path)) }) }
  try {
    const answered = result(toCliJson(await despiteWrongValues(path, work)) as Record<string, unknown>)
    logEvent('info', 'mcp', 'tool.done', { ...fields, duration_ms: elapsedMs(start) })
    return answered
  } catch (error) {
    const { error_code = 'internal', ...rest } = errorFields(error)
    const failed = { ...fields, duration_ms: elapsedMs(start), error_code, ...rest }
    logEvent(levelOfError(error_code), 'mcp', 'tool.failed', failed)
    return failure(error)
  }
}

function failure(error: unknown): ToolResult {
  const { code, message, retryable } = toErrorInfo(error)
  if (code === 'internal') console.error(error)
  // Paths of this machine are no business of an agent, and even less of those who read its output.
  return { ...result({ error: { code, message: withoutPaths(message), retryable } }), isError: true }
}

function result(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}
