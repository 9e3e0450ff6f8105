import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import { openLcm } from '#core/lcm.ts'
import { configuredObjects, keepObjectsKeys, type Objects, shownObjects } from '#core/remote/objects/configured.ts'
import { FolderStore } from '#core/remote/objects/folder-store.ts'
import { findOrphans } from '#core/remote/objects/orphans.ts'
import { S3Store } from '#core/remote/objects/s3-store.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { fetchFile } from '#core/remote/pull-files.ts'
import { pushFile } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { FileKeyStore } from '#core/settings/key-store.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { TestMemory } from '../builders/memory.ts'
import { S3Server } from '../builders/s3-server.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const DAY_MS = 86_400_000
const tenant = 'acme'
const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const content = Buffer.from('A line of a log, and more of it 漢字\n'.repeat(8_000))
let database: InProcess
let s3: S3Server
let endpoint = ''
const pauses: number[] = []

beforeAll(async () => {
  database = await inProcess()
  s3 = new S3Server()
  endpoint = await s3.start()
}, 240_000)
afterAll(async () => {
  await s3.stop()
  await database.close()
})
beforeEach(() => {
  s3.objects.clear()
  s3.requests.length = 0
  s3.faults = []
  pauses.length = 0
})

const s3Store = (secretAccessKey = S3Server.keys.secret) =>
  new S3Store({
    ...{ endpoint, bucket: S3Server.bucket, prefix: 'lcm/', region: S3Server.region },
    ...{ accessKeyId: S3Server.keys.id, secretAccessKey, sessionToken: null },
    wait: async (ms) => pauses.push(ms),
  })
const inS3 = (): Objects => ({ store: s3Store(), filesDirs: [] })
const inFolder = (folder = temporaryFolder()): Objects => ({ store: new FolderStore(folder), filesDirs: [] })
const keyOf = (hash: string) => `lcm/${hash.slice(0, 2)}/${hash}`
const read = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
const failure = async (work: Promise<unknown>): Promise<LcmError> => {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(LcmError)
  return error as LcmError
}

/** A memory with a large file beside it. */
function memoryWithFile(session: string, bytes: Buffer = content) {
  const memory = new TestMemory()
  const conversation = memory.conversation({ sessionId: session })
  memory.messages(conversation, 3)
  const id = `file_${hashOf(session).slice(0, 16)}`
  const path = join(dirname(memory.path), 'lcm-files', String(conversation), `${id}.txt`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  memory.largeFile(conversation, {
    file_id: id,
    byte_size: bytes.length,
    content_hash: hashOf(bytes),
    storage_uri: path,
  })
  return { memory, id, path }
}
async function sendOne(session: string, objects: Objects) {
  const { memory, id } = memoryWithFile(session)
  const [sent] = (await runToEnd(sendMemory({ from: memory.db, to: database.db, tenant, objects }, never)))
    .conversations
  memory.close()
  return { conversationId: sent?.to ?? 0, id, without: sent?.filesWithoutContent }
}
const pull = (conversationId: number, to: string, objects: Objects) =>
  runToEnd(pullConversation({ from: database.db, key: { tenant, conversationId }, to, objects }, never))
const orphans = (objects: Objects, isRemoving: boolean, nowMs: number) =>
  runToEnd(findOrphans({ db: database.db, store: objects.store, isRemoving, now: () => nowMs }, never))

describe('large files beside PostgreSQL', () => {
  for (const [name, make] of [
    ['in S3', inS3],
    ['in a folder', () => inFolder()],
  ] as const) {
    it(`${name}: are stored before their rows, once, and come with a pulled conversation`, async () => {
      const objects = make()
      const { conversationId, id, without } = await sendOne(`one ${name}`, objects)
      expect(without).toEqual([])
      expect(await objects.store.stat(hashOf(content))).toMatchObject({ bytes: content.length })
      await sendOne(`other ${name}`, objects)
      const to = join(temporaryFolder(), 'pulled.db')
      expect(await pull(conversationId, to, objects)).toMatchObject({ unavailableFiles: [] })
      expect(readFileSync(join(dirname(to), 'lcm-files', String(conversationId), `${id}.txt`))).toEqual(content)
    })

    it(`${name}: that nothing names are listed, and removed when that is asked for and they are old enough`, async () => {
      const objects = make()
      await sendOne(`kept ${name}`, objects)
      const left = Buffer.from(`left over ${name}`)
      await objects.store.put({ hash: hashOf(left), bytes: left.length, open: () => [left] }, never)
      const now = Date.now()
      expect(await orphans(objects, true, now)).toMatchObject({ objects: 2, found: 0, removed: 0 })
      const later = now + 2 * DAY_MS
      expect(await orphans(objects, false, later)).toMatchObject({
        ...{ found: 1, foundBytes: left.length, removed: 0 },
        orphans: [{ hash: hashOf(left) }],
      })
      expect(await orphans(objects, true, later)).toMatchObject({ removed: 1 })
      expect(await objects.store.stat(hashOf(left))).toBeNull()
      expect(await objects.store.stat(hashOf(content))).not.toBeNull()
    })
  }

  it('are never removed while the server does not say readably when they were stored: they are counted', async () => {
    const objects = inS3()
    const key = keyOf(hashOf('of no known age'))
    s3.objects.set(key, { bytes: Buffer.from('of no known age'), at: new Date() })
    const later = Date.now() + 2 * DAY_MS
    const { timeOf } = s3
    for (const unreadable of [null, 'the other day', new Date(0).toISOString()]) {
      s3.timeOf = () => unreadable
      expect(await orphans(objects, true, later)).toMatchObject({ found: 0, undated: 1, removed: 0, orphans: [] })
    }
    // The list says a time, and the object itself does not.
    let asked = 0
    s3.timeOf = (at) => (asked++ === 0 ? at.toISOString() : null)
    expect(await orphans(objects, true, later)).toMatchObject({ found: 1, undated: 0, removed: 0 })
    expect(s3.objects.has(key)).toBe(true)
    s3.timeOf = timeOf
    expect(await orphans(objects, true, later)).toMatchObject({ found: 1, undated: 0, removed: 1 })
  })

  it('are pushed with the rows that name them', async () => {
    const objects = inS3()
    const { conversationId } = await sendOne('pushed', objects)
    const to = join(temporaryFolder(), 'pulled.db')
    await pull(conversationId, to, objects)
    const added = Buffer.from('a new text')
    const path = join(dirname(to), 'lcm-files', String(conversationId), 'file_00000000000000aa.txt')
    writeFileSync(path, added)
    const db = openNative(to)
    const row = /* sql */ `
      INSERT INTO large_files (file_id, conversation_id, file_name, mime_type, byte_size, content_hash, storage_uri, created_at)
      VALUES (?, ?, 'a.txt', 'text/plain', ?, ?, ?, 1)`
    db.runRaw(row, ['file_00000000000000aa', conversationId, added.length, hashOf(added), path])
    db.runRaw(row, ['file_00000000000000bb', conversationId, 3, hashOf('gone'), '/nowhere/file_00000000000000bb.txt'])
    db.close()
    s3.faults = ['busy', 'busy']
    expect(await pushFile(database.db, to, objects)).toMatchObject({ filesWithoutContent: ['file_00000000000000bb'] })
    expect(s3.objects.get(keyOf(hashOf(added)))?.bytes).toEqual(added)
    // A store that cannot be had keeps the rows back, too.
    const other = join(temporaryFolder(), 'again.db')
    const { conversationId: second } = await sendOne('kept back', objects)
    await pull(second, other, objects)
    const more = openNative(other)
    const late = Buffer.from('late')
    const latePath = join(dirname(other), 'lcm-files', String(second), 'file_00000000000000cc.txt')
    writeFileSync(latePath, late)
    more.runRaw(row, ['file_00000000000000cc', second, late.length, hashOf(late), latePath])
    more.close()
    s3.faults = Array(9).fill('busy')
    expect(await failure(pushFile(database.db, other, objects))).toMatchObject({ code: 'server_unavailable' })
    const rows = await database.db.read(tenant, (query) =>
      query(`SELECT 1 FROM lcm.large_files WHERE file_id = 'file_00000000000000cc'`),
    )
    expect(rows).toEqual([])
  })

  it('are named where they are missing or changed, and the conversation is pulled without them', async () => {
    const objects = inS3()
    const { conversationId, id } = await sendOne('missing', objects)
    const key = keyOf(hashOf(content))
    s3.objects.delete(key)
    const at = () => join(temporaryFolder(), 'pulled.db')
    expect(await pull(conversationId, at(), objects)).toMatchObject({
      unavailableFiles: [{ id, reason: expect.stringContaining('is not in s3://memories/lcm/') }],
    })
    for (const bytes of [Buffer.from(content).fill('x'), content.subarray(1), Buffer.concat([content, content])]) {
      s3.objects.set(key, { bytes, at: new Date() })
      const to = at()
      expect(await pull(conversationId, to, objects)).toMatchObject({ unavailableFiles: [{ id }] })
      expect(readdirSync(dirname(to))).not.toContain(join('lcm-files', String(conversationId)))
    }
    expect(await failure(read(objects.store.get(hashOf('never stored'), 1, never)))).toMatchObject({
      code: 'not_found',
    })
  })

  it('are left on the server until somebody asks for one, and nothing says that it was seen', async () => {
    const objects = inS3()
    const { conversationId, id } = await sendOne('on demand', objects)
    const to = join(temporaryFolder(), 'pulled.db')
    const from = database.db
    const pulling = { from, key: { tenant, conversationId }, to, objects, contents: 'on_demand' } as const
    s3.requests.length = 0
    await runToEnd(pullConversation(pulling, never))
    expect(s3.requests).toEqual([])
    const seen = async () => {
      using lcm = await openLcm(to, { readOnly: true, cacheDir: temporaryFolder() })
      const report = await checkMemory(lcm)
      const found = await lcm.retrieval.grep(GrepInput.parse({ query: 'line of a log', scope: 'files' }))
      return {
        condition: (await lcm.fileReader.check(id, never)).condition,
        text: (await lcm.fileReader.read(id, { kind: 'page', page: 1 }, never)).text.slice(0, 6),
        findings: report.checks.flatMap((one) => (one.count > 0 && one.id.startsWith('file') ? [one.id] : [])),
        hits: found.hits.length > 0,
        notes: found.notes,
      }
    }
    expect(await seen()).toEqual({
      ...{ condition: 'on_server', text: '', findings: ['files_elsewhere'], hits: false },
      notes: [expect.stringContaining('on the server and were not searched')],
    })
    const fetching = { from, path: to, id, objects }
    const key = keyOf(hashOf(content))
    s3.objects.set(key, { bytes: Buffer.from(content).fill('x'), at: new Date() })
    expect(await failure(runToEnd(fetchFile(fetching, never)))).toMatchObject({ code: 'server_failed' })
    expect(await seen()).toMatchObject({ condition: 'on_server', text: '' })
    s3.objects.set(key, { bytes: content, at: new Date() })
    expect(await runToEnd(fetchFile(fetching, never))).toEqual({ id, bytes: content.length })
    expect(await seen()).toMatchObject({ condition: 'sound', text: 'A line', findings: [], hits: true, notes: [] })
    expect(await failure(runToEnd(fetchFile({ ...fetching, objects: null }, never)))).toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('are said to be on the server only where the row has a hash and a size, and are not fetched otherwise', async () => {
    const objects = inS3()
    const { conversationId, id } = await sendOne('only a row', objects)
    await database.engine.query('UPDATE lcm.large_files SET content_hash = NULL WHERE file_id = $1', [id])
    const to = join(temporaryFolder(), 'pulled.db')
    const from = database.db
    const pulling = { from, key: { tenant, conversationId }, to, objects, contents: 'on_demand' } as const
    await runToEnd(pullConversation(pulling, never))
    const error = await failure(runToEnd(fetchFile({ from, path: to, id, objects }, never)))
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('only its row is there') })
    using lcm = await openLcm(to, { readOnly: true, cacheDir: temporaryFolder() })
    expect(await lcm.fileReader.check(id, never)).toMatchObject({ condition: 'missing' })
    const { checks } = await checkMemory(lcm)
    for (const { samples } of checks) expect(JSON.stringify(samples)).not.toContain('on the server')
    const { notes } = await lcm.retrieval.grep(GrepInput.parse({ query: 'line of a log', scope: 'files' }))
    expect(notes).toEqual([expect.stringContaining('could not be read')])
  })

  it('go on where a connection broke off, and give up after some attempts', async () => {
    const { store } = inS3()
    s3.faults = ['busy']
    await store.put({ hash: hashOf(content), bytes: content.length, open: () => [content] }, never)
    s3.faults = ['cut', 'cut']
    expect(await read(store.get(hashOf(content), content.length, never))).toEqual(content)
    s3.faults = Array(9).fill('cut')
    expect(await failure(read(store.get(hashOf(content), content.length, never)))).toMatchObject({
      code: 'server_unavailable',
    })
    expect(pauses.every((ms) => ms <= 3200)).toBe(true)
  })

  it('are listed page by page; what others keep in the bucket is left alone', async () => {
    const { store } = inS3()
    s3.pageSize = 2
    const hashes = ['a', 'b', 'c', 'd', 'e'].map(hashOf)
    for (const hash of hashes) s3.objects.set(keyOf(hash), { bytes: Buffer.from('x'), at: new Date(0) })
    s3.objects.set('lcm/README', { bytes: Buffer.from('x'), at: new Date(0) })
    s3.objects.set(`lcm/zz/${hashOf('other')}`, { bytes: Buffer.from('x'), at: new Date(0) })
    const listed: string[] = []
    for await (const { hash } of store.list(never)) listed.push(hash)
    s3.pageSize = 1000
    expect(listed.toSorted()).toEqual(hashes.toSorted())
  })

  it('are made new when they are used again, so that nobody removes them', async () => {
    const folder = temporaryFolder()
    const { store } = inFolder(folder)
    const bytes = Buffer.from('old')
    const put = () => store.put({ hash: hashOf(bytes), bytes: bytes.length, open: () => [bytes] }, never)
    await put()
    const path = join(folder, hashOf(bytes).slice(0, 2), hashOf(bytes))
    utimesSync(path, 1, 1)
    await put()
    expect((await store.stat(hashOf(bytes)))?.modifiedAtMs).toBeGreaterThan(Date.now() - DAY_MS)
    const key = keyOf(hashOf(bytes))
    s3.objects.set(key, { bytes, at: new Date(0) })
    await s3Store().put({ hash: hashOf(bytes), bytes: bytes.length, open: () => [bytes] }, never)
    expect(s3.objects.get(key)?.at.getTime()).toBeGreaterThan(Date.now() - DAY_MS)
  })

  it('are signed with a key that is never sent, shown or repeated', async () => {
    const wrong = 'another-secret-key'
    const error = await failure(s3Store(wrong).stat(hashOf('a')))
    expect(error).toMatchObject({ code: 'server_refused' })
    await s3Store().stat(hashOf('a'))
    for (const text of [...s3.seen, JSON.stringify([error, error.message, error.details])]) {
      expect(text).not.toContain(S3Server.keys.secret)
      expect(text).not.toContain(wrong)
    }
    const env = { LCM_OBJECTS: 's3://memories/lcm', AWS_ACCESS_KEY_ID: 'id' }
    await expect(configuredObjects(env)).rejects.toThrow(/AWS_SECRET_ACCESS_KEY/)
    await expect(configuredObjects({ LCM_OBJECTS: 's3://' })).rejects.toThrow(LcmError)
    expect(await configuredObjects({})).toBeNull()
    const folder = await configuredObjects({ LCM_OBJECTS: temporaryFolder() })
    expect(folder?.store).toBeInstanceOf(FolderStore)
    const set = await configuredObjects({
      ...env,
      AWS_SECRET_ACCESS_KEY: wrong,
      LCM_OBJECTS_ENDPOINT: 'https://s3.example.com',
    })
    expect(set?.store.shown).toBe('s3://memories/lcm/ at s3.example.com')
  })

  it('are signed with keys of the keychain, for their own bucket and server alone, where the environment has none', async () => {
    const path = join(temporaryFolder(), 'keys.json')
    const turned = (text: string) => [...text].toReversed().join('')
    const keys = new FileKeyStore(path, {
      encrypt: async (text) => Buffer.from(turned(text)),
      decrypt: async (bytes) => turned(Buffer.from(bytes).toString()),
    })
    const env = {
      ...{ LCM_OBJECTS: `s3://${S3Server.bucket}/lcm`, LCM_OBJECTS_ENDPOINT: endpoint },
      LCM_OBJECTS_REGION: S3Server.region,
    }
    const pair = { accessKeyId: S3Server.keys.id, secretAccessKey: S3Server.keys.secret }
    expect(shownObjects(env, keys)).toEqual({ shown: `s3://${S3Server.bucket}/lcm/`, server: endpoint, keys: 'none' })
    await keepObjectsKeys(env, keys, pair)
    expect(shownObjects(env, keys)?.keys).toBe('keychain')
    const objects = await configuredObjects(env, keys)
    expect(await objects?.store.stat(hashOf('nothing'))).toBeNull()
    expect(readFileSync(path, 'utf8')).not.toContain(S3Server.keys.secret)
    for (const other of [
      { ...env, LCM_OBJECTS: 's3://another' },
      { ...env, LCM_OBJECTS_ENDPOINT: 'https://s3.example.com' },
    ]) {
      expect(shownObjects(other, keys)?.keys).toBe('none')
      await expect(configuredObjects(other, keys)).rejects.toThrow(/in the settings/)
    }
    // What the environment says counts first.
    const wrong = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'wrong' }
    expect(shownObjects({ ...env, ...wrong }, keys)?.keys).toBe('environment')
    const given = await configuredObjects({ ...env, ...wrong }, keys)
    expect(await failure(given?.store.stat(hashOf('a')) ?? Promise.resolve())).toMatchObject({ code: 'server_refused' })
    await keepObjectsKeys(env, keys, null)
    expect(shownObjects(env, keys)?.keys).toBe('none')
    await expect(keepObjectsKeys(env, null, pair)).rejects.toThrow(/AWS_ACCESS_KEY_ID/)
    await expect(keepObjectsKeys({}, keys, pair)).rejects.toThrow(/LCM_OBJECTS/)
  })
})
