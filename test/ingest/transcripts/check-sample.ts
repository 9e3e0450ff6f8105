import { expect } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { roleCounts } from '#test/builders/sample-import.ts'
import { dump } from '#test/builders/transcript-rows.ts'
import { naiveFormats, saidIn } from './naive-counts.ts'

/**
 * Imports a transcript: it gives the messages that a naive count finds, is sound, and adds nothing when it comes again.
 * @param expected what the checks rightly find in it
 */
export async function expectCounted(id: string, path: string, expected: readonly string[] = []): Promise<void> {
  using memory = buildMemory()
  const file = await importOne(memory.db, path)
  const { compactions, conversations, ...roles } = naiveFormats[id]?.count(path) ?? { user: -1 }
  const counts = roleCounts(memory)
  expect(counts).toEqual(Object.fromEntries(Object.entries(roles).filter(([, n]) => n > 0)))
  expect(file).toMatchObject({
    format: id.replace('-events', ''),
    conflicts: 0,
    skippedCount: 0,
    error: null,
    ...(compactions !== undefined && { compactions }),
  })
  expect(file.added).toBe(Object.values(counts).reduce((sum, n) => sum + n, 0))
  if (conversations !== undefined) expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(conversations)
  expect(
    memory.db.value("SELECT count(*) FROM summaries WHERE level <> 'deterministic' OR kind = 'leaf'"),
  ).toBeGreaterThanOrEqual(compactions ?? 0)
  const before = dump(memory)
  expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0, alreadyThere: file.added })
  expect(dump(memory)).toEqual(before)
  expect(await findings(memory.path)).toEqual(expected)
}

/** Imports a transcript: every text of it is stored. */
export async function expectEveryText(id: string, path: string): Promise<void> {
  using memory = buildMemory()
  await importOne(memory.db, path)
  const stored = memory.db
    .column<string>(`SELECT content FROM messages UNION ALL
      SELECT coalesce(text_content, '') || coalesce(tool_output, '') FROM message_parts`)
    .join('\n')
  for (const text of saidIn(id, path)) expect(stored.includes(text)).toBe(true)
}
