import { resolve } from 'node:path'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { toErrorInfo } from '../../errors.ts'
import { elapsedMs, errorFields, levelOfError, logEvent, memoryKey } from '../../log.ts'
import { withoutPaths } from '../../sanitize.ts'
import { despiteWrongValues } from '../../systems/wrong-values.ts'
import { toCliJson } from '../cli/cli-json.ts'
import { INPUT_SHAPES } from './tool-inputs.ts'
import { INSTRUCTIONS, SERVER_NAME, TEXTS } from './tool-texts.ts'
import type { Tools } from './tools.ts'

/** Nothing is changed, and nothing outside of the memory is reached. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

type Given = { readonly signal: AbortSignal }
type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: boolean
}

/** Creates the server with the four tools of the Model Context Protocol. `path` is the memory that they read. */
export function createMcpServer(tools: Tools, version: string, path: string | null = null): McpServer {
  const server = new McpServer({ name: SERVER_NAME, version }, { instructions: INSTRUCTIONS })
  const config = <Name extends keyof typeof TEXTS>(name: Name) => ({
    ...TEXTS[name],
    inputSchema: INPUT_SHAPES[name],
    annotations: { title: TEXTS[name].title, ...ANNOTATIONS },
  })
  server.registerTool('lcm_grep', config('lcm_grep'), (input, { signal }: Given) =>
    answer('lcm_grep', path, () => tools.grep(input, signal)),
  )
  server.registerTool('lcm_describe', config('lcm_describe'), (input, { signal }: Given) =>
    answer('lcm_describe', path, () => tools.describe(input, signal)),
  )
  server.registerTool('lcm_expand', config('lcm_expand'), (input) =>
    answer('lcm_expand', path, () => tools.expand(input)),
  )
  server.registerTool('lcm_expand_query', config('lcm_expand_query'), (input, { signal }: Given) =>
    answer('lcm_expand_query', path, () => tools.expandQuery(input, signal)),
  )
  return server
}

/**
 * Makes the result of a call. Times are ISO 8601, as on the command line. The text is the same document, for clients
 * that use no structured content.
 */
async function answer(tool: keyof typeof TEXTS, path: string | null, work: () => unknown): Promise<ToolResult> {
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
    const { code, message, retryable } = toErrorInfo(error)
    if (code === 'internal') console.error(error)
    // Paths of this machine are no business of an agent, and even less of those who read its output.
    return { ...result({ error: { code, message: withoutPaths(message), retryable } }), isError: true }
  }
}

function result(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}
