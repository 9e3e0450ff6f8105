// How soon a window shows what an agent writes, in the built app behind the browser host.
// `node test/perf/measure-live.ts [native|foreign]`; without a word both. Needs `npm run build` and a Chromium.
import { copyFileSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { chromiumFlags, findChromium } from '#scripts/find-chromium.mjs'
import installBuild from '../builders/built-program.ts'
import { Random } from '../builders/random.ts'
import { losslessClawWriters } from '../builders/systems/lossless.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { openInBrowser, startHost } from '../e2e/browser-door.ts'
import { clawMemory } from './claw-memory.ts'
import { largeMemory } from './large-memory.ts'
import { type Tries, triesOf } from './tries.ts'

export type LiveMeasure = {
  /** From the end of the agent's transaction until the text of the message is on screen. */
  readonly messageToRow: Tries
  /** Processor time of the window's processes, for each message that was written: of the host, and of the browser. */
  readonly hostMsOfEach: number
  readonly pageMsOfEach: number
  /** Processor time of all of them in a second in which nothing is written. */
  readonly idleMsOfSecond: number
}

const MESSAGES = 200_000
/** A file of lossless-claw with as many messages. */
const CLAW_MB = 1400
const WRITTEN = 40
const LIMIT_MS = 30_000
/** So long after it was opened everything that is loaded later has been loaded. */
const SETTLED_MS = 12_000
/** So long after the last message the look at what goes wrong, which may come late in a large file, has been. */
const LOOKED_MS = 45_000
/** A host uses less than this of a second when it has nothing to do. */
const IDLE_SHARE_MS = 100
/** A search index of a file of another system is built within this time. */
const INDEX_LIMIT_MS = 300_000
const IDLE_MS = 10_000
const LEAST_PAUSE_MS = 600
const MORE_PAUSE_MS = 900

type Agent = { readonly say: (text: string) => void; readonly close: () => void }

/** Measures a window that shows the newest messages while an agent writes one after another. */
export async function measureLive(kind: 'native' | 'foreign', messages = MESSAGES): Promise<LiveMeasure> {
  const home = temporaryFolder()
  const path = join(home, 'lcm.db')
  copyFileSync(
    kind === 'native' ? (await largeMemory(messages, console.error)).path : clawMemory((CLAW_MB * messages) / MESSAGES),
    path,
  )
  const agent = kind === 'native' ? nativeAgent(path) : clawAgent(path)
  agent.say('The agent is here')
  const executablePath = findChromium()
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: [...chromiumFlags] })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const request = { path, home, userData: home, env: {}, watch: () => undefined }
  const host = await startHost(request)
  const app = await openInBrowser(request, context, host)
  const { page } = app
  try {
    await showNewest(page)
    const processes = await processorTimes(page, host.pid)
    await atRest(async () => (await processes()).host)
    const random = new Random(6)
    const taken: number[] = []
    const before = await processes()
    for (let number = 0; number < WRITTEN; number += 1) {
      const text = `A message of the agent at work, number ${number}.`
      await awaitText(page, text)
      agent.say(text)
      const saidAtMs = performance.timeOrigin + performance.now()
      const shown = await page.waitForFunction(() => window.shownAtMs, undefined, { timeout: LIMIT_MS })
      taken.push(Number(await shown.jsonValue()) - saidAtMs)
      await wait(LEAST_PAUSE_MS + MORE_PAUSE_MS * random.next())
    }
    const after = await processes()
    await wait(LOOKED_MS)
    const still = await processes()
    await wait(IDLE_MS)
    const later = await processes()
    return {
      messageToRow: triesOf(taken),
      hostMsOfEach: (after.host - before.host) / WRITTEN,
      pageMsOfEach: (after.page - before.page) / WRITTEN,
      idleMsOfSecond: ((later.host + later.page - still.host - still.page) / IDLE_MS) * 1000,
    }
  } finally {
    await app.close()
    await browser.close()
    await host.stop()
    agent.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Waits until a host has nothing to do: a file that is opened for the first time gets its search index first. */
async function atRest(hostMs: () => Promise<number>): Promise<void> {
  await wait(SETTLED_MS)
  const endsAtMs = performance.now() + INDEX_LIMIT_MS
  for (let before = await hostMs(); performance.now() < endsAtMs; ) {
    await wait(1000)
    const now = await hostMs()
    if (now - before < IDLE_SHARE_MS) return
    before = now
  }
  throw new Error('the host did not come to rest')
}

declare global {
  interface Window {
    /** When the awaited text was on screen, or null while it is not. */
    shownAtMs: number | null
  }
}

async function showNewest(page: Page): Promise<void> {
  await page.waitForFunction(() => location.hash.includes('/conversation/'), undefined, { timeout: LIMIT_MS })
  await page.evaluate(() => {
    location.hash = location.hash.replace(/[^/]*$/, 'messages')
  })
  await page.getByRole('feed', { name: 'Messages' }).getByRole('article').first().waitFor({ timeout: LIMIT_MS })
  await page.keyboard.press('End')
  await page.getByText('The agent is here').first().waitFor({ timeout: LIMIT_MS })
}

async function awaitText(page: Page, awaited: string): Promise<void> {
  await page.evaluate((text) => {
    window.shownAtMs = null
    const look = () => {
      const row = [...document.querySelectorAll('[role=feed] article')].at(-1)
      if (!row?.textContent?.includes(text)) return
      observer.disconnect()
      // The frame that shows it ends after this callback.
      requestAnimationFrame(() =>
        setTimeout(() => {
          window.shownAtMs = performance.timeOrigin + performance.now()
        }),
      )
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  }, awaited)
}

/** An agent that keeps its memory with the library. */
function nativeAgent(path: string): Agent {
  const db = openNative(path)
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'long' })
  return {
    say: (content) =>
      store.ingestBulk([
        {
          conversationId,
          messages: [{ externalId: null, role: 'assistant', content, createdAtMs: Date.now(), parts: [] }],
        },
      ]),
    close: () => db.close(),
  }
}

/** An agent of lossless-claw. */
function clawAgent(path: string): Agent {
  const file = losslessClawWriters[1]?.open(path)
  if (!file) throw new Error('no writer')
  const { db } = file
  const message = db.prepare(/* sql */ `
    INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at, transcript_entry_id)
    SELECT max(message_id) + 1, 1, max(seq) + 1, 'assistant', :content, 60, datetime('now'), 'live-' || (max(message_id) + 1)
    FROM messages`)
  const part = db.prepare(/* sql */ `
    INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content)
    SELECT 'live-' || max(message_id), max(message_id), 's', 'text', 0, :content FROM messages`)
  const item = db.prepare(/* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
    SELECT 1, (SELECT max(ordinal) + 1 FROM context_items), 'message', (SELECT max(message_id) FROM messages)`)
  const say = db.transaction((content: string) => {
    message.run({ content })
    part.run({ content })
    item.run()
  })
  return { say: (content) => say.immediate(content), close: () => db.close() }
}

/** Returns how to read the processor time that a host and the processes that draw its page have used, in milliseconds. */
async function processorTimes(page: Page, host: number): Promise<() => Promise<{ host: number; page: number }>> {
  const session = await page.context().browser()?.newBrowserCDPSession()
  if (!session) throw new Error('the browser has gone')
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return {
      host: processorMs(host),
      page: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0),
    }
  }
}

const TICK_MS = 10

/** Only Linux says it in a file. */
function processorMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(afterName[11]) + Number(afterName[12])) * TICK_MS
}

if (import.meta.main) {
  await installBuild()
  const kinds = process.argv[2] ? [process.argv[2]] : ['native', 'foreign']
  for (const kind of kinds)
    if (kind === 'native' || kind === 'foreign') console.log(kind, JSON.stringify(await measureLive(kind), null, 2))
}
