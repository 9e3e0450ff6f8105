import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CoreHost, type KeyStorage } from '#core/doors/core-host.ts'
import { cipherOver, serveCipher } from '#core/settings/cipher-port.ts'
import type { KeyCipher } from '#core/settings/key-store.ts'
import { workerUrl } from '../builders/built-program.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { hasEnded, jobWhen, openWindow, resourcesDir } from '../jobs/core-client.ts'
import { json, type ModelServer, openAiBody, startModelServer } from '../models/summarizers/model-server.ts'

const SECRET = 'sk-test-0123456789'

/** Stands in for the keychain: bytes that are not the text, and turn back into it. */
const reversing: KeyCipher = {
  encrypt: async (text) => Buffer.from([...text].reverse().join('')),
  decrypt: async (bytes) => [...Buffer.from(bytes).toString()].reverse().join(''),
}

describe('the connection to the keychain', () => {
  const connect = (cipher: KeyCipher) => {
    const { port1, port2 } = new MessageChannel()
    serveCipher(port1, cipher)
    return { remote: cipherOver(port2), port: port1 }
  }

  it('returns what was stored, also for several keys at once', async () => {
    const { remote, port } = connect(reversing)
    const texts = ['one', 'two', 'thrée']
    const encrypted = await Promise.all(texts.map((text) => remote.encrypt(text)))
    expect(await Promise.all(encrypted.map((bytes) => remote.decrypt(bytes)))).toEqual(texts)
    port.close()
  })

  it('says that the keychain refused, without repeating its error text', async () => {
    const complain = async (): Promise<never> => {
      throw new Error(`cannot encrypt ${SECRET}`)
    }
    const { remote, port } = connect({ encrypt: complain, decrypt: complain })
    const refusal = await remote.encrypt(SECRET).catch((error: unknown) => String(error))
    expect(refusal).toMatch(/keychain of this desktop refused/)
    expect(refusal).not.toContain(SECRET)
    port.close()
  })

  it('ends a question whose answer cannot arrive any more', async () => {
    const { remote, port } = connect({ ...reversing, encrypt: () => new Promise(() => undefined) })
    const asked = expect(remote.encrypt('x')).rejects.toMatchObject({ code: 'unsupported' })
    port.close()
    await asked
  })
})

describe('a key that was entered in the window', () => {
  process.env.LCM_SETTINGS_FILE = join(temporaryFolder(), 'settings.json')
  let server: ModelServer
  let cores: CoreHost
  beforeEach(async () => {
    server = await startModelServer((response) => json(response, 200, openAiBody('ready')))
  })
  afterEach(async () => {
    await cores.close()
    await server.close()
  })
  const seen = () => server.asked.map(({ headers }) => headers.authorization)

  const provider = () => ({
    name: 'local',
    kind: 'openai-compatible' as const,
    baseUrl: server.url,
    model: 'small',
    keyVariable: null,
    timeoutMs: 5000,
    maxOutputTokens: 256,
    inputPrice: null,
    outputPrice: null,
  })

  it('is stored encrypted, is sent to its server from both threads, and is in no answer', async () => {
    const path = join(temporaryFolder(), 'keys.json')
    const keyStorage = (): KeyStorage => ({ path, cipher: reversing })
    cores = new CoreHost({ workerUrl, resourcesDir, keyStorage, confirm: async () => 'granted' })
    using memory = buildMemory({
      conversations: [{ messages: generateHistory({ seed: 2, messages: 60 }).map(({ content }) => content) }],
    })
    const { client } = openWindow(cores, memory.path)
    await client.settings.save({ providers: [provider()] })
    await client.settings.setKey({ provider: 'local', key: SECRET })
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET)

    const report = await client.settings.report()
    expect(report).toMatchObject({ canStoreKeys: true, providers: [{ keySource: 'key_store' }] })
    expect(JSON.stringify(report)).not.toContain(SECRET)
    expect(await client.settings.testProvider({ name: 'local' })).toMatchObject({ ok: true, problem: null })
    expect(seen()).toEqual([`Bearer ${SECRET}`])

    const [conversation] = (await client.conversations.list({})).conversations
    const spec = { kind: 'compact' as const, conversationId: conversation?.conversationId ?? 0, mode: 'leaf' as const }
    const { jobId } = await client.jobs.start({ ...spec, summarizer: 'local' })
    expect(await jobWhen(client, jobId, hasEnded)).toMatchObject({ state: 'done' })
    expect(seen().length).toBeGreaterThan(1)
    expect(new Set(seen())).toEqual(new Set([`Bearer ${SECRET}`]))
  })

  it('is refused when there is no keychain, and the error names the way out', async () => {
    cores = new CoreHost({ workerUrl, resourcesDir, keyStorage: () => null, confirm: async () => 'granted' })
    const { client } = openWindow(cores, null)
    await client.settings.save({ providers: [{ ...provider(), keyVariable: 'LOCAL_KEY' }] })
    expect(await client.settings.report()).toMatchObject({ canStoreKeys: false })
    await expect(client.settings.setKey({ provider: 'local', key: SECRET })).rejects.toThrow(/set LOCAL_KEY/)
  })
})
