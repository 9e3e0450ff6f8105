import { expect, it } from 'vitest'
import { fixes, rules, rulesOf } from '../../core/doctor/rules/rules.ts'
import { allSystems } from '../../core/systems/systems.ts'

it('every rule has a unique id', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

it('the steps of every fix are named after a rule that has it', () => {
  for (const fix of fixes) expect(rulesOf(fix).map(({ id }) => id)).toContain(fix.name)
})

it('no two fixes use the same name for their steps', () => {
  const names = fixes.map(({ name, part = '' }) => `${name} ${part}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('no two fixes have the same stage unless they do the same for different rules', () => {
  const shared = Map.groupBy(fixes, ({ stage }) => stage)
  expect([...shared].filter(([, group]) => group.length > 1).map(([stage]) => stage)).toEqual(['failed summaries'])
})

it('every rule above the severity info has a fix or an advice', () => {
  const silent = rules.filter(({ severity, fixes, advice }) => severity !== 'info' && !fixes && !advice)
  expect(silent.map(({ id }) => id)).toEqual([])
})

it('every known exception of a system names a rule', () => {
  const ids = new Set(rules.map(({ id }) => id))
  const named = allSystems().flatMap(({ knownExceptions }) => knownExceptions.map(({ rule }) => rule))
  expect(named.filter((id) => !ids.has(id))).toEqual([])
})

it('every rule follows from rules that exist', () => {
  const ids = new Set(rules.map(({ id }) => id))
  expect(rules.flatMap(({ consequenceOf = [] }) => consequenceOf).filter((id) => !ids.has(id))).toEqual([])
})
