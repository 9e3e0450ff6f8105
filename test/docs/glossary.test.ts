import { expect, it } from 'vitest'
import { readGlossary } from '../structure/glossary.ts'

const glossary = readGlossary()
const terms = glossary.map(({ term }) => term)

it('has at most 40 terms in the glossary, each once and in order', () => {
  expect(terms.length).toBeGreaterThan(30)
  expect(terms.length).toBeLessThanOrEqual(40)
  expect(terms).toEqual([...new Set(terms)].sort())
})

it('explains every term of the glossary in whole sentences', () => {
  expect(glossary.filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning))).toEqual([])
})

it('uses no replaced word as a term of the glossary', () => {
  expect(terms.filter((term) => glossary.some(({ replaced }) => replaced.includes(term)))).toEqual([])
})
