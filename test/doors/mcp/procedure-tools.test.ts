import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import { procedures } from '#core/contract/procedures.ts'
import { Core } from '#core/core.ts'
import { procedureCaller } from '#core/doors/procedures.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { type ServedHere, servedHere } from './served-here.ts'

const resourcesDir = join(import.meta.dirname, '../../../resources')
const open = { readOnly: true }
let core: Core
let served: ServedHere
beforeAll(async () => {
  core = new Core({
    path: join(resourcesDir, 'sample.db'),
    open,
    machine: new Machine({ env: { HOME: temporaryFolder() }, resourcesDir }),
    execute: executeHere(open),
    isRemembered: false,
  })
  served = await servedHere(new Tools(() => core.lcm(), { kind: 'all' }), null, procedureCaller(core))
})
afterAll(async () => {
  await served.close()
  await core.close()
})

/** What an agent must not reach through a memory: other files, settings, the log, notes of the user, and permissions of others. */
const ELSEWHERE = ['machine', 'settings', 'jobs', 'activity', 'notes', 'grants', 'tools']

describe('the tools made from the contract', () => {
  it('are one for each procedure that reads the memory, and none that writes or reads something else', async () => {
    const { tools } = await served.client.listTools()
    const names = tools
      .map(({ name }) => name)
      .filter((name) => !/^lcm_(grep|describe|expand|expand_query|loss)$/.test(name))
    const reading = procedures().filter(
      ({ path: [area = ''], writes, isStream }) => !writes && !isStream && !ELSEWHERE.includes(area),
    )
    const wanted = reading.map(({ name }) => `lcm_${name.replaceAll('.', '_')}`)
    expect(names).toEqual(wanted)
    expect(names.length).toBeGreaterThan(40)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  it('are not there unless they are asked for', async () => {
    const own = await servedHere(new Tools(() => core.lcm(), { kind: 'all' }))
    expect((await own.client.listTools()).tools).toHaveLength(5)
    expect((await own.call('lcm_memory_stats', {})).data.error.code).toBe('not_found')
    await own.close()
  })

  it('answer what the procedure answers, and those without arguments need none', async () => {
    const ask = procedureCaller(core)
    const { tools } = await served.client.listTools()
    const bare = procedures().filter(({ input, name }) => !input && tools.some((tool) => tool.name === toolOf(name)))
    expect(bare.length).toBeGreaterThan(5)
    for (const { name } of bare) {
      const { data, isError } = await served.call(toolOf(name), {})
      expect(isError, `${name}: ${JSON.stringify(data).slice(0, 300)}`).toBe(false)
    }
    const { data } = await served.call('lcm_lineage_treeLevel', { conversationId: 1, of: null })
    const expected = (await ask('lineage.treeLevel', { conversationId: 1, of: null })) as { nodes?: unknown[] }
    expect(Object.keys(data)).toEqual(Object.keys(expected))
  })

  it('refuse what does not fit, and an answer that would fill the window of an agent, each with what to do', async () => {
    const wrong = await served.call('lcm_strata_get', { conversationId: 1, axis: 'words' })
    expect(wrong).toMatchObject({ isError: true, data: { error: { code: 'invalid_argument' } } })
    const page = { conversationId: 1, offset: 0, limit: 400 }
    const large = await served.call('lcm_transcript_page', page)
    expect(large.data.error).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('lower limit'),
    })
    expect((await served.call('lcm_transcript_page', { ...page, limit: 2 })).data.messages).toHaveLength(2)
  })

  it('read files of other systems, too', async () => {
    const path = copyOf('argentos/small.db')
    const other = new Core({
      ...{ path, open, execute: executeHere(open), isRemembered: false },
      machine: new Machine({ env: { HOME: temporaryFolder() }, resourcesDir }),
    })
    const here = await servedHere(new Tools(() => other.lcm(), { kind: 'all' }), null, procedureCaller(other))
    expect((await here.call('lcm_memory_stats', {})).data).toMatchObject({ messages: expect.any(Number) })
    await here.close()
    await other.close()
  })
})

const toolOf = (name: string): string => `lcm_${name.replaceAll('.', '_')}`
