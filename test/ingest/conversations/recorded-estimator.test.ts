import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { recordedEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { Integrity } from '#test/doors/cli/documents.ts'
import { document, lcmHere } from '#test/doors/cli/lcm.ts'

/** Counted very differently by the two heuristics. */
const HASHES = Array.from(
  { length: 60 },
  (_, n) => `./.git/objects/${(n * 7919).toString(16)}/51b0aab3c96c9942f5611b6d6`,
)
const first = recordedEstimator('heuristic')
const countAtFirst = (text: string): number => first?.count(text) ?? 0

/** A memory as releases before the second heuristic left it. */
function olderMemory(recorded: string | null = 'heuristic'): string {
  const memory = buildMemory({
    conversations: [{ messages: HASHES.map((content) => ({ content, tokens: countAtFirst(content) })) }],
  })
  if (recorded !== null)
    memory.db.run("INSERT OR REPLACE INTO lcm_meta (key, value) VALUES ('token_estimator', :recorded)", { recorded })
  memory.db.close()
  return memory.path
}

const nameAt = async (path: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  using lcm = await openLcm(path, { settings: readSettings(env) })
  return lcm.estimator.name
}

const transcript = (content: string): string => {
  const path = join(temporaryFolder(), 'talk.jsonl')
  writeFileSync(path, `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content } })}\n`)
  return path
}

describe('the estimator of a memory', () => {
  it('is the one that counted its first messages, whatever is imported later', async () => {
    const path = olderMemory()
    expect(await nameAt(path)).toBe('heuristic')
    const content = HASHES.join('\n')
    expect((await lcmHere(['import', transcript(content), '--db', path])).code).toBe(0)
    const lcm = await openLcm(path)
    expect(lcm.read.value('SELECT token_count FROM messages ORDER BY message_id DESC')).toBe(countAtFirst(content))
    lcm.close()
    const report = await document(Integrity, ['integrity', '--db', path])
    expect(report.checks.find(({ id }) => id === 'token_drift')?.count).toBe(0)
  })

  it('is the newest heuristic for a new memory, which records it', async () => {
    const path = join(temporaryFolder(), 'new.db')
    expect((await lcmHere(['import', transcript('hello'), '--db', path])).code).toBe(0)
    expect(await nameAt(path)).toBe('heuristic-2')
    expect(JSON.parse((await lcmHere(['stats', '--db', path, '--json'])).stdout)).toMatchObject({
      tokenEstimator: 'heuristic-2',
    })
  })

  it('stays when another one is configured, which is reported as unused', async () => {
    const path = olderMemory()
    const env = { LCM_TOKEN_ESTIMATOR: 'o200k_base' }
    expect(await nameAt(path, env)).toBe('heuristic')
    const ran = await lcmHere(['import', transcript('hello'), '--db', path], { env })
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^lcm: LCM_TOKEN_ESTIMATOR \(o200k_base\) is not used: .* are counted by heuristic, .*\n$/),
    ])
    const made = join(temporaryFolder(), 'exact.db')
    expect(await lcmHere(['import', transcript('hello'), '--db', made], { env })).toMatchObject({ code: 0, stderr: '' })
    expect(await nameAt(made)).toBe('o200k_base')
  })

  it.each(['copy', 'salvage'])('is kept by lcm %s', async (command) => {
    const to = join(temporaryFolder(), 'made.db')
    expect((await lcmHere([command, '--from', olderMemory(), '--to', to])).code).toBe(0)
    expect(await nameAt(to)).toBe('heuristic')
  })

  it('is the first heuristic for a working copy that records none, and the configured one otherwise', async () => {
    expect(await nameAt(olderMemory(null))).toBe('heuristic-2')
    expect(await nameAt(olderMemory('of another world'))).toBe('heuristic-2')
    const memory = buildMemory({})
    memory.db.run(
      `INSERT INTO lcm_meta (key, value) VALUES ('copied_from', '{"system":"lossless-claw","systemLabel":"lossless-claw","fileName":"lcm.db"}')`,
    )
    memory.db.close()
    expect(await nameAt(memory.path)).toBe('heuristic')
  })
})
