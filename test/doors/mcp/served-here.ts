import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import type { Tools } from '#core/agents/tools/tools.ts'
import { createMcpServer } from '#core/doors/mcp/server.ts'
import type { ToolNames } from '#core/doors/mcp/tool-names.ts'
import type { CallProcedure } from '#core/doors/procedures.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field, and expectations say what it is
type Answer = { readonly data: any; readonly isError: boolean; readonly text: string }
export type ServedHere = {
  readonly client: Client
  call(name: string, input: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

/** A server in this process, and a client that speaks with it. */
export async function servedHere(
  tools: Tools,
  names: ToolNames = null,
  procedures: CallProcedure | null = null,
): Promise<ServedHere> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer(tools, { version: '0', names, procedures }).connect(theirs)
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(mine)
  return {
    client,
    call: async (name, input) => {
      const answer = await client.callTool({ name, arguments: input })
      const [first] = answer.content as { text: string }[]
      return { data: answer.structuredContent, isError: answer.isError === true, text: first?.text ?? '' }
    },
    close: () => client.close(),
  }
}
