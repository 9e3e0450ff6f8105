import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentFile, formatRoute, parseRoute, patchRoute, type Route, VIEWS } from '../../renderer/routes.ts'

const anyRoute: fc.Arbitrary<Route> = fc.record({
  conversationId: fc.option(fc.nat({ max: 999_999_999 })),
  view: fc.constantFrom(...VIEWS),
  selection: fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
  query: fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
  isAsking: fc.boolean(),
})

describe('the address', () => {
  it('gives back every route that it was made from', () => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        expect(parseRoute(formatRoute(route))).toEqual(route)
      }),
    )
  })

  it('opens on the strata when it says nothing', () => {
    expect(parseRoute('')).toEqual({
      conversationId: null,
      view: 'strata',
      selection: null,
      query: null,
      isAsking: false,
    })
  })

  it('never fails on what a person may type', () => {
    fc.assert(fc.property(fc.string(), (text) => VIEWS.includes(parseRoute(text).view)))
    expect(parseRoute('#/conversation/none/settings?select=').conversationId).toBeNull()
  })

  it('reads well', () => {
    expect(
      formatRoute({ conversationId: 12, view: 'context', selection: 'sum_9c1f', query: null, isAsking: false }),
    ).toBe('#/conversation/12/context?select=sum_9c1f')
  })
})

describe('going somewhere else', () => {
  const here: Route = { conversationId: 1, view: 'strata', selection: 'sum_a', query: null, isAsking: false }

  it('keeps what the patch does not name', () => {
    expect(patchRoute(here, { view: 'context' })).toEqual({ ...here, view: 'context' })
  })

  it('drops a selection that belongs to the conversation left behind', () => {
    expect(patchRoute(here, { conversationId: 2 }).selection).toBeNull()
    expect(patchRoute(here, { conversationId: 2, selection: 'sum_b' }).selection).toBe('sum_b')
    expect(patchRoute(here, { conversationId: 1 }).selection).toBe('sum_a')
    expect(patchRoute({ ...here, conversationId: null }, { conversationId: 1 }).selection).toBe('sum_a')
  })
})

describe('the file of a window', () => {
  it('stands in the query of the address, whatever characters it has', () => {
    expect(currentFile(`?file=${encodeURIComponent('/tmp/a b&c#ü.db')}`)).toBe('/tmp/a b&c#ü.db')
    expect(currentFile('')).toBeNull()
  })
})
