import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import type { SettingsPatch } from '#core/contract/settings.ts'
import { confirmAtTerminal } from '#core/doors/cli/input/ask-terminal.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { type Answer, askedTo, type Confirm, type Reach, reachText } from '#core/settings/confirmation.ts'
import { SettingsStore } from '#core/settings/settings-store.ts'
import { workerUrl } from '../builders/built-program.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { openWindow, resourcesDir } from '../jobs/core-client.ts'
import { provider } from '../models/summarizers/ask-model.ts'
import { good, startModelServer } from '../models/summarizers/model-server.ts'

// Proves that a page can neither send a secret of the environment to an address of its choice, nor have the core read or
// write at a path of its choice, by saving settings: the user grants it outside of the page, or nothing is saved.
const SECRET = 'AKIA-secret-of-another-program'
const evil = provider('https://evil.example/v1', { name: 'helpful', keyVariable: 'AWS_SECRET_ACCESS_KEY' })
const mine = provider('https://api.example/v1', { name: 'mine', keyVariable: 'MY_KEY' })

function store(answer: Answer | null, content?: object) {
  const folder = temporaryFolder()
  const env = { LCM_SETTINGS_FILE: join(folder, 'settings.json'), LCM_DATA_DIR: join(folder, 'data') }
  if (content) writeFileSync(env.LCM_SETTINGS_FILE, JSON.stringify(content))
  const confirm = vi.fn<Confirm>(async () => answer ?? 'refused')
  const open = () => new SettingsStore({ env, ...(answer !== null && { confirm }) })
  return { open, confirm, path: env.LCM_SETTINGS_FILE, asked: () => confirm.mock.calls.flatMap(([reach]) => reach) }
}

const REACHING: readonly [string, SettingsPatch, RegExp][] = [
  ['a key and an address', { providers: [evil] }, /AWS_SECRET_ACCESS_KEY.*https:\/\/evil\.example\/v1/],
  ['an address without a key', { providers: [{ ...evil, keyVariable: null }] }, /https:\/\/evil\.example\/v1/],
  ['another key to a known address', { providers: [{ ...mine, keyVariable: 'OTHER' }] }, /OTHER.*api\.example/],
  ['a known key to another address', { providers: [{ ...evil, keyVariable: 'MY_KEY' }] }, /MY_KEY.*evil/],
  [
    'the address of one provider with the key of another',
    { providers: [mine, { ...mine, name: 'b', keyVariable: 'B' }] },
    /B/,
  ],
  ['the path of the ledger', { values: { LCM_LEDGER_PATH: '/home/me/.profile' } }, /LCM_LEDGER_PATH/],
  ['the path of the memory', { values: { LCM_DATABASE_PATH: '/home/me/other.db' } }, /LCM_DATABASE_PATH/],
  ['the address of the memory', { values: { LCM_DATABASE_URL: 'file:/home/me/other.db' } }, /LCM_DATABASE_URL/],
  ['the folder of large files', { values: { LCM_FILES_DIR: '/home/me/.ssh' } }, /\.ssh/],
  ['the folder of prompts', { values: { LCM_PROMPTS_DIR: '/home/me' } }, /LCM_PROMPTS_DIR/],
]

describe.each(REACHING)('settings that a page saves with %s', (_name, patch, told) => {
  it('are not saved when nobody can be asked, and the error names the way out', async () => {
    const { open, path } = store(null, { providers: [mine] })
    const before = readFileSync(path, 'utf8')
    await expect(open().save(patch)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(told),
    })
    await expect(open().save(patch)).rejects.toThrow(path)
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('are not saved when the user refuses, who sees everything they reach', async () => {
    const { open, path, asked } = store('refused', { providers: [mine] })
    const before = readFileSync(path, 'utf8')
    await expect(open().save(patch)).rejects.toMatchObject({ code: 'cancelled' })
    expect(asked().map(reachText).join()).toMatch(told)
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('are saved once they are granted, and the same is not asked again', async () => {
    const { open, confirm, path } = store('granted', { providers: [mine] })
    await open().save(patch)
    writeFileSync(path, JSON.stringify({ providers: [mine] }))
    await open().save(patch)
    expect(confirm).toHaveBeenCalledOnce()
  })
})

describe('the user', () => {
  it('is not asked about what the settings file contains already', async () => {
    const { open, confirm } = store('refused', { providers: [mine], values: { LCM_LEDGER_PATH: '/l.jsonl' } })
    await open().save({ providers: [{ ...mine, name: 'renamed', model: 'other', baseUrl: 'https://api.example/v1/' }] })
    await open().save({ values: { LCM_TOKEN_BUDGET: 5_000, LCM_LEDGER_PATH: '/l.jsonl' }, chain: ['renamed'] })
    await open().save({ providers: [], chain: [] })
    expect(confirm).not.toHaveBeenCalled()
  })

  it('is not asked about what cannot be saved anyway', async () => {
    const { open, confirm } = store('granted')
    await expect(open().save({ providers: [evil], chain: ['nobody'] })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    expect(confirm).not.toHaveBeenCalled()
  })
})

describe('a command that a page asks to run', () => {
  const command = ['./review.sh', '--strict mode']

  it('is shown word by word with its list, and asked about each time', async () => {
    const { open, confirm, asked } = store('granted')
    await open().requireCommand(command, '/items.jsonl')
    await open().requireCommand(command, '/items.jsonl')
    expect(confirm).toHaveBeenCalledTimes(2)
    expect(asked().map(reachText)[0]).toBe('Run ./review.sh "--strict mode" for each item of /items.jsonl')
    expect(askedTo(asked())).toBe('run a command')
  })

  it('is not run when the user refuses, or when nobody can be asked', async () => {
    await expect(store('refused').open().requireCommand(command, '/items')).rejects.toMatchObject({ code: 'cancelled' })
    await expect(store(null).open().requireCommand(command, '/items')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('lcm map'),
    })
  })
})

it('the user is shown text that can neither hide nor add anything', () => {
  const reach: Reach = { kind: 'path', variable: 'LCM_LEDGER_PATH', path: '/a\n\x1b[2K\u202e/gpj.\u200b' }
  expect(reachText(reach)).toMatch(/^[\x20-\x7e]+$/)
  const { address } = { address: new URL('https://аpple.example/').href }
  expect(reachText({ kind: 'server', provider: 'x', keyVariable: null, address })).toContain('xn--')
})

it('a test server receives no secret of the environment on behalf of a page', async () => {
  process.env.AWS_SECRET_ACCESS_KEY = SECRET
  const server = await startModelServer(good('ready'))
  const asked: Reach[] = []
  const confirm: Confirm = async (reach) => {
    asked.push(...reach)
    return 'refused'
  }
  const cores = new CoreHost({ workerUrl, resourcesDir, confirm })
  try {
    const { client } = openWindow(cores, null)
    const providers = [provider(server.url, { keyVariable: 'AWS_SECRET_ACCESS_KEY' })]
    await expect(client.settings.save({ providers })).rejects.toMatchObject({ data: { code: 'cancelled' } })
    await expect(client.settings.testProvider({ name: 'local' })).rejects.toMatchObject({ data: { code: 'not_found' } })
    expect(asked).toEqual([expect.objectContaining({ keyVariable: 'AWS_SECRET_ACCESS_KEY', provider: 'local' })])
    expect(server.asked).toEqual([])
    const path = (await client.settings.report()).path
    expect(existsSync(path)).toBe(false)
    // By hand it is the user's own decision.
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify({ providers }))
    expect(await client.settings.testProvider({ name: 'local' })).toMatchObject({ ok: true })
    expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`)
  } finally {
    delete process.env.AWS_SECRET_ACCESS_KEY
    await cores.close()
    await server.close()
  }
})

describe('the terminal of the browser host', () => {
  const terminal = (isTTY: boolean) => {
    const input = Object.assign(new PassThrough(), { isTTY })
    const output = Object.assign(new PassThrough(), { isTTY })
    return { input, output, said: () => String(output.read() ?? '') }
  }
  const reach: Reach = { kind: 'server', provider: 'x', keyVariable: 'MY_KEY', address: 'https://evil.example/v1' }

  it('grants only for the word yes, and shows the variable and the address', async () => {
    const { input, output, said } = terminal(true)
    const confirm = confirmAtTerminal({ input, output })
    const answers = ['yes\n', 'y\n', '\n', 'no\n'].map(() => confirm([reach]))
    for (const [i, line] of ['yes\n', 'y\n', '\n', 'no\n'].entries()) {
      await expect.poll(said).toMatch(/MY_KEY.*https:\/\/evil\.example\/v1[\s\S]*Type "yes"/)
      input.write(line)
      expect(await answers[i]).toBe(i === 0 ? 'granted' : 'refused')
    }
  })

  it('refuses when nobody answers, and says that nobody can be asked without a terminal', async () => {
    expect(await confirmAtTerminal(terminal(true), 20)([reach])).toBe('refused')
    expect(await confirmAtTerminal(terminal(false))([reach])).toBe('nobody_to_ask')
  })
})
