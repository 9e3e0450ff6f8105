import { afterEach, expect, it } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { AutoCompactor } from '#core/jobs/auto-compactor.ts'
import { Machine } from '#core/machine/machine.ts'
import { readSettings } from '#core/settings/settings.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

let core: Core | undefined
let memory: TestMemory | undefined
afterEach(async () => {
  await core?.close()
  memory?.close()
})

function hosted(
  path: string,
  env: Readonly<Record<string, string>>,
  autoCompact: boolean,
  isReady: () => Promise<unknown> = () => Promise.resolve(),
): Core {
  const texts = { LCM_TOKEN_BUDGET: '2000', LCM_FRESH_TAIL_COUNT: '2', ...env }
  const open = { settings: readSettings(texts) }
  const machine = new Machine({ env: { LCM_DATA_DIR: temporaryFolder() }, resourcesDir: '/nowhere' })
  const run = executeHere(open)
  const execute: typeof run = async (...job) => {
    await isReady()
    return run(...job)
  }
  core = new Core({ path, open, machine, execute, autoCompact })
  return core
}

async function watched(
  env: Readonly<Record<string, string>>,
  autoCompact: boolean,
  isReady?: () => Promise<unknown>,
): Promise<{ core: Core; memory: TestMemory; conversation: number }> {
  const built = buildMemory()
  memory = built
  const conversation = built.conversation({ messages: ['What is this?', 'A test.'] })
  const made = hosted(built.path, env, autoCompact, isReady)
  await made.lcm()
  made.subscribe(() => undefined)
  return { core: made, memory: built, conversation }
}

/** About 60 tokens each, written by another connection, as an agent would. */
const grow = (built: TestMemory, conversation: number, messages: number): void => {
  const text = 'The worker claimed a job and gave it back after the timeout. '.repeat(4)
  built.messages(
    conversation,
    Array.from({ length: messages }, (_, n) => `${n}: ${text}`),
  )
}

/** The file is also checked in the background when it is opened. */
const compactions = ({ jobs }: Core) => jobs.list().filter(({ kind }) => kind === 'compact')

it('compacts a memory that grew past the threshold until it is below it', async () => {
  const { core, memory, conversation } = await watched({}, true)
  grow(memory, conversation, 40)
  await expect.poll(() => compactions(core)[0]?.state).toBe('done')
  const result = compactions(core)[0]?.result
  expect(result?.kind === 'compact' && result.value.stopReason).toBe('target_reached')
  expect((await core.lcm()).stats.conversations()[0]?.pressure).toBeLessThan(0.75)
})

it('compacts a memory that grew before it was opened, and does not change any more', async () => {
  const built = buildMemory()
  memory = built
  const conversation = built.conversation({ messages: ['What is this?', 'A test.'] })
  grow(built, conversation, 40)
  const opened = hosted(built.path, {}, true)
  await opened.lcm()
  await expect.poll(() => compactions(opened)[0]?.state, { timeout: 5000 }).toBe('done')
})

it('compacts no second time after nothing could be compacted, until more was written', async () => {
  // The fresh tail alone is over the budget.
  const { core, memory, conversation } = await watched({ LCM_FRESH_TAIL_COUNT: '1000' }, true)
  grow(memory, conversation, 40)
  await expect.poll(() => compactions(core)[0]?.state).toBe('done')
  await new Promise((resume) => setTimeout(resume, 1500))
  expect(compactions(core)).toHaveLength(1)
})

it('compacts a memory whose conversation was locked by another program, once that has released it', async () => {
  const { core, memory, conversation } = await watched({}, true)
  memory.db.run(
    `INSERT INTO conversation_locks (conversation_id, owner, acquired_at, lease_until) VALUES (:conversation, 'import', :now, :until)`,
    { conversation, now: Date.now(), until: Date.now() + 60_000 },
  )
  grow(memory, conversation, 40)
  await expect.poll(() => compactions(core)[0]?.state).toBe('failed')
  expect(compactions(core)[0]?.error?.code).toBe('locked')
  memory.db.run('DELETE FROM conversation_locks')
  await expect.poll(() => compactions(core)[0]?.state, { timeout: 5000 }).toBe('done')
})

it('compacts a memory that grew during a run that was cancelled', async () => {
  const gate = Promise.withResolvers<void>()
  const { core, memory, conversation } = await watched({}, true, () => gate.promise)
  grow(memory, conversation, 40)
  await expect.poll(() => compactions(core)[0]?.state).toBe('running')
  grow(memory, conversation, 10)
  await new Promise((resume) => setTimeout(resume, 1000))
  const [first] = compactions(core)
  if (first) core.jobs.cancel(first.jobId)
  gate.resolve()
  await expect.poll(() => compactions(core).map(({ state }) => state), { timeout: 5000 }).toContain('done')
  expect((await core.lcm()).stats.conversations()[0]?.pressure).toBeLessThan(0.75)
})

it.each([
  ['the host did not ask for it', {}, false],
  ['the configuration forbids it', { LCM_AUTOCOMPACT_DISABLED: 'true' }, true],
] as const)('does not compact a memory when %s', async (_why, env, autoCompact) => {
  const { core, memory, conversation } = await watched(env, autoCompact)
  grow(memory, conversation, 40)
  await new Promise((resume) => setTimeout(resume, 1500))
  expect(compactions(core)).toEqual([])
})

it('ignores a memory that cannot be read', async () => {
  const { core, memory } = await watched({}, true)
  const compactor = new AutoCompactor(core.jobs)
  const lcm = await core.lcm()
  memory.damage('DROP TABLE context_items')
  expect(() => lcm.stats.conversations()).toThrow(expect.objectContaining({ name: 'LcmError' }))
  expect(() => compactor.look(lcm)).not.toThrow()
})
