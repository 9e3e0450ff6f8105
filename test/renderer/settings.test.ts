import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProviderSettings } from '#core/contract/provider.ts'
import type { EffectiveSetting } from '#core/contract/settings.ts'
import { VARIABLES } from '#core/settings/variables.ts'
import { chainAfter, moveInChain } from '#renderer/features/settings/chain-order.ts'
import {
  EMPTY_PROVIDER,
  formOf,
  KNOWN_SERVICES,
  type ProviderForm,
  providerOf,
} from '#renderer/features/settings/provider-form.ts'
import {
  acceptsText,
  choicesOf,
  findSettings,
  groupSettings,
  typedValue,
  valueText,
} from '#renderer/features/settings/setting-groups.ts'
import { whereKeysAre } from '#renderer/features/settings/where-keys-are.ts'

const whole: ProviderForm = { ...EMPTY_PROVIDER, name: 'local', baseUrl: 'http://127.0.0.1:8000/v1', model: 'small' }

describe('the form of a model', () => {
  it('becomes a provider, with null for every empty field', () => {
    expect(providerOf(whole, [])).toEqual({
      provider: {
        name: 'local',
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:8000/v1',
        model: 'small',
        keyVariable: null,
        timeoutMs: 60_000,
        maxOutputTokens: 4000,
        inputPrice: null,
        outputPrice: null,
      },
    })
  })

  it('shows a stored provider as it was typed', () => {
    const made = providerOf({ ...whole, inputPrice: '0.15', timeoutSeconds: '2.5', keyVariable: 'MY_KEY' }, [])
    if (!('provider' in made)) throw new Error('it was refused')
    expect(providerOf(formOf(made.provider), [])).toEqual(made)
  })

  it.each([
    ['name', 'My Model'],
    ['baseUrl', 'example.com/v1'],
    ['baseUrl', 'file:///etc/passwd'],
    ['model', ' '],
    ['keyVariable', 'my key'],
    ['timeoutSeconds', ''],
    ['timeoutSeconds', '0'],
    ['maxOutputTokens', '15'],
    ['maxOutputTokens', '1.5'],
    ['inputPrice', '-1'],
    ['outputPrice', 'cheap'],
  ] as const)('is refused at its field: %s = "%s"', (field, text) => {
    const made = providerOf({ ...whole, [field]: text }, [])
    expect('problems' in made && Object.keys(made.problems)).toEqual([field])
    expect('problems' in made && made.problems[field]).toMatch(/^Expected /)
  })

  it('refuses a name that another provider has', () => {
    expect(providerOf(whole, ['local'])).toEqual({ problems: { name: 'Another provider has this name.' } })
  })

  it('never accepts what the core would refuse', () => {
    const text = fc.string({ maxLength: 12 })
    const form = fc.record({
      name: text,
      kind: fc.constantFrom(...ProviderSettings.shape.kind.options),
      baseUrl: fc.oneof(text, fc.webUrl()),
      model: text,
      keyVariable: text,
      timeoutSeconds: fc.oneof(text, fc.nat({ max: 1000 }).map(String)),
      maxOutputTokens: fc.oneof(text, fc.nat({ max: 200_000 }).map(String)),
      inputPrice: text,
      outputPrice: text,
    })
    fc.assert(
      fc.property(form, (typed) => {
        const made = providerOf(typed, [])
        if ('provider' in made) ProviderSettings.parse(made.provider)
        else expect(Object.keys(made.problems).length).toBeGreaterThan(0)
      }),
    )
  })

  it('accepts the address of every known service', () => {
    for (const { label: _label, ...service } of KNOWN_SERVICES)
      expect(providerOf({ ...whole, ...service }, [])).toHaveProperty('provider.baseUrl', service.baseUrl)
  })
})

describe('the chain of models', () => {
  it('moves an entry up or down within its ends', () => {
    expect(moveInChain(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
    expect(moveInChain(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b'])
    expect(moveInChain(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
    expect(moveInChain(['a', 'b'], 1, 1)).toEqual(['a', 'b'])
  })

  it('follows a provider that is renamed or removed', () => {
    expect(chainAfter(['a', 'b'], 'a', 'z')).toEqual(['z', 'b'])
    expect(chainAfter(['a', 'b'], 'a', null)).toEqual(['b'])
  })
})

describe('the list of settings', () => {
  const setting = (variable: string, over: Partial<EffectiveSetting> = {}): EffectiveSetting => ({
    variable,
    value: 1,
    source: 'default',
    givenBy: null,
    effect: 'Something',
    accepts: 'a whole number from 1 to 5',
    byDefault: '1',
    ...over,
  })

  const known = groupSettings(Object.values(VARIABLES).map(({ name }) => setting(name)))

  it('contains every setting once, with a name for people, unless it has a control of its own', () => {
    const shown = known.flatMap(({ settings }) => settings)
    const withControl = ['LCM_EMBEDDINGS', 'LCM_SPEND_CAP_TOKENS', 'LCM_SUMMARIZERS']
    const variables = Object.values(VARIABLES).map(({ name }) => name)
    expect([...shown.map(({ setting }) => setting.variable), ...withControl].toSorted()).toEqual(variables.toSorted())
    expect(new Set(shown.map(({ label }) => label)).size).toBe(shown.length)
    expect(shown.filter(({ label }) => /LCM_|[A-Z]{2}/.test(label))).toEqual([])
    expect(known.map(({ title }) => title)).toEqual([
      'When to compact',
      'How to compact',
      'Reading',
      'Files',
      'Program',
      'Log',
    ])
  })

  it('contains settings that are not known to the window', () => {
    expect(groupSettings([setting('LCM_NEW_THING')])).toEqual([
      { title: 'Other', settings: [{ label: 'New thing', setting: setting('LCM_NEW_THING') }] },
    ])
  })

  it('is searched by name, variable, effect and title', () => {
    const found = (typed: string) =>
      findSettings(known, typed).map(({ title, settings }) => `${title}: ${settings.map(({ label }) => label)}`)
    expect(found('fresh')).toEqual(['How to compact: Newest messages that stay'])
    expect(found('lcm_log')).toEqual(['Log: Level'])
    expect(found('  THRESHOLD hard ')).toEqual(['When to compact: Must compact at'])
    expect(found('when compact')).toHaveLength(1)
    expect(found('nothing of this kind')).toEqual([])
    expect(findSettings(known, '')).toEqual(known)
  })

  it('keeps the type of a typed value, and resets an empty one to the default', () => {
    expect(typedValue(' 0.5 ', 1)).toBe(0.5)
    expect(typedValue('many', 1)).toBe('many')
    expect(typedValue('12', '/tmp')).toBe('12')
    expect(typedValue('true', false)).toBe(true)
    expect(typedValue('  ', 1)).toBeNull()
    expect(valueText(null)).toBe('')
  })

  it('offers a choice where a setting accepts only a few values', () => {
    expect(choicesOf(setting('X', { value: 'a', accepts: 'one of a, b' }))).toEqual(['a', 'b'])
    expect(choicesOf(setting('X', { value: true, accepts: 'true or false (or 1, 0)' }))).toEqual(['true', 'false'])
    expect(choicesOf(setting('X'))).toBeNull()
  })

  it('says what a field accepts and what its default is', () => {
    expect(acceptsText(setting('X'))).toBe('a whole number from 1 to 5')
    expect(acceptsText(setting('X', { source: 'file' }))).toBe('a whole number from 1 to 5; default: 1')
    expect(acceptsText(setting('X', { source: 'file', value: true, byDefault: 'false' }))).toBe('default: off')
  })
})

describe('the text on keys', () => {
  it('names the keychain where one can be reached, and elsewhere the environment and the way to a keychain', () => {
    expect(whereKeysAre('electron', true)).toMatch(/^Keys are kept in the keychain/)
    expect(whereKeysAre('browser', false)).toMatch(/environment only.*The desktop app has one/)
    expect(whereKeysAre('electron', false)).toMatch(
      /environment only.*no keychain that can be reached.*start the app again/,
    )
  })
})
