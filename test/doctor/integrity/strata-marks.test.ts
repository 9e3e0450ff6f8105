import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

const claw = join(FIXTURES, 'lossless-claw')
const files = [
  'lossless-claw/small.db',
  'lossless-claw/rich.db',
  ...readdirSync(join(claw, 'corrupt'))
    .filter((name) => name.endsWith('.db'))
    .map((name) => `lossless-claw/corrupt/${name}`),
  'lossless-claude/small.sqlite',
  'hermes-lcm/small.db',
  'hermes-lcm/damaged.db',
  'lcm-x/small.db',
  'argentos/small.db',
  'pi-lcm/small.db',
  'decapod/small/lcm.db',
]
const cacheDir = join(temporaryFolder(), 'cache')

describe('the marks in the strata', () => {
  it.each(files)('are exactly what the checks find in %s', async (file) => {
    using lcm = await openLcm(join(FIXTURES, file), { readOnly: true, cacheDir, settings: readSettings({}) })
    for (const conversationId of lcm.read.column<number>('SELECT conversation_id FROM conversations')) {
      const { marks } = lcm.strata.get({ conversationId, axis: 'messages' })
      const found = (await lcm.doctor()).integrity.findNow(['coverage_gap', 'double_coverage'], conversationId)
      const marked = (kind: string): number =>
        marks.filter((mark) => mark.kind === kind).reduce((sum, { messages }) => sum + messages, 0)
      expect(marked('uncovered')).toBe(found.get('coverage_gap')?.length)
      expect(marked('double_coverage')).toBe(found.get('double_coverage')?.length)
    }
  })
})
