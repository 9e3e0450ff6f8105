import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSame, type JsonEntry, withEntries, withoutEntries } from '#core/host/connections/file-change.ts'

const name = fc.constantFrom('hooks', 'enabledPlugins', 'model', 'a', 'b')
const document = fc.dictionary(
  name,
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }))),
)
const OURS: readonly JsonEntry[] = [
  { at: ['extraKnownMarketplaces', 'lcm-inspector'], value: { source: { path: '/a b/"c"' } } },
  { at: ['enabledPlugins', 'lcm@lcm-inspector'], value: true },
]

/** Objects that are empty are not kept: a document with one says the same without it. */
const pruned = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key, one]) => key !== 'enabledPlugins' || !isEmptyObject(one)))
const isEmptyObject = (value: unknown): boolean => JSON.stringify(value) === '{}'

it('takes out of any document exactly what it has put into it', () => {
  fc.assert(
    fc.property(document, (given) => {
      // Where the user has something else than an object, ours takes its place.
      fc.pre(
        !('enabledPlugins' in given) ||
          (typeof given.enabledPlugins === 'object' && !Array.isArray(given.enabledPlugins)),
      )
      fc.pre(given.enabledPlugins !== null)
      const with_ = withEntries(JSON.stringify(given), OURS)
      const without = withoutEntries(with_, OURS)
      expect(without === null ? {} : JSON.parse(without)).toEqual(JSON.parse(JSON.stringify(pruned(given))))
    }),
  )
})

it('changes nothing when the same is written again', () => {
  fc.assert(
    fc.property(document, (given) => {
      const once = withEntries(JSON.stringify(given), OURS)
      expect(withEntries(once, OURS)).toBe(once)
    }),
  )
})

it('keeps the order of the other fields and the indentation of the document', () => {
  const before =
    '{\n    "model": "opus",\n    "enabledPlugins": {\n        "other@shop": true\n    },\n    "theme": "dark"\n}\n'
  const after = withEntries(before, OURS)
  expect(Object.keys(JSON.parse(after))).toEqual(['model', 'enabledPlugins', 'theme', 'extraKnownMarketplaces'])
  expect(after).toContain('\n    "model"')
  expect(withoutEntries(after, OURS)).toBe(before)
})

it('refuses what is no JSON object', () => {
  for (const text of ['[1]', '{"a":', '// a comment\n{}']) expect(() => withEntries(text, OURS)).toThrow(SyntaxError)
})

it('takes two ways of writing the same JSON for the same, and nothing else', () => {
  const change = (before: string | null, after: string | null, path = 'a.json') => isSame({ path, before, after })
  expect(change('{"a":1}', '{\n  "a": 1\n}\n')).toBe(true)
  expect(change('{"a":1}', '{"a":2}')).toBe(false)
  expect(change(null, '{}')).toBe(false)
  expect(change('a = 1', 'a = 1\n', 'config.toml')).toBe(false)
})
