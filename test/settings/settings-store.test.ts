import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { type SettingsPatch, SettingsReport } from '#core/contract/settings.ts'
import { LcmError } from '#core/errors.ts'
import { FileKeyStore, type KeyCipher, type KeyStore } from '#core/settings/key-store.ts'
import { readSettings } from '#core/settings/settings.ts'
import { loadSettings, SettingsStore } from '#core/settings/settings-store.ts'
import { asOrdinaryUser, ordinaryUser } from '../builders/ordinary-user.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type Behaviour, good, json, type ModelServer, startModelServer } from '../models/summarizers/model-server.ts'
import { MemoryKeyStore } from './memory-key-store.ts'

const KEY = 'sk-test-0123456789abcdefSECRET'

const claude: ProviderSettings = {
  name: 'claude',
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  model: 'claude-haiku-4-5',
  keyVariable: 'MY_CLAUDE_KEY',
  timeoutMs: 60_000,
  maxOutputTokens: 2_000,
  inputPrice: 1,
  outputPrice: 5,
}
const ollama: ProviderSettings = {
  ...claude,
  name: 'ollama',
  kind: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:11434/v1',
  model: 'qwen3',
  keyVariable: null,
  inputPrice: null,
  outputPrice: null,
}

type Env = Record<string, string | undefined>
const at = (content?: unknown, env: Env = {}, keys: KeyStore | null = null) => {
  const path = join(temporaryFolder(), 'deep', 'settings.json')
  if (content !== undefined) {
    mkdirSync(dirname(path))
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const own = { LCM_SETTINGS_FILE: path, LCM_DATA_DIR: join(dirname(dirname(path)), 'data') }
  return new SettingsStore({ env: { ...own, ...env }, keys, confirm: async () => 'granted' })
}
const effectiveOf = (store: SettingsStore, variable: string) => {
  const found = store.report().effective.find((setting) => setting.variable === variable)
  return { value: found?.value, source: found?.source }
}
const refusal = async (work: () => unknown): Promise<LcmError> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof LcmError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('the effective settings', () => {
  it('come from the environment first, then from the file, then from the defaults', () => {
    const values = { LCM_TOKEN_BUDGET: 50_000, LCM_CONTEXT_THRESHOLD: 0.5, LCM_AUTOCOMPACT_DISABLED: true }
    const store = at({ values }, { LCM_TOKEN_BUDGET: '70000' })
    expect(effectiveOf(store, 'LCM_TOKEN_BUDGET')).toEqual({ value: 70_000, source: 'environment' })
    expect(effectiveOf(store, 'LCM_CONTEXT_THRESHOLD')).toEqual({ value: 0.5, source: 'file' })
    expect(effectiveOf(store, 'LCM_FRESH_TAIL_COUNT')).toEqual({ value: 8, source: 'default' })
    expect(store.read()).toMatchObject({ autocompactDisabled: true, compaction: { budgetTokens: 70_000 } })
  })

  it('come from the file when a variable is blank', () => {
    const store = at({ values: { LCM_TOKEN_BUDGET: '50000' } }, { LCM_TOKEN_BUDGET: ' ' })
    expect(effectiveOf(store, 'LCM_TOKEN_BUDGET')).toEqual({ value: 50_000, source: 'file' })
  })

  it('take the path of the database from one source: an address in the environment hides a path in the file', () => {
    const store = at({ values: { LCM_DATABASE_PATH: '/file.db' } }, { LCM_DATABASE_URL: 'file:/env.db' })
    expect(effectiveOf(store, 'LCM_DATABASE_PATH')).toEqual({ value: '/env.db', source: 'environment' })
  })

  it('take the folder of the database from LCM_DB_DIR, below both other names, and say that it gives the path', () => {
    const given = (env: Env) => {
      const found = at({}, env)
        .report()
        .effective.find(({ variable }) => variable === 'LCM_DATABASE_PATH')
      return [found?.value, found?.source, found?.givenBy]
    }
    expect(given({ LCM_DB_DIR: '/pi' })).toEqual([join('/pi', 'lcm.db'), 'environment', 'LCM_DB_DIR'])
    expect(given({ LCM_DB_DIR: '/pi', LCM_DATABASE_URL: 'file:/url.db' })).toEqual([
      '/url.db',
      'environment',
      'LCM_DATABASE_URL',
    ])
    expect(given({ LCM_DB_DIR: '/pi', LCM_DATABASE_PATH: '/path.db' })).toEqual(['/path.db', 'environment', null])
    const inFile = at({ values: { LCM_DB_DIR: '/file' } }).report().effective
    expect(inFile.find(({ variable }) => variable === 'LCM_DATABASE_PATH')).toMatchObject({
      value: join('/file', 'lcm.db'),
      source: 'file',
      givenBy: 'LCM_DB_DIR',
    })
    expect(
      effectiveOf(at({ values: { LCM_DB_DIR: '/file' } }, { LCM_DATABASE_PATH: '/env.db' }), 'LCM_DATABASE_PATH'),
    ).toEqual({
      value: '/env.db',
      source: 'environment',
    })
  })

  it('say that LCM_DEBUG_MODE gives the level of the log, unless a level is set', () => {
    const level = (env: Env) =>
      at({}, env)
        .report()
        .effective.find(({ variable }) => variable === 'LCM_LOG_LEVEL')
    expect(level({ LCM_DEBUG_MODE: 'true' })).toMatchObject({ value: 'debug', givenBy: 'LCM_DEBUG_MODE' })
    expect(level({ LCM_DEBUG_MODE: 'true', LCM_LOG_LEVEL: 'warn' })).toMatchObject({ value: 'warn', givenBy: null })
  })

  it('are the defaults when the file is missing, empty or has only a byte order mark', () => {
    const { models: _, databasePath: _place, ...defaults } = readSettings({})
    for (const content of [undefined, '', ' \n', '\uFEFF{}']) expect(at(content).read()).toMatchObject(defaults)
  })

  it('are read from the folder of the user, which LCM_DATA_DIR moves', () => {
    const folder = temporaryFolder()
    expect(new SettingsStore({ env: { LCM_DATA_DIR: folder } }).path).toBe(join(folder, 'config', 'settings.json'))
    expect(readSettings({ LCM_DATA_DIR: folder }).databasePath).toBe(join(folder, 'lcm.db'))
  })

  it('contain every variable, with what it accepts', () => {
    const report = SettingsReport.parse(at().report())
    for (const { variable, accepts, source } of report.effective) {
      expect(variable).toMatch(/^LCM_/)
      expect(accepts).not.toBe('')
      expect(source).toBe('default')
    }
    expect(report.effective.length).toBeGreaterThan(20)
  })
})

describe('the settings of models', () => {
  it('come from the file with chain and cap, both of which the environment may replace', async () => {
    const content = { providers: [claude, ollama], chain: ['claude', 'ollama', 'deterministic'], spendCapTokens: 9 }
    expect(at(content).read().models).toMatchObject({ chain: ['claude', 'ollama'], spendCapTokens: 9 })
    const env = { LCM_SUMMARIZERS: 'ollama, deterministic', LCM_SPEND_CAP_TOKENS: '100' }
    const { chain, spendCapTokens } = at(content, env).report()
    expect({ chain, spendCapTokens }).toEqual({ chain: ['ollama'], spendCapTokens: 100 })
    expect((await refusal(() => at(content, { LCM_SUMMARIZERS: 'gpt' }).read())).message).toContain('LCM_SUMMARIZERS')
    expect((await refusal(() => at(content, { LCM_SUMMARIZERS: 'a;b' }).read())).message).toContain('commas')
  })

  it('are asked all, in their order, when the chain is auto', () => {
    const vectors = { ...ollama, name: 'vectors', kind: 'openai-embeddings' }
    const content = { providers: [claude, vectors, ollama], chain: ['auto'] }
    expect(at(content).read().models.chain).toEqual(['claude', 'ollama'])
    expect(at({ ...content, chain: [] }, { LCM_SUMMARIZERS: 'ollama,auto' }).read().models.chain).toEqual([
      'ollama',
      'claude',
    ])
    expect(at({ chain: ['auto'] }).read().models.chain).toEqual([])
  })

  it('are refused in the chain and for large files when their model makes vectors and writes nothing', async () => {
    const vectors = { ...ollama, name: 'vectors', kind: 'openai-embeddings' }
    for (const content of [{ chain: ['vectors'] }, { values: { LCM_EXPLORERS: 'vectors' } }]) {
      const { message } = await refusal(() => at({ providers: [vectors], ...content }).read())
      expect(message).toContain('"vectors", whose model makes vectors and writes no texts')
    }
  })

  it('read prompts from beside the file unless the environment names a folder', () => {
    const store = at()
    expect(store.read().models.promptsDir).toBe(join(dirname(store.path), 'prompts'))
    expect(at({}, { LCM_PROMPTS_DIR: '/mine' }).read().models.promptsDir).toBe('/mine')
  })
})

describe('a settings file', () => {
  it.each<[unknown, string]>([
    ['{"values":', 'it is not JSON'],
    [[], 'at the top'],
    [{ values: { LCM_TOKEN_BUDGET: 0 } }, 'values.LCM_TOKEN_BUDGET: expected a whole number from 1 to 100000000'],
    [{ values: { LCM_CONTEXT_THRESHOLD: '75%' } }, 'values.LCM_CONTEXT_THRESHOLD: expected a share of the budget'],
    [{ values: { LCM_TOKN_BUDGET: 1 } }, 'values.LCM_TOKN_BUDGET: no such variable. Did you mean LCM_TOKEN_BUDGET?'],
    [{ values: { COLOUR: 1 } }, 'values.COLOUR: no such variable. Known are LCM_ENABLED, '],
    [{ chain: ['chain'] }, 'chain: "chain" is no provider'],
    [{ values: { LCM_TOKEN_BUDGET: [1] } }, 'values.LCM_TOKEN_BUDGET'],
    [{ spendCapTokens: -1 }, 'spendCapTokens'],
    [{ spend: 1 }, 'there is no setting "spend"'],
    [{ chain: ['gpt'] }, 'chain: "gpt" is no provider'],
    [{ providers: [{ ...claude, timeoutMs: 1 }] }, 'providers.0.timeoutMs'],
    [{ providers: [{ ...claude, name: 'chain' }] }, 'providers.0.name'],
    [{ providers: [claude, claude] }, 'same name'],
    [{ providers: [{ ...claude, baseUrl: 'ftp://x' }] }, 'providers.0.baseUrl'],
    [{ providers: [{ ...claude, baseUrl: `https://u:${KEY}@host/v1` }] }, 'providers.0.baseUrl'],
    [{ providers: [{ ...claude, apiKey: KEY }] }, 'there is no setting "apiKey"'],
    [`{"providers": "${KEY}" oops`, 'it is not JSON'],
  ])('is refused by its name and key: %j', async (content, problem) => {
    const store = at(content)
    for (const work of [() => store.read(), () => store.report(), () => store.save({})]) {
      const error = await refusal(work)
      expect(error.code).toBe('invalid_argument')
      expect(error.message).toContain(store.path)
      expect(error.message).toContain(problem)
      expect(JSON.stringify(error.details) + error.message).not.toContain(KEY)
    }
  })

  it('is checked together with the environment', async () => {
    const store = at({ values: { LCM_HARD_THRESHOLD: 0.5 } })
    expect((await refusal(() => store.read())).message).toContain('LCM_HARD_THRESHOLD')
    expect(
      at({ values: { LCM_HARD_THRESHOLD: 0.5 } }, { LCM_CONTEXT_THRESHOLD: '.4' }).read().compaction,
    ).toMatchObject({
      softThreshold: 0.4,
      hardThreshold: 0.5,
    })
  })
})

describe('saving settings', () => {
  it('changes only what the patch names, atomically and in a private file', async () => {
    const store = at()
    await store.save({ values: { LCM_TOKEN_BUDGET: 50_000, LCM_FRESH_TAIL_COUNT: 3 }, providers: [claude, ollama] })
    const report = await store.save({ values: { LCM_FRESH_TAIL_COUNT: null }, chain: ['ollama'], spendCapTokens: 10 })
    expect(report).toMatchObject({ chain: ['ollama'], spendCapTokens: 10 })
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toEqual({
      values: { LCM_TOKEN_BUDGET: 50_000 },
      providers: [claude, ollama],
      chain: ['ollama'],
      spendCapTokens: 10,
    })
    expect(lstatSync(store.path).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(store.path))).toEqual(['settings.json'])
    expect((await store.save({ spendCapTokens: null })).spendCapTokens).toBeNull()
  })

  it('writes nothing when a part of the patch is invalid', async () => {
    const store = at({ values: { LCM_TOKEN_BUDGET: 7 } })
    const before = readFileSync(store.path, 'utf8')
    const patches: readonly SettingsPatch[] = [
      { values: { LCM_TOKEN_BUDGET: 0 } },
      { values: { LCM_TOKEN_BUDGET: 9, NOPE: 1 } },
      { chain: ['nobody'] },
      { values: { LCM_CONTEXT_THRESHOLD: 1, LCM_HARD_THRESHOLD: 0.1 } },
    ]
    for (const patch of patches) {
      expect((await refusal(() => store.save(patch))).code).toBe('invalid_argument')
      expect(readFileSync(store.path, 'utf8')).toBe(before)
    }
  })

  it('does not change a file that cannot be read', async () => {
    const store = at('{ "values": { oops')
    expect((await refusal(() => store.save({ spendCapTokens: 1 }))).message).toContain('not JSON')
    expect(readFileSync(store.path, 'utf8')).toBe('{ "values": { oops')
  })

  it('writes through a symbolic link', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'real.json'), '{}')
    symlinkSync(join(folder, 'real.json'), join(folder, 'settings.json'))
    await new SettingsStore({ env: { LCM_SETTINGS_FILE: join(folder, 'settings.json') } }).save({ spendCapTokens: 5 })
    expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toContain('"spendCapTokens": 5')
  })

  it('reports that the folder may not be written to', ({ skip }) => {
    skip(ordinaryUser() === null, 'nobody but root can run this checkout')
    const folder = temporaryFolder()
    const path = join(folder, 'settings.json')
    chmodSync(dirname(folder), 0o755)
    chmodSync(folder, 0o555)
    const store = new URL('../../core/settings/settings-store.ts', import.meta.url).href
    const saving = `const { SettingsStore } = await import(${JSON.stringify(store)})
      const store = new SettingsStore({ env: { LCM_SETTINGS_FILE: ${JSON.stringify(path)} } })
      console.log(await store.save({}).then(() => 'saved', (error) => error.code))`
    const { command, args, options } = asOrdinaryUser(['--input-type=module', '-e', saving])
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
    expect([stdout, stderr]).toEqual(['file_not_readable\n', ''])
    expect(existsSync(path)).toBe(false)
    chmodSync(folder, 0o755)
  })

  it('reports a link to itself when the file is read, and not before', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'settings.json')
    symlinkSync(path, path)
    const store = new SettingsStore({ env: { LCM_SETTINGS_FILE: path } })
    expect(store.stamp()).toBe(store.stamp())
    expect((await refusal(() => store.read())).message).toContain(path)
  })

  it('is noticed by the next reader', async () => {
    const store = at()
    const stamp = store.stamp()
    await store.save({ values: { LCM_TOKEN_BUDGET: 4_321 } })
    expect(store.stamp()).not.toBe(stamp)
    expect(loadSettings({ LCM_SETTINGS_FILE: store.path }).compaction.budgetTokens).toBe(4_321)
  })
})

/** Not a cipher, but text that is not the key. */
const reversing: KeyCipher = {
  encrypt: async (text) => Buffer.from([...text].reverse().join('')),
  decrypt: async (bytes) => [...Buffer.from(bytes).toString()].reverse().join(''),
}

describe.each([
  ['in memory', () => new MemoryKeyStore()],
  ['in a file', () => new FileKeyStore(join(temporaryFolder(), 'sub', 'keys.json'), reversing)],
])('a key kept %s', (_where, make) => {
  it('is found for its provider at its address and for no other', async () => {
    const keys = make()
    await keys.set(claude, KEY)
    expect([keys.has(claude), await keys.get(claude)]).toEqual([true, KEY])
    expect([keys.has(ollama), await keys.get(ollama)]).toEqual([false, null])
    const moved = { ...claude, baseUrl: 'https://elsewhere.example/v1' }
    expect([keys.has(moved), await keys.get(moved)]).toEqual([false, null])
    await keys.set(claude, null)
    expect(keys.has(claude)).toBe(false)
  })

  it('is reported by its place only, after the environment', async () => {
    const keys = make()
    const store = at({ providers: [claude] }, {}, keys)
    const source = (from: SettingsStore) => from.report().providers[0]?.keySource
    expect(source(store)).toBe('none')
    await store.setKey('claude', ` ${KEY}\n`)
    expect(source(store)).toBe('key_store')
    expect(await store.keyOf(claude)).toBe(KEY)
    expect(JSON.stringify(store.report())).not.toContain(KEY)
    expect(readFileSync(store.path, 'utf8')).not.toContain(KEY)
    const fromEnv = at({ providers: [claude] }, { MY_CLAUDE_KEY: 'sk-env' }, keys)
    expect([source(fromEnv), await fromEnv.keyOf(claude)]).toEqual(['environment', 'sk-env'])
  })
})

describe('stored keys', () => {
  it('are on disk only as the cipher wrote them, in a private file', async () => {
    const path = join(temporaryFolder(), 'keys.json')
    await new FileKeyStore(path, reversing).set(claude, KEY)
    expect(lstatSync(path).mode & 0o777).toBe(0o600)
    const stored = readFileSync(path, 'utf8')
    expect(stored).not.toContain(KEY)
    expect(await new FileKeyStore(path, reversing).get(claude)).toBe(KEY)
    const broken = new FileKeyStore(path, {
      ...reversing,
      decrypt: async () => {
        throw new Error(`cannot decrypt ${KEY}`)
      },
    })
    const error = await broken.get(claude).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unsupported' })
    expect(String(error)).not.toContain(KEY)
  })

  it('are an error when their file is damaged, and never returned then', async () => {
    const path = join(temporaryFolder(), 'keys.json')
    writeFileSync(path, `{"claude": ${KEY}`)
    const keys = new FileKeyStore(path, reversing)
    expect((await refusal(() => keys.has(claude))).message).toContain(path)
    expect((await refusal(() => keys.has(claude))).message).not.toContain(KEY)
  })

  it('are refused when none can be stored, when there is no such provider, and when they are invalid', async () => {
    const content = { providers: [claude] }
    await expect(at(content).setKey('claude', KEY)).rejects.toThrow(/MY_CLAUDE_KEY/)
    await expect(at(content, {}, new MemoryKeyStore()).setKey('gpt', KEY)).rejects.toThrow(/no provider "gpt"/)
    for (const bad of ['', `${KEY} ${KEY}`, `${KEY}\nX: y`, 'ключ']) {
      const error = await at(content, {}, new MemoryKeyStore())
        .setKey('claude', bad)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'invalid_argument' })
      expect(String(error)).not.toContain(KEY)
    }
  })
})

describe('a test of a provider', () => {
  let server: ModelServer | undefined
  afterEach(() => server?.close())
  const NEVER = new AbortController().signal
  const testOf = async (behaviour: Behaviour, timeoutMs = 10_000) => {
    server = await startModelServer(behaviour)
    const provider = { ...claude, baseUrl: server.url, timeoutMs }
    return at({ providers: [provider] }, { MY_CLAUDE_KEY: KEY })
  }

  it('makes one tiny call and says that all is well', async () => {
    const store = await testOf(good('ready'))
    expect(await store.testProvider('claude', NEVER)).toMatchObject({
      ok: true,
      model: 'claude-haiku-4-5',
      problem: null,
    })
    expect(server?.asked).toHaveLength(1)
    expect(server?.asked[0]?.headers['x-api-key']).toBe(KEY)
    expect(Number(server?.asked[0]?.body.max_tokens)).toBeLessThanOrEqual(256)
  })

  it.each<[Behaviour, string, number]>([
    [(response) => json(response, 401, `bad ${KEY}`), 'Check MY_CLAUDE_KEY', 10_000],
    [(response) => json(response, 500, KEY), 'answered 500', 10_000],
    [() => {}, 'No answer within 200 ms', 200],
  ])('says what is wrong and contains no key: %#', async (behaviour, problem, timeoutMs) => {
    const store = await testOf(behaviour, timeoutMs)
    const test = await store.testProvider('claude', NEVER)
    expect(test.ok).toBe(false)
    expect(test.problem).toContain(problem)
    expect(JSON.stringify(test)).not.toContain(KEY)
    expect(server?.asked.length).toBeLessThanOrEqual(1)
  })

  it('can be aborted, and is refused for a provider that does not exist', async () => {
    const store = await testOf(() => {})
    await expect(store.testProvider('claude', AbortSignal.timeout(20))).rejects.toThrow(/timeout|abort/i)
    await expect(store.testProvider('gpt', NEVER)).rejects.toThrow(/no provider "gpt"/)
  })
})
