import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { cliPath } from '#test/builders/built-program.ts'
import { environment } from '../cli/lcm.ts'

export type Connected = {
  readonly client: Client
  /** Of the server's process. */
  readonly pid: number | null
  /** What the server printed on standard error so far. */
  said(): string
  /** Calls a tool; the answer's document, and whether it is an error. */
  call(
    name: string,
    input: unknown,
  ): Promise<{ readonly data: Record<string, unknown>; readonly isError: boolean; readonly text: string }>
  close(): Promise<void>
}

/** Starts `lcm mcp` as an agent would, and speaks to it with the SDK's own client. */
export async function connect(
  args: readonly string[],
  { program = cliPath, env = {} }: { readonly program?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: environment(env) as Record<string, string>,
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
  })
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(transport)
  return {
    client,
    pid: transport.pid,
    said: () => said,
    call: async (name, input) => {
      const answer = await client.callTool({ name, arguments: input as Record<string, unknown> })
      const [first] = answer.content as { type: string; text: string }[]
      return {
        data: (answer.structuredContent ?? {}) as Record<string, unknown>,
        isError: answer.isError === true,
        text: first?.text ?? '',
      }
    },
    close: () => client.close(),
  }
}
