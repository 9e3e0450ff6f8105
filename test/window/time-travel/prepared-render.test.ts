import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, expect, it, vi } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { readSettings } from '#core/settings/settings.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { TimeTravel } from '#core/window/time-travel/time-travel.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import type { Client } from '#test/contract/doors.ts'

afterEach(() => vi.restoreAllMocks())

it('a window is read in slices before it is rendered, that of now and that of a moment with its events', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['one', 'two'] }] })
  const home = temporaryFolder()
  const open = { settings: readSettings({}), cacheDir: join(home, 'cache'), dataDir: join(home, 'data') }
  const machine = new Machine({ env: {}, resourcesDir: home, home, cwd: home })
  const core = new Core({ path: memory.path, open, machine, execute: executeHere(open) })
  const client = createRouterClient(createRouter(core)) as Client
  const reading = vi.spyOn(MemoryReader.prototype, 'prepareMemory')
  const events = vi.spyOn(TimeTravel.prototype, 'prepare')
  const input = { conversationId: 1, provider: 'anthropic' } as const
  await client.context.render(input)
  expect([reading, events].map((spy) => spy.mock.calls.length)).toEqual([1, 0])
  const { messages } = await client.context.render({ ...input, moment: { messageId: 'msg_1' } })
  expect([reading, events].map((spy) => spy.mock.calls.length)).toEqual([2, 1])
  expect(messages).toHaveLength(1)
  await core.close()
})
