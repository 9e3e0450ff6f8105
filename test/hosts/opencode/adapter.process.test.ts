import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { cliPath, packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'
import { count, OUR_RUNS } from '../checked.ts'

type Message = {
  info: { id: string; role: string; sessionID: string; [field: string]: unknown }
  parts: { type: string; text?: string; [field: string]: unknown }[]
}
type Hooks = Record<string, (input: unknown, output?: unknown) => Promise<void>> & {
  tool: Record<string, { execute: (input: object, context: object) => Promise<string> }>
}

const START = Date.UTC(2026, 10, 29, 9)
const SESSION = 'ses_1'

/** A message as opencode 1.18.33 writes it and sends it. Answers 21 to 39 say that 1,500 tokens were used. */
function message(
  n: number,
  text = `Part ${n} says WORD${n}. ${'The keeper writes into the log. '.repeat(8)}`,
): Message {
  const id = `msg_${String(n).padStart(4, '0')}`
  const time = { created: START + n * 1000, completed: START + n * 1000 + 500 }
  const tokens = { input: n > 20 && n < 40 ? 1_400 : 200, output: 100, reasoning: 0, cache: { read: 0, write: 0 } }
  const model = { providerID: 'scripted', modelID: 'm' }
  const info =
    n % 2 === 0
      ? { id, role: 'user', sessionID: SESSION, time: { created: time.created }, agent: 'build', model }
      : { id, role: 'assistant', sessionID: SESSION, time, agent: 'build', ...model, tokens, finish: 'stop' }
  return { info, parts: [{ id: `prt_${n}`, messageID: id, sessionID: SESSION, type: 'text', text }] }
}

/** opencode as a plugin sees it, with its database. */
async function openCode() {
  const folder = temporaryFolder()
  const database = join(folder, 'opencode.db')
  vi.stubEnv('OPENCODE_DB', database)
  vi.stubEnv('LCM_DATA_DIR', join(folder, 'data'))
  vi.stubEnv('LCM_LEAF_CHUNK_TOKENS', '1000')
  const db = new DatabaseSync(database)
  db.exec(`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
      revert TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
    INSERT INTO session VALUES ('${SESSION}', 'prj', NULL, '/work', 'The harbour', NULL, ${START}, ${START + 1e6})`)
  let messages: Message[] = []
  const said: string[] = []
  const memory = join(folder, 'lcm.db')
  const client = { app: { log: ({ body }: { body: { message: string } }) => said.push(body.message) } }
  const { connect } = (await import(
    pathToFileURL(join(packageFolder, 'resources/adapters/opencode/plugin.js')).href
  )) as { connect: (given: object) => (input: object) => Promise<Hooks> }
  const start = () => connect({ node: process.execPath, cli: cliPath, memory })({ client })
  let hooks = await start()
  const write = (): void => {
    db.exec('DELETE FROM part; DELETE FROM message')
    for (const { info, parts } of messages) {
      const { id, sessionID: _, ...data } = info
      const at = (data.time as { created: number }).created
      db.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(id, SESSION, at, JSON.stringify(data))
      for (const { id: part, messageID, sessionID, ...rest } of parts)
        db.prepare('INSERT INTO part VALUES (?, ?, ?, ?)').run(
          `${part}`,
          `${messageID}`,
          `${sessionID}`,
          JSON.stringify(rest),
        )
    }
  }
  return {
    ...{ said, memory },
    hooks: () => hooks,
    say: (from: number, to: number): void => {
      for (let n = from; n < to; n += 1) messages.push(message(n))
      write()
    },
    /** What the model is sent. */
    send: async (): Promise<Message[]> => {
      const output = { messages: structuredClone(messages) }
      await hooks['experimental.chat.messages.transform']?.({}, output)
      const model = { limit: { context: 2_000, output: 500 } }
      await hooks['experimental.chat.system.transform']?.({ sessionID: SESSION, model }, { system: [] })
      return output.messages
    },
    revert: async (id: string): Promise<void> => {
      messages = messages.filter(({ info }) => info.id < id)
      write()
      const event = { type: 'message.removed', properties: { sessionID: SESSION, messageID: id } }
      await hooks.event?.({ event })
    },
    again: async (): Promise<void> => {
      await hooks.dispose?.({})
      hooks = await start()
    },
    close: async (): Promise<void> => {
      await hooks.dispose?.({})
      db.close()
    },
    count: (sql: string) => count(memory, sql),
  }
}

const textOf = (sent: readonly Message[]): string => sent[0]?.parts[0]?.text ?? ''
const SUMMARY = /^The conversation before this point is stored whole/

afterEach(() => {
  vi.unstubAllEnvs()
})

it('stores what opencode has, sends summaries in the place of what left, and the same ones until the next compaction', async () => {
  const opencode = await openCode()
  opencode.say(0, 41)
  // How much fits is known from the first request on.
  expect(await opencode.send()).toHaveLength(41)
  const sent = await opencode.send()
  expect(sent.length).toBeLessThan(20)
  expect(textOf(sent)).toMatch(SUMMARY)
  expect(sent[1]?.info.role).toBe('user')
  opencode.say(41, 43)
  const next = await opencode.send()
  expect(next.slice(0, sent.length)).toEqual(sent)
  expect(next).toHaveLength(sent.length + 2)
  expect(await opencode.hooks().tool.lcm_grep?.execute({ query: 'WORD3' }, {})).toContain('WORD3')
  await opencode.again()
  expect(await opencode.send()).toEqual(next)
  await opencode.close()
  expect(opencode.said).toEqual([])
  expect(await opencode.count('SELECT count(*) FROM messages')).toBe(43)
  expect(await opencode.count(OUR_RUNS)).toBe(1)
  expect(wrong(await scanFile(opencode.memory))).toEqual([])
})

it('takes a compaction back that stands for what the person took back, and keeps one that does not', async () => {
  const opencode = await openCode()
  opencode.say(0, 41)
  await opencode.send()
  const sent = await opencode.send()
  await opencode.revert('msg_0040')
  opencode.say(50, 51)
  expect(textOf(await opencode.send())).toBe(textOf(sent))
  expect(await opencode.count(OUR_RUNS)).toBe(1)
  await opencode.revert('msg_0004')
  opencode.say(60, 61)
  expect((await opencode.send()).map(({ info }) => info.id)).toEqual(
    [0, 1, 2, 3, 60].map((n) => `msg_${String(n).padStart(4, '0')}`),
  )
  await opencode.close()
  expect(opencode.said).toEqual([])
  expect(await opencode.count(OUR_RUNS)).toBe(0)
})

it('compacts nothing while opencode makes a summary itself, and tells it the summaries that there are', async () => {
  const opencode = await openCode()
  opencode.say(0, 41)
  await opencode.send()
  await opencode.hooks()['experimental.session.compacting']?.({ sessionID: SESSION }, { context: [] })
  expect(await opencode.send()).toHaveLength(41)
  const sent = await opencode.send()
  const output = { context: [] }
  await opencode.hooks()['experimental.session.compacting']?.({ sessionID: SESSION }, output)
  expect(output.context).toEqual([textOf(sent)])
  await opencode.close()
})

it('says once why it has no memory, and leaves opencode as it is', async () => {
  const opencode = await openCode()
  vi.stubEnv('OPENCODE_DB', join(opencode.memory, 'nowhere.db'))
  opencode.say(0, 41)
  expect(await opencode.send()).toHaveLength(41)
  expect(await opencode.send()).toHaveLength(41)
  await opencode.close()
  expect(opencode.said).toHaveLength(1)
  expect(opencode.said[0]).toContain('opencode goes on without it.')
})
