import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Counts } from '#core/activity/counts.ts'
import { LineLevel, LogFields, LogSource } from '#core/contract/activity.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/observability.md'), 'utf8')

it('docs/observability.md names every field, level and source of the log', () => {
  const words = [...Object.keys(LogFields.shape), ...LineLevel.options, ...LogSource.options]
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([])
})

it('docs/observability.md names every metric with its labels, and no other', async () => {
  const counts = new Counts()
  counts.showMemory('0123456789ab', { conversations: [], checks: [] })
  const text = await counts.text([], (labels) => labels)
  const names = [...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name)
  const documented = [...page.matchAll(/^\| `(lcm_\w+)` \|/gm)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual(names.toSorted())
})
