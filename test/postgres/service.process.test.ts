// Starting a server, four programs and killing one of them take about twenty seconds.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandList } from '#core/doors/cli/commands.ts'
import { flagsOf } from '#core/doors/cli/input/flags.ts'
import type { Postgres } from '#core/remote/postgres/connect.ts'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { ROLES } from '#core/remote/postgres/schema.ts'
import { sendMemory } from '#core/remote/send.ts'
import { openNative } from '#core/sqlite/native.ts'
import { readPulledFrom, storePulledFrom } from '#core/systems/opening/pulled-from.ts'
import { runToEnd } from '#core/yielding.ts'
import { cliPath } from '../builders/built-program.ts'
import { turns } from '../builders/hosted.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, environment, lcm, lcmHere, startLcm } from '../doors/cli/lcm.ts'
import { good } from '../models/summarizers/model-server.ts'
import { attackBySql } from './attack-by-sql.ts'
import { installedPostgres, PASSWORD, type RealServer, startPostgres } from './real-server.ts'
import { fillTwoTenants, leaked, OTHER, OWN, stateOfOther } from './two-tenants.ts'
import {
  ASKING,
  fullConversation,
  MOMENTS,
  type Moment,
  startWorkerModel,
  storedMemory,
  WRITING,
} from './worker-moments.ts'

const never = new AbortController().signal
const bin = installedPostgres()
if (bin === null) console.info('PostgreSQL is not installed: test/postgres/service.process.test.ts is skipped.')
const SMALL = { LCM_TOKEN_BUDGET: '2000', LCM_FRESH_TAIL_COUNT: '4', LCM_MIN_MESSAGES_TO_COMPACT: '2' }

/** A JSON-RPC client of `lcm engine`. */
class Client {
  readonly process: ChildProcess
  /** The exit code, or the signal of a program that was killed. */
  readonly ended: Promise<number | string>
  readonly #waiting = new Map<number, (answer: { result?: Record<string, unknown>; error?: unknown }) => void>()
  #lastId = 0

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [cliPath, 'engine', '--stdio', '--agent', 'test', ...args], {
      env: environment(env),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.ended = new Promise((resolve) => this.process.once('exit', (code, signal) => resolve(code ?? String(signal))))
    this.process.stdin?.on('error', () => undefined)
    createInterface({ input: this.process.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const answer = JSON.parse(line)
      this.#waiting.get(answer.id)?.(answer)
    })
  }

  ask(method: string, params: unknown): Promise<{ result?: Record<string, unknown>; error?: unknown }> {
    this.#lastId += 1
    const id = this.#lastId
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  end(): Promise<number | string> {
    this.process.stdin?.end()
    return this.ended
  }
}

describe.skipIf(bin === null)('agents and workers on a PostgreSQL server', () => {
  let server: RealServer
  let db: Postgres
  const folder = temporaryFolder()

  beforeAll(async () => {
    server = await startPostgres(bin ?? '')
    db = await server.connect()
    await migratePostgres(db, 4)
    const superuser = await server.connectSuperuser()
    await superuser.script(`${ROLES}
      CREATE ROLE service LOGIN PASSWORD '${PASSWORD}'; GRANT lcm_writer TO service;
      CREATE ROLE worker LOGIN PASSWORD '${PASSWORD}'; GRANT lcm_worker TO worker;
      CREATE ROLE ada LOGIN PASSWORD '${PASSWORD}'; GRANT lcm_inspector TO ada;
      INSERT INTO lcm.tenant_access VALUES ('service', 'acme'), ('worker', 'acme'), ('ada', 'acme');`)
    await superuser.close()
  })
  afterAll(async () => {
    await db.close()
    await server.stop()
  })

  const addressOf = (user: string, tenant = 'acme') => {
    const { host, port } = server.address
    return `postgres://${user}:${PASSWORD}@${host}:${port}/lcm?tenant=${tenant}`
  }
  const stored = (tenant: string) =>
    db.read(tenant, async (query) =>
      (
        await query<{ id: string }>('SELECT external_id AS id FROM lcm.messages WHERE tenant_id = $1 ORDER BY seq', [
          tenant,
        ])
      ).map(({ id }) => id),
    )

  it('keep every message that an engine confirmed, and none twice, though one of two engines is killed', async () => {
    const env = { LCM_DATABASE_URL: addressOf('service') }
    const engines = [new Client(env), new Client(env)] as const
    const confirmed: string[] = []
    let isKilled = false
    const write = async (engine: Client, name: string) => {
      for (let round = 0; round < 12 && !(isKilled && engine === engines[0]); round += 1) {
        const messages = turns(2, round * 2).map((one) => ({
          ...one,
          id: `${name} ${one.id}`,
          content: `${name}: ${one.content}`,
        }))
        const answer = await Promise.race([engine.ask('ingest', { sessionId: 'shared', messages }), engine.ended])
        if (typeof answer !== 'object') return
        expect(answer.error).toBe(undefined)
        confirmed.push(...messages.map(({ id }) => id))
      }
    }
    const writing = engines.map((engine, index) => write(engine, String(index)))
    await expect.poll(() => confirmed.filter((id) => id.startsWith('0')).length).toBeGreaterThan(3)
    isKilled = true
    engines[0].process.kill('SIGKILL')
    await Promise.all(writing)
    const status = await engines[1].ask('status', { sessionId: 'shared' })
    const ids = await stored('acme')
    // A message may be stored in several rows, of which the first has its id.
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of confirmed) expect(ids.some((one) => one?.includes(id))).toBe(true)
    expect(status.result).toMatchObject({ messages: ids.length })
    expect(await engines[1].end()).toBe(0)
  })

  it('are served by an engine with a role that sees one tenant alone, in words where it may not', async () => {
    const foreign = await lcm(['engine', '--stdio', '--db', `postgres://service@127.0.0.1/lcm`], { env: SMALL })
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('tenant')])
    const engine = new Client({ LCM_DATABASE_URL: addressOf('service', 'other') })
    const refused = await engine.ask('ingest', { sessionId: 's', messages: turns(1) })
    expect(refused.error).toMatchObject({ data: { code: 'server_refused' } })
    expect(JSON.stringify(refused)).not.toContain(PASSWORD)
    await engine.end()
  })

  it('are compacted by workers with the role of a worker, each conversation by one of them', async () => {
    using memory = new TestMemory()
    for (let number = 0; number < 6; number += 1) {
      const conversation = memory.conversation({ sessionId: `full ${number}` })
      memory.messages(
        conversation,
        turns(40).map(({ content }) => ({ content: String(content), tokens: 100 })),
      )
    }
    const sent = await runToEnd(sendMemory({ from: memory.db, to: db, tenant: 'acme' }, never))
    const env = { LCM_DATABASE_URL: addressOf('worker'), ...SMALL }
    const ran = await Promise.all([0, 1].map(() => lcm(['worker', '--once', '--json'], { env })))
    for (const { code, stderr } of ran) expect([code, stderr]).toEqual([0, ''])
    const outcomes = ran.flatMap(({ stdout }) => JSON.parse(stdout).conversations)
    const compacted = outcomes.filter(({ outcome }) => outcome === 'compacted').map((one) => one.conversationId)
    // The conversation of the engines is compacted, too, when it is full.
    expect(compacted).toEqual(expect.arrayContaining(sent.conversations.map(({ to }) => to)))
    for (const { outcome } of outcomes) expect(['compacted', 'nothing_to_do', 'busy']).toContain(outcome)
    const checked = await lcm(['fleet', '--check', '50', '--json'], { env })
    const report = JSON.parse(checked.stdout)
    expect(report.checked).toBeGreaterThan(6)
    expect(report.conversations.every((one: { findings: number }) => one.findings === 0)).toBe(true)
    expect(report.conversations.every((one: { pressure: number }) => one.pressure < 1)).toBe(true)
    // An inspector sees the same and writes nothing.
    const seen = await lcm(['fleet', '--json'], { env: { LCM_DATABASE_URL: addressOf('ada') } })
    expect(JSON.parse(seen.stdout).total).toBe(report.total)
    const refused = await lcm(['worker', '--once'], { env: { LCM_DATABASE_URL: addressOf('ada'), ...SMALL } })
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('GRANT lcm_worker TO "ada";')])
  })

  describe('conversations of a killed worker or server', () => {
    let model: Awaited<ReturnType<typeof startWorkerModel>>
    let undisturbed: unknown
    const working = () => {
      const args = ['worker', '--once', '--json', '--tenant', 'acme', '--summarizer', 'local']
      const several = { LCM_SETTINGS_FILE: model.settings, LCM_LEAF_CHUNK_TOKENS: '800' }
      return { args, env: { LCM_DATABASE_URL: addressOf('worker'), ...several, ...SMALL } }
    }
    const work = async () => {
      const { args, env } = working()
      const ran = await lcmHere(args, { env })
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      return JSON.parse(ran.stdout).conversations.map(
        (one: { conversationId: number; outcome: string }) => `${one.conversationId} ${one.outcome}`,
      )
    }
    const count = async (sql: string) =>
      (await db.read('acme', (query) => query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`)))[0]?.n

    beforeAll(async () => {
      model = await startWorkerModel()
      const id = await fullConversation(db, 'acme', 'undisturbed')
      expect(await work()).toEqual([`${id} compacted`])
      expect(model.asked.length).toBeGreaterThan(1)
      undisturbed = await storedMemory(db, 'acme', id)
    })
    afterAll(() => model.close())

    /** Runs a worker until the moment has come. */
    async function workUntil(
      { answers, locks, isWritten = false }: Moment,
      id: number,
      args: readonly string[] = working().args,
    ) {
      const holder = await server.connect()
      const before = model.asked.length
      let hasLocked = false
      const held: (() => void)[] = []
      model.behave((response, asked, n) => {
        if (answers !== undefined && n - before >= answers) {
          held.push(() => good()(response, asked, n))
          return
        }
        const locking = locks && n === before ? holder.script(`BEGIN; ${locks(id)}`) : Promise.resolve()
        void locking.then(() => {
          hasLocked = true
          good()(response, asked, n)
        })
      })
      const child = startLcm(args, { env: working().env })
      const ran = ended(child)
      if (locks === undefined) await expect.poll(() => held.length).toBeGreaterThan(0)
      else {
        const isHeld = `pg_locks WHERE NOT granted AND ${isWritten} = EXISTS (
          SELECT 1 FROM lcm.summaries WHERE conversation_id = ${id})`
        await expect.poll(async () => hasLocked && (await count(isHeld))).toBe(1)
      }
      const answer = () => {
        model.behave(good())
        for (const one of held) one()
      }
      return { child, ran, holder, answer }
    }
    /** A minute passes. */
    const endLease = (id: number) =>
      db.write('acme', (query) =>
        query(`UPDATE lcm.compaction_jobs SET taken_until = taken_until - 60000 WHERE conversation_id = ${id}`),
      )
    /** Another takes the job when a minute is over, and not before. */
    async function takeOver({ isWritten = false }: Moment, id: number) {
      model.behave(good())
      expect(await work()).toEqual([])
      await endLease(id)
      expect(await work()).toEqual([`${id} ${isWritten ? 'nothing_to_do' : 'compacted'}`])
      expect(await storedMemory(db, 'acme', id)).toEqual(undisturbed)
    }

    for (const moment of MOMENTS) {
      it(`are compacted once and lose nothing when a worker is killed while ${moment.when}`, async () => {
        const id = await fullConversation(db, 'acme', moment.when)
        const before = await storedMemory(db, 'acme', id)
        const { child, ran, holder } = await workUntil(moment, id)
        child.kill('SIGKILL')
        await ran
        await holder.close()
        await expect.poll(() => count(`pg_stat_activity WHERE usename = 'worker'`)).toBe(0)
        expect(await storedMemory(db, 'acme', id)).toEqual(moment.isWritten ? undisturbed : before)
        await takeOver(moment, id)
        // Its copy of the conversation went with the next worker.
        expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`lcm-worker-${child.pid}-`))).toEqual([])
      })
    }

    /** Kills the server when the moment has come. */
    async function killServer(moment: Moment, id: number, args: readonly string[]) {
      const before = await storedMemory(db, 'acme', id)
      const held = await workUntil(moment, id, args)
      await db.close()
      await server.killAndRestart()
      db = await server.connect()
      await held.holder.close()
      expect(await storedMemory(db, 'acme', id)).toEqual(before)
      held.answer()
      return held
    }

    it('are compacted once and lose nothing when the server is killed while a model is asked', async () => {
      const id = await fullConversation(db, 'acme', 'server while asking')
      const { ran } = await killServer(ASKING, id, working().args)
      const { code, stderr } = await ran
      expect([code, stderr]).toEqual([4, expect.stringMatching(/cannot be reached|broke off/)])
      await takeOver(ASKING, id)
    })

    it('are compacted by a worker that outlives a server that was killed while it wrote', async () => {
      const id = await fullConversation(db, 'acme', 'server while writing')
      const args = working().args.filter((word) => word !== '--once' && word !== '--json')
      const { child, ran } = await killServer(WRITING, id, args)
      await endLease(id)
      await expect.poll(() => storedMemory(db, 'acme', id)).toEqual(undisturbed)
      child.kill('SIGINT')
      expect((await ran).stderr).toContain('tries again')
    })
  })

  it('see and change nothing of another tenant by any statement, whatever the role of their login', async () => {
    await fillTwoTenants(db)
    const before = await stateOfOther(db)
    expect(await attackBySql(server, ['ada', 'service', 'worker'])).toEqual([])
    expect(await stateOfOther(db)).toBe(before)
  })

  it('get nothing of another tenant by any command that takes an address, nor by a file that names one', async () => {
    const tenants = await fillTwoTenants(db)
    const before = await stateOfOther(db)
    const { host, port } = server.address
    const env = { PGPASSWORD: PASSWORD, ...SMALL }
    const foundByOther = await lcmHere(
      ['find', 'heron', '--address', server.address.shown, '--tenant', OTHER.tenant, '--limit', '1', '--json'],
      { env },
    )
    const { hits, nextCursor } = JSON.parse(foundByOther.stdout)
    expect(hits.length).toBe(1)
    const asked = (await (await commandList(false)).all()).filter(({ fields }) =>
      flagsOf(fields).some(({ field }) => field === 'address'),
    )
    expect(asked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pull', 'push', 'fleet', 'find', 'worker', 'pg']),
    )
    for (const user of ['ada', 'service', 'worker']) {
      const address = `postgres://${user}@${host}:${port}/lcm`
      const file = join(folder, `${user}.db`)
      const own = ['pull', address, '--tenant', OWN, '--conversation', String(tenants.own), '--db', file]
      expect((await lcmHere(own, { env })).code).toBe(0)
      pretendFrom(file, { tenant: OTHER.tenant, conversationId: tenants.other })
      for (const { name, fields, positional = [] } of asked) {
        const flags = flagsOf(fields)
        const values: Readonly<Record<string, string>> = {
          ...{ address, tenant: OTHER.tenant, conversationId: String(tenants.other), query: 'heron' },
          ...{ action: 'status', text: 'e', check: '5', cursor: nextCursor },
        }
        const given = flags.flatMap(({ field, name: flag, kind }) => {
          if (positional.includes(field)) return []
          if (field === 'once') return ['--once']
          const value = values[field]
          return value === undefined || kind === 'switch' ? [] : [`--${flag}`, value]
        })
        const words = positional.map((field) => values[field] ?? '')
        for (const without of ['--tenant', '--cursor', '']) {
          const at = given.indexOf(without)
          const args = at < 0 ? given : given.toSpliced(at, 2)
          const ran = await lcmHere(
            [name, ...words, ...args, '--db', name === 'pull' ? `${file}.new` : file, '--json'],
            { env },
          )
          expect(leaked(ran), `${user}: lcm ${name} ${args.join(' ')}`).toEqual([])
          if (name === 'push' || name === 'pull') expect(ran.code).not.toBe(0)
        }
      }
    }
    expect(await stateOfOther(db)).toBe(before)
  })

  it('are reached over TLS, whose certificate is verified', async () => {
    const certificate = join(folder, 'server.crt')
    const key = join(folder, 'server.key')
    const asked = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate]
    execFileSync('openssl', [...asked, ...names], { stdio: 'ignore' })
    await server.useTls(certificate, key)
    const { port } = server.address
    const address = `postgres://owner@localhost:${port}/lcm?sslmode=verify-full`
    const env = { PGPASSWORD: PASSWORD }
    const unverified = await lcm(['pg', 'status', address], { env })
    expect([unverified.code, unverified.stderr]).toEqual([5, expect.stringContaining('cannot be verified')])
    const verified = await lcm(['pg', 'status', address, '--json'], {
      env: { ...env, NODE_EXTRA_CA_CERTS: certificate },
    })
    expect(JSON.parse(verified.stdout)).toMatchObject({ isCurrent: true })
    const otherName = address.replace('localhost', '127.0.0.1')
    const wrong = await lcm(['pg', 'status', otherName], { env: { ...env, NODE_EXTRA_CA_CERTS: certificate } })
    expect(wrong.code).toBe(5)
    for (const { stdout, stderr } of [unverified, verified, wrong]) expect(stdout + stderr).not.toContain(PASSWORD)
  })
})

/** Makes a pulled file say that it comes from elsewhere, with a change to be pushed there. */
function pretendFrom(path: string, other: { readonly tenant: string; readonly conversationId: number }): void {
  using file = openNative(path)
  const origin = readPulledFrom(file)
  if (origin === null) throw new Error('a pulled file')
  storePulledFrom(file, { ...origin, ...other })
  file.run("UPDATE summaries SET content = 'Written by somebody else.' WHERE summary_id = 'sum_shared'", {})
}
