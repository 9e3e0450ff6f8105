import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Scanner } from '#core/doctor/scan/scanner.ts'
import { Draft } from '#core/memory/draft.ts'
import type { MemoryRows } from '#core/memory/memory.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { runToEnd, withoutYielding } from '#core/yielding.ts'
import type { TestMemory } from '#test/builders/memory.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { NOW_MS } from '#test/compaction/run-compaction.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { compactedMemory } from '../repair/compacted.ts'

let memory: TestMemory
beforeEach(async () => {
  memory = await compactedMemory({ seed: 3 })
})
afterEach(() => memory.close())

/** Examines a file and gives what is read of it afterwards, with the statements that this takes. */
async function examine(path: string, meanwhile = (): void => {}) {
  using opened = openMemory(path, { readOnly: true })
  const statements: string[] = []
  const db: ReadDb = {
    ...opened.read,
    all: (sql, params) => {
      statements.push(sql)
      return opened.read.all(sql, params)
    },
    rows: (sql, params) => {
      statements.push(sql)
      return opened.read.rows(sql, params)
    },
    iterate: (sql, params) => {
      statements.push(sql)
      return opened.read.iterate(sql, params)
    },
    iterateRows: (sql, params) => {
      statements.push(sql)
      return opened.read.iterateRows(sql, params)
    },
  }
  const checker = new Scanner({
    db,
    info: opened.info,
    estimator: createTokenEstimator(),
    settings: readSettings({}).compaction,
    clock: () => NOW_MS,
  })
  const work = checker.examine(undefined, new AbortController().signal, { asked: [], kept: [] })
  const examination = await runToEnd(work)
  meanwhile()
  statements.length = 0
  const rows = withoutYielding(examination.readRows())
  return { rows, statements: [...statements], anew: withoutYielding(readingMemory(db)) }
}

const derived = (rows: MemoryRows): unknown => {
  const draft = new Draft(rows)
  return [
    [...draft.summaries],
    [...draft.owners()].map((id) => [id, draft.messageLinks(id), draft.sourceLinks(id)]),
    draft.conversationIds.map((id) => draft.window(id)),
  ]
}

describe('the rows of a file for a plan', () => {
  it('are those that the scan read when nobody wrote since', async () => {
    const { rows, anew, statements } = await examine(memory.path)
    expect(statements).toEqual([])
    expect(derived(rows)).toEqual(derived(anew))
  })

  it('are read again when somebody wrote since', async () => {
    const { rows, statements } = await examine(memory.path, () => memory.db.run('UPDATE summaries SET depth = 9'))
    expect(statements).not.toEqual([])
    expect(new Set(rows.summaries.rows.map(({ depth }) => depth))).toEqual(new Set([9]))
  })

  it('include the token sums of a system that stores none', async () => {
    const { rows, anew } = await examine(copyOf('lossless-claw/small.db'))
    expect(derived(rows)).toEqual(derived(anew))
  })
})
