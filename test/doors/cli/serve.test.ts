import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serve } from '#core/doors/cli/commands/serve-command.ts'
import { workerUrl } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { longTranscript } from '#test/jobs/long-transcript.ts'
import { Stats } from './documents.ts'
import { document, lcmHere } from './lcm.ts'

const root = join(import.meta.dirname, '../../..')

/** As the installed command, but for the page: only who asks for it would miss it. */
function installation() {
  const rendererDir = temporaryFolder()
  writeFileSync(join(rendererDir, 'index.html'), '<title>The page</title>')
  return { root, rendererDir, workerUrl, resourcesDir: join(root, 'resources') }
}

/** Serves in this process. Ctrl-C is given to it by the returned function, which answers with the exit code. */
async function serving(options: Partial<Parameters<typeof serve>[0]>): Promise<() => Promise<number>> {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const before = process.listenerCount('SIGINT')
  const ended = serve({ json: true, open: false, ...options }, installation())
  await expect.poll(() => process.listenerCount('SIGINT'), { interval: 10 }).toBe(before + 1)
  vi.mocked(process.stdout.write).mockRestore()
  return () => {
    process.listeners('SIGINT').at(-1)?.('SIGINT')
    return ended
  }
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal)
})

it('lcm serve ends with exit code 130 on Ctrl-C', async () => {
  const interrupt = await serving({})
  expect(await interrupt()).toBe(130)
})

describe('lcm serve --auto-compact', () => {
  const summaries = async (db: string): Promise<number> => (await document(Stats, ['stats', '--db', db])).summaries

  it.each(['--db', 'the configured memory'])(
    'compacts %s when 76,000 tokens are imported by another process and no page is open',
    async (named) => {
      const folder = temporaryFolder()
      const db = join(folder, 'lcm.db')
      vi.stubEnv('LCM_TOKEN_BUDGET', '20000')
      vi.stubEnv('LCM_DATABASE_PATH', db)
      const interrupt = await serving({ autoCompact: true, ...(named === '--db' && { db }) })
      expect((await lcmHere(['import', longTranscript(500), '--db', db])).code).toBe(0)
      const { perConversation } = await document(Stats, ['stats', '--db', db])
      expect(perConversation[0]?.storedTokens).toBeGreaterThan(76_000)
      await expect.poll(() => summaries(db), { interval: 200 }).toBeGreaterThan(0)
      await expect
        .poll(
          async () => JSON.parse((await lcmHere(['compact', '--auto', '--plan', '--db', db, '--json'])).stdout).skipped,
          { interval: 200 },
        )
        .toMatch(/No threshold is reached/)
      expect(await interrupt()).toBe(130)
    },
  )
})
