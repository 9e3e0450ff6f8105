import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PROBE_STATES } from '#core/contract/lists.ts'
import { type CompareAddress, DIFFERENCE_FILTERS, NO_COMPARISON } from '#renderer/compare-address.ts'
import { NO_PROBE, PROBE_SORTS, type ProbeAddress } from '#renderer/probe-address.ts'
import {
  currentFile,
  currentRoute,
  formatRoute,
  navigate,
  parseRoute,
  patchRoute,
  type Route,
} from '#renderer/routes.ts'
import { VIEWS } from '#renderer/views.ts'

const anyRoute: fc.Arbitrary<Route> = fc.record({
  conversationId: fc.option(fc.nat({ max: 999_999_999 })),
  view: fc.constantFrom(...VIEWS),
  selection: fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
  row: fc.option(fc.nat()),
  query: fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
  ...{ searchKind: fc.constantFrom('find', 'ask'), tracedId: fc.constant(null), probe: fc.constant(NO_PROBE) },
  shown: fc.dictionary(
    fc.constantFrom('layers.zoom', 'window.at', 'find.mode', 'activity.range'),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  ),
  compare: fc.constant(NO_COMPARISON),
})

const someText = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }))
const anyProbe: fc.Arbitrary<ProbeAddress> = fc.record({
  question: fc.option(fc.integer({ min: 1, max: 2000 })),
  states: fc.uniqueArray(fc.constantFrom(...PROBE_STATES)),
  ...{ kind: someText, depth: someText, isChangedOnly: fc.boolean() },
  ...{ sort: fc.constantFrom(...PROBE_SORTS), isDescending: fc.boolean() },
  ...{ at: someText, compare: someText, limit: fc.integer({ min: 1, max: 500 }) },
})

const anySide = fc.record({ file: someText, conversation: fc.option(fc.nat()), window: someText })
const anyComparison: fc.Arbitrary<CompareAddress> = fc.record({
  ...{ a: anySide, b: anySide, difference: fc.option(fc.integer({ min: 1, max: 2000 })) },
  only: fc.constantFrom(...DIFFERENCE_FILTERS),
})

describe('the address', () => {
  it('gives back every route that was written into it', () => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        expect(parseRoute(formatRoute(route))).toEqual(route)
      }),
    )
  })

  it('gives back a trace of words, and of a message or summary', () => {
    fc.assert(
      fc.property(anyRoute, fc.option(fc.string({ minLength: 2, unit: 'grapheme' })), (route, tracedId) => {
        const traced: Route = { ...route, searchKind: 'trace', tracedId }
        expect(parseRoute(formatRoute(traced))).toEqual(traced)
      }),
    )
  })

  it('gives back what a probe asks and shows', () => {
    fc.assert(
      fc.property(anyRoute, anyProbe, (route, probe) => {
        const probed: Route = { ...route, searchKind: 'probe', probe }
        expect(parseRoute(formatRoute(probed))).toEqual(probed)
      }),
    )
  })

  it('gives back what is compared, and what of it is shown', () => {
    fc.assert(
      fc.property(anyRoute, anyComparison, (route, compare) => {
        const compared: Route = { ...route, view: 'compare', compare }
        expect(parseRoute(formatRoute(compared))).toEqual(compared)
      }),
    )
  })

  it('opens the first view when it is empty', () => {
    expect(parseRoute('')).toEqual({
      conversationId: null,
      view: 'start',
      selection: null,
      row: null,
      query: null,
      searchKind: 'find',
      tracedId: null,
      probe: NO_PROBE,
      shown: {},
      compare: NO_COMPARISON,
    })
  })

  it('can be parsed for any text that a person types', () => {
    fc.assert(fc.property(fc.string(), (text) => VIEWS.includes(parseRoute(text).view)))
    expect(parseRoute('#/conversation/none/settings?select=').conversationId).toBeNull()
  })

  it('is readable', () => {
    expect(
      formatRoute({
        ...{ conversationId: 12, view: 'files', selection: 'file_9c1f' },
        ...{
          row: 7,
          query: null,
          searchKind: 'find',
          tracedId: null,
          probe: NO_PROBE,
          compare: NO_COMPARISON,
          shown: {},
        },
      }),
    ).toBe('#/conversation/12/files?select=file_9c1f&row=7')
  })
})

describe('a changed route', () => {
  const here: Route = {
    ...{ conversationId: 1, view: 'layers', selection: 'sum_a' },
    ...{
      row: null,
      query: null,
      searchKind: 'find',
      tracedId: null,
      probe: NO_PROBE,
      compare: NO_COMPARISON,
      shown: {},
    },
  }

  it('keeps everything that the patch does not name', () => {
    expect(patchRoute(here, { view: 'window' })).toEqual({ ...here, view: 'window' })
  })

  it('drops a selection that belongs to the previous conversation', () => {
    expect(patchRoute(here, { conversationId: 2 }).selection).toBeNull()
    expect(patchRoute(here, { conversationId: 2, selection: 'sum_b' }).selection).toBe('sum_b')
    expect(patchRoute(here, { conversationId: 1 }).selection).toBe('sum_a')
    expect(patchRoute({ ...here, conversationId: null }, { conversationId: 1 }).selection).toBe('sum_a')
  })

  it('changes what is shown name by name, and drops with a conversation only what belongs to it', () => {
    const shown = { 'layers.zoom': '1..9', 'layers.color': 'age' }
    const zoomed = patchRoute({ ...here, shown }, { shown: { 'window.form': 'payload', 'layers.color': null } })
    expect(zoomed.shown).toEqual({ 'layers.zoom': '1..9', 'window.form': 'payload' })
    expect(patchRoute(zoomed, { view: 'window' }).shown).toEqual(zoomed.shown)
    expect(patchRoute(zoomed, { conversationId: 2 }).shown).toEqual({ 'window.form': 'payload' })
  })

  it('takes no value whose name does not begin with a view', () => {
    expect(parseRoute('#/strata?layers.zoom=1..9&other.zoom=1&strata.=2&strata.x-y=3&utm=4').shown).toEqual({
      'layers.zoom': '1..9',
    })
  })
})

it('drops the row of a file when something else is selected', () => {
  const inFile = parseRoute('#/conversation/1/files?select=file_a&row=7')
  expect(patchRoute(inFile, { view: 'find' }).row).toBe(7)
  expect(patchRoute(inFile, { selection: 'file_b' }).row).toBeNull()
  expect(patchRoute(inFile, { selection: 'file_b', row: 9 }).row).toBe(9)
})

describe('the file of a window', () => {
  it('is read from the query of the address, with any characters', () => {
    expect(currentFile(`?file=${encodeURIComponent('/tmp/a b&c#ü.db')}`)).toBe('/tmp/a b&c#ü.db')
    expect(currentFile('')).toBeNull()
  })
})

describe('going to another address', () => {
  const location = { hash: '' }
  const go = (_state: null, _title: string, hash: string) => Object.assign(location, { hash })
  beforeEach(() => {
    vi.useFakeTimers()
    location.hash = '#/conversation/1/find'
    vi.stubGlobal('location', location)
    vi.stubGlobal('history', { replaceState: go, pushState: go })
    vi.stubGlobal('window', new EventTarget())
  })
  afterEach(() => {
    vi.runAllTimers()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('writes what is typed a moment later, and knows it at once', () => {
    for (const query of ['g', 'ga']) navigate({ query }, 'replace')
    expect([currentRoute().query, location.hash]).toEqual(['ga', '#/conversation/1/find?query=g'])
    vi.runAllTimers()
    expect(location.hash).toBe('#/conversation/1/find?query=ga')
  })

  it('forgets what was not written yet when the user goes elsewhere, before any event says so', () => {
    for (const query of ['g', 'ga']) navigate({ query }, 'replace')
    location.hash = '#/conversation/1/find?trace=msg_9'
    expect(currentRoute()).toMatchObject({ query: null, tracedId: 'msg_9' })
    vi.runAllTimers()
    expect(location.hash).toBe('#/conversation/1/find?trace=msg_9')
  })
})

describe('an address with an earlier name of a view', () => {
  it('leads to the view of today, with what it showed', () => {
    const route = parseRoute('#/conversation/3/strata?strata.zoom=1..9&context.at=last&select=msg_2')
    expect(route).toMatchObject({ conversationId: 3, view: 'layers', selection: 'msg_2' })
    expect(route.shown).toEqual({ 'layers.zoom': '1..9', 'window.at': 'last' })
    expect(formatRoute(route)).toBe('#/conversation/3/layers?select=msg_2&layers.zoom=1..9&window.at=last')
  })

  it('leads to the form of a view that was a view of its own', () => {
    expect(parseRoute('#/conversation/3/lineage?select=sum_1')).toMatchObject({
      view: 'layers',
      selection: 'sum_1',
      shown: { 'layers.form': 'tree' },
    })
  })

  it('leads to the table of all conversations, which the first view showed', () => {
    for (const name of ['overview', 'start']) {
      const route = parseRoute(`#/conversation/3/${name}?${name}.scope=all&${name}.sort=size&${name}.axis=time`)
      expect(route.view).toBe('conversations')
      expect(route.shown).toEqual({ 'conversations.sort': 'size', 'start.axis': 'time' })
    }
    expect(parseRoute('#/conversation/3/compare?start.scope=all').view).toBe('compare')
  })

  it('leads to the first view when it names none', () => {
    for (const name of ['', 'constructor', 'overviews']) expect(parseRoute(`#/${name}`).view).toBe('start')
  })
})
