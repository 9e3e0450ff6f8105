import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import { createMcpServer } from '#core/doors/mcp/server.ts'
import { MAX_LINE_BYTES, StdioTransport } from '#core/doors/mcp/stdio-transport.ts'
import { cliPath } from '../builders/built-program.ts'
import { ended, environment } from '../doors/cli/lcm.ts'

// Proves that whatever a client writes, the server says what is wrong with it and hears the next line, and that it ends
// with its pipe.
const sample = join(import.meta.dirname, '../../resources/sample.db')
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
}
const PING = { jsonrpc: '2.0', id: 'last', method: 'ping' }
type Said = { readonly id: unknown; readonly error?: { readonly code: number; readonly message: string } }

/**
 * Everything that a server answers to some lines, up to the answer to the ping that follows them: the last line of the
 * input, which has no line end.
 */
async function answers(lines: readonly (string | Buffer)[]): Promise<Said[]> {
  const input = new PassThrough()
  const output = new PassThrough()
  const tools = new Tools(
    () => {
      throw new Error('no memory is read here')
    },
    { kind: 'all' },
  )
  const server = createMcpServer(tools, { version: '0' })
  await server.connect(new StdioTransport({ input, output }))
  let text = ''
  output.on('data', (piece: Buffer) => {
    text += String(piece)
  })
  for (const line of [JSON.stringify(INITIALIZE), ...lines]) {
    input.write(line)
    input.write('\n')
  }
  input.end(JSON.stringify(PING))
  while (!text.includes('"id":"last"')) await sleep(1)
  await server.close()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Said)
    .filter(({ id }) => id !== 'hello' && id !== 'last')
}

describe('a server of the Model Context Protocol', () => {
  it.each<[string, string, Said['id'], number]>([
    ['a line that is no JSON', 'x', null, -32700],
    ['a number', '1', null, -32600],
    ['a list', '[]', null, -32600],
    ['a request without its version', '{"id":1,"method":"ping"}', 1, -32600],
    ['parameters that are a text', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', 1, -32602],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["x"]}', 1, -32602],
    ['parameters that are null', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}', 1, -32602],
    ['no parameters where they must be', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 1, -32602],
    [
      'arguments that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lcm_grep","arguments":["x"]}}',
      1,
      -32602,
    ],
    [
      'arguments that are a text',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lcm_grep","arguments":"x"}}',
      1,
      -32602,
    ],
    ['a name that is a number', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}', 1, -32602],
    ['a method that there is not', '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 1, -32601],
  ])('answers %s with the error that the protocol has for it', async (_what, line, id, code) => {
    expect(await answers([line])).toMatchObject([{ id, error: { code } }])
  })

  it('reports a line that is too long once, says what to do, and reads on', async () => {
    const long = Buffer.alloc(MAX_LINE_BYTES + 1, 'x')
    const said = await answers([long, Buffer.concat([long, long]), JSON.stringify({ ...PING, id: 7 })])
    expect(said).toMatchObject([
      {
        id: null,
        error: { code: -32700, message: expect.stringMatching(/at most 10485760 bytes.*send several requests/) },
      },
      { id: null, error: { code: -32700 } },
      { id: 7 },
    ])
  })

  it('never reports an internal error for what a client sent, and always reads the next line (property)', async () => {
    const request = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', null),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.object()),
        method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'resources/read', 'x', 7),
        params: fc.oneof(fc.jsonValue(), fc.record({ name: fc.constant('lcm_grep'), arguments: fc.jsonValue() })),
      },
      { requiredKeys: ['method'] },
    )
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      request.map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
        const clean = lines.map((one) => one.replaceAll('\n', ' ')).filter((one) => !/"id":"(last|hello)"/.test(one))
        for (const { error } of await answers(clean)) expect(error?.code).not.toBe(-32603)
      }),
      { numRuns: 60 },
    )
  })

  it('ends with its pipe, even in the middle of a line that is too long', async () => {
    const child = spawn(process.execPath, [cliPath, 'mcp', '--db', sample], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
    child.stdin.end(Buffer.alloc(MAX_LINE_BYTES + 1, 'x'))
    const ran = await ended(child)
    expect(ran.stdout).toContain('"id":null')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })
})
