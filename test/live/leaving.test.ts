import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { connect } from '../doors/mcp/mcp-client.ts'
import { agentOn, look, windowOn } from './open-window.ts'
import type { Agent } from './start-agent.ts'

// "opening, browsing, searching, scanning and closing changes no byte and leaves no file": nor does a window that is
// open keep an agent from tidying up after itself.

/** Files below a folder that a process has open. */
function heldIn(folder: string, pid: number | 'self' = 'self'): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

const hasProc = existsSync('/proc/self/fd')
/** @param its the `expect` of the test, when others run beside it */
const untilLetGo = (path: string, pid: number | 'self' = 'self', its = expect): Promise<void> =>
  hasProc
    ? its.poll(() => heldIn(dirname(path), pid), { interval: 10 }).toEqual([])
    : new Promise((done) => setTimeout(done, 2000))

/** Name → hash. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  )

/** Returns the contents of the folder after an agent has written all this and closed, without a reader. */
function contentsAlone(path: string): Record<string, string> {
  const folder = temporaryFolder()
  for (const name of readdirSync(dirname(path))) {
    if (!name.endsWith('-shm')) copyFileSync(join(dirname(path), name), join(folder, name))
  }
  const db = new Database(join(folder, 'lcm.db'))
  db.prepare('SELECT count(*) FROM sqlite_schema').get()
  db.close()
  return contents(folder)
}

// Each test spends nearly all of its time waiting for its own file to be let go, so they wait beside each other.
describe.concurrent.each(WRITERS.map(({ name }) => ({ name })))('an agent that writes as $name', ({ name }) => {
  it('leaves the same files behind as without a window, and is followed when it returns', async ({
    expect: its,
    onTestFinished: atTheEnd,
  }) => {
    const path = join(temporaryFolder(), 'lcm.db')
    const agent = await agentOn(name, path, 0, atTheEnd)
    const { next } = await agent.tell('say 12')
    const { core, changes } = windowOn(path, atTheEnd)
    its([await look(core), (await core.lcm()).info.access]).toEqual([next, 'in_place'])
    await untilLetGo(path, 'self', its)
    const alone = contentsAlone(path)
    const before = changes()
    await agent.tell('close')
    its(contents(dirname(path))).toEqual(alone)
    await its.poll(changes, { interval: 10 }).toBeGreaterThan(before)
    its([await look(core), (await core.lcm()).info.access]).toEqual([next, 'memory_image'])
    its(contents(dirname(path))).toEqual(alone)

    const again = await agentOn(name, path, next, atTheEnd)
    const told = await again.tell('say 3')
    await its.poll(() => look(core), { interval: 20 }).toBe(told.next)
    its([told.busy, (await core.lcm()).info.access]).toEqual([0, 'in_place'])
  })

  it('does not cause the file to be opened, reported or read again while it writes nothing', async ({
    expect: its,
    onTestFinished: atTheEnd,
  }) => {
    const path = join(temporaryFolder(), 'lcm.db')
    const agent = await agentOn(name, path, 0, atTheEnd)
    await agent.tell('say 8')
    const { core, changes } = windowOn(path, atTheEnd)
    await look(core)
    const lcm = await core.lcm()
    const [conversation = { conversationId: 0 }] = lcm.stats.conversations()
    const history = lcm.reader.of(conversation.conversationId)
    await untilLetGo(path, 'self', its)
    const before = changes()
    for (let round = 0; round < 2; round += 1) {
      // Between two statements nobody else opens anything.
      const held = hasProc ? heldIn(dirname(path)) : []
      its(lcm.reader.of(conversation.conversationId)).toBe(history)
      its(hasProc ? heldIn(dirname(path)) : []).toEqual(held)
      await look(core)
      its(lcm.reader.of(conversation.conversationId)).toBe(history)
      await untilLetGo(path, 'self', its)
    }
    await new Promise((done) => setTimeout(done, 600))
    its([changes(), (await core.lcm()) === lcm]).toEqual([before, true])
    const { next } = await agent.tell('say 1')
    await its.poll(changes, { interval: 10 }).toBeGreaterThan(before)
    its(await look(core)).toBe(next)
  })
})

describe('a server for agents', () => {
  it('neither prevents that a log is removed nor fails because of it', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const writer = WRITERS[0]?.name ?? ''
    const agent = await agentOn(writer, path)
    await agent.tell('say 12')
    const server = await connect(['--db', path])
    onTestFinished(() => server.close())
    const grep = () => server.call('lcm_grep', { query: 'e', mode: 'literal' })
    /** An agent that closes while the server just looks leaves its log to the next one, which is as sound. */
    const untilTidy = async (first: Agent): Promise<void> => {
      for (let [agent, tries] = [first, 1]; ; tries += 1) {
        await untilLetGo(path, server.pid ?? 'self')
        const { next } = await agent.tell('close')
        if (tries === 5) expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
        if (readdirSync(dirname(path)).length === 1) return
        agent = await agentOn(writer, path, next)
      }
    }
    const before = await grep()
    expect(before.isError).toBe(false)
    await untilTidy(agent)
    expect(await grep()).toMatchObject({ isError: false, data: { total: before.data.total } })
    const again = await agentOn(writer, path, 12)
    await again.tell('say 8')
    expect((await grep()).data.total).toBeGreaterThan(before.data.total as number)
    await untilTidy(again)
  })
})
