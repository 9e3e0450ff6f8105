import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { TestMemory } from '../builders/memory.ts'
import { piLcmWriter } from '../builders/systems/pi-lcm.ts'
import { tellStory } from '../builders/systems/story.ts'
import { openWriter, writeStory } from '../builders/systems/system.ts'
import { Agent } from '../live/start-agent.ts'
import { expect, IN_BROWSER, THROUGH_SHELL, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

/** Tells of a first session of more than 80 messages. */
const SEED = 5

test('a window beside an agent of another system follows its file, and keeps its place and selection', async ({
  openMemory,
  home,
}) => {
  const path = join(home, 'agent', 'lcm.db')
  mkdirSync(join(home, 'agent'))
  const agent = await Agent.start('lossless-claw 0.15.3', path, SEED)
  try {
    await agent.tell('say 40')
    const page = await openMemory(path)
    await page.evaluate(() => {
      location.hash = '#/conversation/1/messages?select=msg_12'
    })
    const transcript = page.getByRole('region', { name: 'Transcript' })
    const feed = page.getByRole('feed', { name: 'Messages' })
    await expect(transcript).toContainText('of 40 messages')
    const chosen = feed.getByRole('article', { name: /msg_12$/ })
    await expect(chosen).toBeInViewport()
    // Where it is stays the same, to the pixel, once it has settled.
    const place = async () => Math.round((await chosen.boundingBox())?.y ?? Number.NaN)
    let settled = Number.NaN
    let looks = 0
    await expect
      .poll(async () => {
        const now = await place()
        looks = now === settled ? looks + 1 : 0
        settled = now
        return looks
      })
      .toBeGreaterThan(2)

    await agent.tell('say 9')
    await expect(transcript).toContainText('of 49 messages')
    await expect(chosen).toBeInViewport()
    await expect.poll(place).toBe(settled)
    expect(page.url()).toContain('select=msg_12')

    await page.getByRole('button', { name: /^(watching|live)/ }).click()
    await agent.tell('say 5')
    await expect(page.getByRole('button', { name: /^paused/ })).toBeVisible()
    await page.waitForTimeout(1500)
    await expect(transcript).toContainText('of 49 messages')
    await page.getByRole('button', { name: /^paused/ }).click()
    await expect(transcript).toContainText('of 54 messages')
    await expect.poll(place).toBe(settled)
    expect((await agent.tell('say 1')).busy).toBe(0)
  } finally {
    agent.kill()
  }
})

test('a window on a conversation that its agent deletes says so and offers another one, and says when there is none', async ({
  openMemory,
  home,
}) => {
  const path = join(home, 'lcm.db')
  writeStory(piLcmWriter, path, piLcmWriter.tell(tellStory({ seed: SEED })))
  const db = openWriter(path, '')
  const forgetFirst = () => {
    const id = db.prepare('SELECT id FROM conversations ORDER BY rowid').pluck().get()
    db.transaction(() => {
      db.prepare(
        'DELETE FROM summary_sources WHERE summary_id IN (SELECT id FROM summaries WHERE conversation_id = ?)',
      ).run(id)
      db.prepare('DELETE FROM summaries WHERE conversation_id = ?').run(id)
      db.prepare('DELETE FROM messages WHERE conversation_id = ?').run(id)
      db.prepare('DELETE FROM conversations WHERE id = ?').run(id)
    })()
  }
  try {
    // The log of its writer is there from the first write on.
    db.exec('CREATE TABLE warm_up (x); DROP TABLE warm_up')
    const page = await openMemory(path)
    await page.evaluate(() => {
      location.hash = '#/conversation/1/messages?select=msg_3'
    })
    const feed = page.getByRole('feed', { name: 'Messages' })
    await expect(feed.getByRole('article', { name: /msg_3$/ })).toBeInViewport()
    forgetFirst()
    await expect(page.getByRole('heading', { name: 'This memory has no conversation 1' })).toBeVisible()
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Open / })
      .click()
    await expect(page).toHaveURL(/\/conversation\/2\/messages/)
    await expect(feed.getByRole('article').first()).toBeVisible()
    forgetFirst()
    await expect(page.getByText('The file holds none so far.')).toBeVisible()
  } finally {
    db.close()
  }
})

test(
  'what an agent writes meanwhile is shown by itself, and can be paused',
  THROUGH_SHELL,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { messages } = await factsOf(path)
    const page = await openMemory(path)
    const line = page.getByRole('contentinfo')
    await expect(line).toContainText(`LCM: ${messages} msgs`)
    await expect(page.getByTitle('Watched: nothing has changed since it was opened')).toBeVisible()
    const writer = new TestMemory(path)
    writer.messages((await factsOf(path)).conversationId, 3)
    await expect(line).toContainText(`LCM: ${messages + 3} msgs`)
    await expect(page.getByTitle(/^Watched: it changed while it was open/)).toBeVisible()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^(watching|live)/ })
      .click()
    writer.messages((await factsOf(path)).conversationId, 2)
    await page.waitForTimeout(1500)
    await expect(line).toContainText(`LCM: ${messages + 3} msgs`)
    await page
      .getByRole('banner')
      .getByRole('button', { name: /paused|behind|changes/i })
      .click()
    await expect(line).toContainText(`LCM: ${messages + 5} msgs`)
    writer.db.close()
  },
)

/** What a message that comes while Messages is on screen may ask for, each once: first itself, then what counts messages. */
const ASKED_FOR_A_MESSAGE = [
  'transcript/page', // the messages after those that are known
  ...['conversations/list', 'conversations/list', 'conversations/list'], // the list, this conversation, its sub-agents
]
/** What is asked for once more after that, so that it follows changes of rows that are there already. */
const ASKED_AFTERWARDS = [
  'context/compactions',
  'conversations/measure',
  'integrity/last',
  'jobs/list',
  'lineage/names',
  'memory/info',
  'memory/settings',
  'notes/list',
  'retrieval/describe',
  'strata/messages',
  'transcript/locate',
  ...['transcript/page', 'transcript/page'], // the page in sight, and the beginning of the sub-agent
  'transcript/positionAt',
]

test(
  'a message that comes asks for itself first, then for the lists that count it, and for what else is shown once',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const page = await openMemory(path)
    await page.evaluate(() => {
      location.hash = location.hash.replace(/[^/]*$/, 'messages')
    })
    const feed = page.getByRole('feed', { name: 'Messages' })
    await feed.getByRole('article').first().waitFor()
    await page.keyboard.press('End')
    await page.evaluate(() => {
      const asked: string[] = []
      const send = WebSocket.prototype.send
      WebSocket.prototype.send = function (data) {
        asked.push(/"u":"\/([^"]+)"/.exec(String(data))?.[1] ?? '')
        send.call(this, data)
      }
      Object.assign(window, { asked })
    })
    // What goes wrong over time is asked for by a clock, whether a message comes or not.
    const asked = async () =>
      (await page.evaluate(() => Reflect.get(window, 'asked') as string[])).filter((one) => one && one !== 'watch/look')
    const settled = async () => {
      let before = -1
      await expect
        .poll(async () => {
          const { length } = await asked()
          const isSame = length === before
          before = length
          return isSame
        }, SETTLED)
        .toBe(true)
    }
    // It stays open meanwhile: when it closes, SQLite empties the log, and the file changes once more.
    const writer = new TestMemory(path)
    await settled()
    const before = (await asked()).length
    writer.message(conversationId, 'A message that comes while it is watched')
    await expect(feed.getByText('A message that comes while it is watched')).toBeVisible()
    await settled()
    writer.db.close()
    const since = (await asked()).slice(before)
    expect(since.slice(0, ASKED_FOR_A_MESSAGE.length)).toEqual(ASKED_FOR_A_MESSAGE)
    expect(since.slice(ASKED_FOR_A_MESSAGE.length).sort()).toEqual(ASKED_AFTERWARDS)
  },
)

/** Looks so seldom that everything that waits for its turn has had it. */
const SETTLED = { intervals: [3000], timeout: 30_000 }
