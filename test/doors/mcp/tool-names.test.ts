import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import { toolNamesOf } from '#core/doors/mcp/tool-names.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { type ServedHere, servedHere } from './served-here.ts'

const sample = join(import.meta.dirname, '../../../resources/sample.db')
let lcm: Lcm
let argentos: ServedHere
let own: ServedHere
beforeAll(async () => {
  lcm = await openLcm(copyOf('argentos/small.db'), { readOnly: true })
  const tools = new Tools(async () => lcm, { kind: 'all' })
  argentos = await servedHere(tools, toolNamesOf('argentos'))
  own = await servedHere(tools)
})
afterAll(async () => {
  await argentos.close()
  await own.close()
  lcm.close()
})

it('the tools are offered under the names of ArgentOS when they are asked for, and no text names one that is not there', async () => {
  const { tools } = await argentos.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['aos_lcm_grep', 'aos_lcm_describe', 'aos_lcm_expand_query'])
  const told = JSON.stringify([tools, argentos.client.getInstructions()])
  expect([...told.matchAll(/\b\w*lcm_\w+/g)].filter(([name]) => !name.startsWith('aos_lcm_'))).toEqual([])
  const unknown = await argentos.call('lcm_grep', { query: 'x' })
  expect(unknown.data.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('aos_lcm_grep') })
  const outline = await argentos.call('aos_lcm_describe', {})
  expect(outline.data.guidelines.join(' ')).toContain('aos_lcm_expand_query')
})

it('aos_lcm_expand_query walks from a summary down to its original messages, as lcm_expand does when it is asked to', async () => {
  const { data } = await argentos.call('aos_lcm_describe', {})
  const [{ id }] = data.summaries
  const originals = await argentos.call('aos_lcm_expand_query', { summaryId: id, tokenCap: 8_000 })
  const asked = { summaryId: id, tokenCap: 8_000, depth: 1_000, includeMessages: true }
  expect(originals.data.messages.length).toBeGreaterThan(0)
  expect(originals.data).toEqual((await own.call('lcm_expand', asked)).data)
  const limited = await argentos.call('aos_lcm_expand_query', { summaryId: id, includeMessages: false })
  expect(limited.data.messages).toEqual([])
})

it('a file of any system can be read under either names', async () => {
  using other = await openLcm(sample, { readOnly: true })
  const served = await servedHere(new Tools(async () => other, { kind: 'all' }), toolNamesOf('argentos'))
  const found = await served.call('aos_lcm_grep', { query: 'the', limit: 2 })
  expect(found.data.hits).toHaveLength(2)
  await served.close()
})
