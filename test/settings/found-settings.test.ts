import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { FoundSettings } from '#core/contract/settings.ts'
import { Machine } from '#core/machine/machine.ts'
import { SettingsStore } from '#core/settings/settings-store.ts'
import { VARIABLES } from '#core/settings/variables.ts'
import { allSystems } from '#core/systems/systems.ts'
import { patchOf, rowsOf } from '#renderer/features/settings/found-values.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'

const SECRET = 'sk-live-0123456789-DO-NOT-SHOW'

let home = ''
let cwd = ''
beforeEach(() => {
  home = temporaryFolder()
  cwd = join(home, 'project')
  mkdirSync(cwd)
})
function put(path: string, text: string): string {
  const target = join(home, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}
async function found(env: Record<string, string> = {}): Promise<FoundSettings[]> {
  const machine = new Machine({ env: { LCM_DATA_DIR: join(home, 'data'), ...env }, home, cwd, resourcesDir: home })
  return FoundSettings.array().parse(await machine.discoverSettings())
}
const byName = ({ values }: FoundSettings) =>
  Object.fromEntries(values.map(({ name, variable, value }) => [name, [variable, value]]))

const OPENCLAW = `{
  // JSON with comments and trailing commas, as OpenClaw writes it
  gateway: { auth: { token: '${SECRET}' } },
  plugins: { entries: { 'lossless-claw': { enabled: true, config: {
    freshTailCount: 32, contextThreshold: 0.6, incrementalMaxDepth: -1, leafMinFanout: "6",
    summaryModel: 'anthropic/claude', customInstructions: '${SECRET}', dbPath: '/x/lcm.db',
  } } } },
}`

describe('the settings of other systems', () => {
  it('are read where each keeps them, by their own names, and nothing is written', async () => {
    put('.openclaw/openclaw.json', OPENCLAW)
    put(
      '.argentos/argent.json',
      '{"plugins":{"entries":{"aos-lcm":{"config":{"freshTailCount":12,"summaryModel":"auto"}}}}}',
    )
    put('.pi/agent/settings.json', '{"lcm":{"leafChunkTokens":3000,"condensationThreshold":5,"debugMode":true}}')
    put('project/.pi/settings.json', '{"lcm":{"maxDepth":3}}')
    put(
      '.hermes/config.yaml',
      '# lcm: none\nmodel: x\nlcm:\n  fresh_tail_count: 44 # newest\n\n  # more\n  other: [1]\ncompression:\n  threshold: 0.66\n',
    )
    const before = folderState(home)
    const all = await found()
    expect(folderState(home)).toEqual(before)
    expect(existsSync(join(home, 'data'))).toBe(false)
    expect(all.every(({ problem, note }) => problem === null && note !== null)).toBe(true)
    expect(all.map((one) => [one.label, one.path.slice(home.length), byName(one)])).toEqual([
      [
        'ArgentOS',
        '/.argentos/argent.json',
        {
          'plugins.entries.aos-lcm.config.freshTailCount': ['LCM_FRESH_TAIL_COUNT', 12],
          'plugins.entries.aos-lcm.config.summaryModel': ['LCM_SUMMARIZERS', 'auto'],
        },
      ],
      [
        'hermes-lcm',
        '/.hermes/config.yaml',
        {
          'lcm.fresh_tail_count': ['LCM_FRESH_TAIL_COUNT', 44],
          'compression.threshold': ['LCM_CONTEXT_THRESHOLD', 0.66],
        },
      ],
      [
        'lossless-claw',
        '/.openclaw/openclaw.json',
        {
          'plugins.entries.lossless-claw.config.contextThreshold': ['LCM_CONTEXT_THRESHOLD', 0.6],
          'plugins.entries.lossless-claw.config.freshTailCount': ['LCM_FRESH_TAIL_COUNT', 32],
          'plugins.entries.lossless-claw.config.leafMinFanout': ['LCM_MIN_MESSAGES_TO_COMPACT', 6],
          'plugins.entries.lossless-claw.config.incrementalMaxDepth': ['LCM_MAX_DEPTH', -1],
        },
      ],
      [
        'pi-lcm',
        '/.pi/agent/settings.json',
        {
          'lcm.leafChunkTokens': ['LCM_LEAF_CHUNK_TOKENS', 3000],
          'lcm.condensationThreshold': ['LCM_CONDENSED_MIN_FANOUT', 5],
          'lcm.debugMode': ['LCM_DEBUG_MODE', true],
        },
      ],
      ['pi-lcm', '/project/.pi/settings.json', { 'lcm.maxDepth': ['LCM_MAX_DEPTH', 3] }],
    ])
    const pi = all.find(({ path }) => path.endsWith('agent/settings.json'))
    expect(pi?.settings).toEqual({ leafChunkTokens: 3000, condensedMinFanout: 5 })
  })

  it('are looked for where the variables of a system lead', async () => {
    const paths = [
      put('a/openclaw.json', '{plugins:{entries:{"lossless-claw":{config:{freshTailCount:1}}}}}'),
      put('b/argent.json', '{"plugins":{"config":{"aos-lcm":{"freshTailCount":2}}}}'),
      put('c/config.yaml', '---\nlcm: {fresh_tail_count: 3}'),
      put('d/settings.json', '{"lcm":{"maxDepth":4}}'),
    ]
    const env = { OPENCLAW_STATE_DIR: 'a', ARGENT_STATE_DIR: 'b', HERMES_HOME: 'c', PI_CODING_AGENT_DIR: 'd' }
    const moved = Object.fromEntries(Object.entries(env).map(([name, folder]) => [name, join(home, folder)]))
    expect((await found(moved)).map(({ path }) => path).toSorted()).toEqual(paths)
    const named = put('mine.json5', '{plugins:{entries:{"lossless-claw":{config:{freshTailCount:9}}}}}')
    expect((await found({ OPENCLAW_CONFIG_PATH: named })).map(({ path }) => path)).toEqual([named])
  })

  it('never contain a text of a file, whatever stands under a known name', async () => {
    const names = ['freshTailCount', 'contextThreshold', 'summaryModel', 'leafChunkTokens', 'debugMode']
    const config = Object.fromEntries(names.map((name, n) => [name, n % 2 === 0 ? SECRET : { key: SECRET }]))
    put('.argentos/argent.json', JSON.stringify({ plugins: { entries: { 'aos-lcm': { config } } } }))
    put('.pi/agent/settings.json', JSON.stringify({ lcm: SECRET, apiKey: SECRET }))
    put('.openclaw/openclaw.json', `{"key": "${SECRET}", oops`)
    put('.hermes/config.yaml', `key: ${SECRET}\nlcm:\n  fresh_tail_count: [${SECRET}]\n  key: "${SECRET}`)
    const all = await found()
    expect(JSON.stringify(all)).not.toContain(SECRET.slice(0, 10))
    expect(
      all.map(({ label, problem, values }) => [label, problem, values.map((one) => [one.value, one.problem])]),
    ).toEqual([
      [
        'ArgentOS',
        null,
        [
          [null, 'It is no number.'],
          [null, 'It is no number.'],
          [null, 'It is no number.'],
          [null, 'It names a model: add that under Models.'],
        ],
      ],
      ['hermes-lcm', 'It cannot be read as YAML.', []],
      ['lossless-claw', 'It cannot be read as JSON.', []],
    ])
  })

  it('keep what is out of the range here, with the range, and offer it to nobody', async () => {
    put('.pi/agent/settings.json', '{"lcm":{"condensationThreshold":1,"maxDepth":2}}')
    const [pi] = await found()
    expect(pi?.values).toEqual([
      {
        name: 'lcm.condensationThreshold',
        variable: 'LCM_CONDENSED_MIN_FANOUT',
        value: 1,
        problem: 'Here it must be a whole number from 2 to 1000.',
      },
      { name: 'lcm.maxDepth', variable: 'LCM_MAX_DEPTH', value: 2, problem: null },
    ])
    expect(pi?.settings).toEqual({ maxDepth: 2 })
  })

  it('are refused in a sentence when the file is huge, a device, a pipe, a folder or not readable', async () => {
    put('.openclaw/openclaw.json', `{"a": "${'x'.repeat(256 * 1024)}"}`)
    mkdirSync(join(home, '.argentos'))
    symlinkSync('/dev/zero', join(home, '.argentos/argent.json'))
    mkdirSync(join(home, '.hermes'))
    execFileSync('mkfifo', [join(home, '.hermes/config.yaml')])
    mkdirSync(join(home, '.pi/agent/settings.json'), { recursive: true })
    expect((await found()).map(({ label, problem }) => [label, problem])).toEqual([
      ['ArgentOS', 'It is no file.'],
      ['hermes-lcm', 'It is no file.'],
      ['lossless-claw', 'It is larger than 256 KiB, which no settings are.'],
      ['pi-lcm', 'It is no file.'],
    ])
  })

  it('are read through a link to a file, and left out where the link leads nowhere', async () => {
    const kept = put('dotfiles/pi.json', '{"lcm":{"maxDepth":2}}')
    mkdirSync(join(home, '.pi/agent'), { recursive: true })
    symlinkSync(kept, join(home, '.pi/agent/settings.json'))
    mkdirSync(join(home, '.argentos'))
    symlinkSync(join(home, 'gone'), join(home, '.argentos/argent.json'))
    expect((await found()).map(({ path }) => path)).toEqual([join(home, '.pi/agent/settings.json')])
  })

  it('survive documents of any shape: nested deep, with aliases that multiply, with names of the language', async () => {
    put('.argentos/argent.json', `${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    const multiplied = Array.from(
      { length: 30 },
      (_, n) => `  a${n}: &a${n} [${n === 0 ? '1' : `*a${n - 1}, *a${n - 1}`}]`,
    )
    put('.hermes/config.yaml', `lcm:\n${multiplied.join('\n')}\n  fresh_tail_count: 4\n`)
    put('.pi/agent/settings.json', '{"__proto__": {"lcm": {"maxDepth": 7}}, "constructor": 1}')
    const all = await found()
    expect(all.flatMap(({ values }) => values.map(({ name }) => name))).not.toContain('lcm.maxDepth')
    for (const { problem } of all) expect(problem === null || problem.endsWith('.')).toBe(true)
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        put('.pi/agent/settings.json', `{"lcm": ${text}}`)
        for (const one of await found()) expect(one.values.every(({ value }) => typeof value !== 'string')).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  it('name variables that exist, for every system', () => {
    const known = Object.values(VARIABLES).map(({ name }) => name)
    const named = allSystems().flatMap(({ ownSettings }) =>
      (ownSettings?.sections ?? []).flatMap(({ names }) => Object.values(names)),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !known.some((one) => one === name))).toEqual([])
  })
})

describe('taking the settings of another system over', () => {
  it('writes what differs into the settings file, and then nothing differs', async () => {
    put(
      '.argentos/argent.json',
      '{"plugins":{"config":{"aos-lcm":{"freshTailCount":12,"contextThreshold":0.75,"leafChunkTokens":0,"summaryModel":"auto"}}}}',
    )
    const provider = {
      name: 'local',
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'm',
      keyVariable: null,
      timeoutMs: 1000,
      maxOutputTokens: 100,
      inputPrice: null,
      outputPrice: null,
    }
    const path = put('settings.json', JSON.stringify({ providers: [provider] }))
    const store = new SettingsStore({ env: { LCM_SETTINGS_FILE: path }, confirm: async () => 'granted' })
    const [argent] = await found()
    if (!argent) throw new Error('nothing was found')
    expect(
      rowsOf(argent, store.report()).map(({ variable, there, here, state }) => [variable, there, here, state]),
    ).toEqual([
      ['LCM_CONTEXT_THRESHOLD', '0.75', '0.75', 'same'],
      ['LCM_FRESH_TAIL_COUNT', '12', '8', 'differs'],
      ['LCM_LEAF_CHUNK_TOKENS', '0', '4000', 'refused'],
      ['LCM_SUMMARIZERS', 'auto', 'not set', 'differs'],
    ])
    const patch = patchOf(argent, store.report())
    expect(patch).toEqual({ values: { LCM_FRESH_TAIL_COUNT: 12 }, chain: ['auto'] })
    const saved = await store.save(patch ?? {})
    expect(store.read()).toMatchObject({ compaction: { freshTailCount: 12 }, models: { chain: ['local'] } })
    expect(patchOf(argent, saved)).toBeNull()
  })
})
