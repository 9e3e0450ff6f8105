import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from './app.ts'
import { sampleCopy } from './memories.ts'

test('the packaged command gives an agent its tools', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lcm-mcp-'))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../bin/lcm.mjs'), 'mcp', '--db', sampleCopy(home)],
    env: { PATH: process.env.PATH ?? '', LCM_DATA_DIR: join(home, 'data'), LCM_CACHE_DIR: join(home, 'cache') },
  })
  const client = new Client({ name: 'e2e', version: '0' })
  await client.connect(transport)
  expect((await client.listTools()).tools).toHaveLength(5)
  const answer = await client.callTool({ name: 'lcm_grep', arguments: { query: 'charged twice' } })
  expect(answer.isError).not.toBe(true)
  expect(JSON.stringify(answer.structuredContent)).toContain('msg_')
  await client.close()
  rmSync(home, { recursive: true, force: true })
})
