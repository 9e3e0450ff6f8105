import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyingText } from '#core/contract/lists.ts'
import { rules } from '#core/doctor/rules/rules.ts'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { scanFile, wrong } from '../integrity/scan-file.ts'
import { apply, plan } from '../repair/doctor.ts'
import { copied } from './copying.ts'

/** Files beside a memory stay where they are. */
const isCompared = (id: string): boolean => rules.find((rule) => rule.id === id)?.phase !== 'files'

it('the report of a copy names what copying settled and what it brought, until that is repaired', async () => {
  const original = join(FIXTURES, 'hermes-lcm/damaged.db')
  const { path } = await copied(original)
  const [theirs, report] = [wrong(await scanFile(original)).filter(isCompared), await scanFile(path)]
  const ours = wrong(report).filter(isCompared)
  expect(report.copying?.settled.toSorted()).toEqual(theirs.filter((id) => !ours.includes(id)).toSorted())
  expect(report.copying?.brought.toSorted()).toEqual(ours.filter((id) => !theirs.includes(id)).toSorted())
  expect(report.copying?.settled).toContain('fts_trigger_missing')

  const { steps } = await plan(path)
  await apply(
    path,
    steps.filter(({ risk }) => risk !== 'manual').map(({ id }) => id),
  )
  const after = await scanFile(path)
  for (const id of after.copying?.brought ?? []) expect(wrong(after)).toContain(id)
  for (const id of after.copying?.settled ?? []) expect(wrong(after)).not.toContain(id)
})

it('the report of a copy of a sound memory says nothing of copying', async () => {
  expect((await scanFile((await copied(join(FIXTURES, 'lossless-claw/small.db'))).path)).copying).toBeUndefined()
})

it('says in one sentence what copying settled and brought', () => {
  expect(copyingText({ settled: ['a', 'b'], brought: ['c'] })).toBe(
    'Copying settled 2 findings of the original and brought 1 that only a native file can have.',
  )
  expect(copyingText({ settled: ['a'], brought: [] })).toBe('Copying settled 1 finding of the original.')
  expect(copyingText({ settled: [], brought: ['a', 'b'] })).toBe(
    'Copying brought 2 findings that only a native file can have.',
  )
})

it('every check has a heading in words of its own', () => {
  const titles = rules.map(({ id }) => checkTitle(id))
  expect(new Set(titles).size).toBe(rules.length)
  for (const { id } of rules) expect(checkTitle(id), id).not.toBe(id.replaceAll('_', ' '))
})
