// A process that works on a memory for ever, until it is killed: `append`, `compact`, `undo` or `import`. Says what it did.

import { setTimeout as wait } from 'node:timers/promises'
import { CompactInput } from '#core/contract/compaction.ts'
import { LcmError } from '#core/errors.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { generateHistory } from '#test/builders/history.ts'

const [work = '', path = '', name = ''] = process.argv.slice(2)
const settings = readSettings({ LCM_LEAF_CHUNK_TOKENS: '500', LCM_LEAF_TARGET_TOKENS: '80', LCM_FRESH_TAIL_COUNT: '3' })
const say = (line: object): void => console.log(JSON.stringify(line))
// Every process goes on where one of the same name was killed: sending again what was stored is harmless.
const batch = (round: number) => generateHistory({ seed: round, messages: 12, idPrefix: `${name}-${round}-` })

async function append(): Promise<void> {
  const db = openNative(path)
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  for (let round = 0; ; round += 1) {
    const { added } = store.append(1, batch(round))
    say({ added })
    await wait(15)
  }
}

async function ingest(): Promise<void> {
  for (let round = 0; ; round += 1) {
    const db = openNative(path)
    const store = new ConversationStore(db, createTokenEstimator(), Date.now)
    const conversationId = store.ensureConversation({ importer: 'test', sessionId: `${name}-${round % 3}` })
    const [one] = store.ingestBulk([{ conversationId, messages: batch(round) }])
    db.close()
    say({ added: one?.added })
    await wait(1)
  }
}

/** Compacts and takes it back, in turn. */
async function compactAndUndo(): Promise<void> {
  for (;;) {
    using lcm = await openLcm(path, { settings, owner: name })
    const input = CompactInput.parse({ conversationId: 1, settings: { minMessagesToCompact: 1 } })
    const { runId } = await runToEnd(lcm.compactionEngine().compact(input, new AbortController().signal))
    say({ created: runId })
    if (runId !== null) say({ undone: lcm.undoer.undo({ conversationId: 1 }).runId })
  }
}

async function compactForEver(): Promise<void> {
  for (;;) {
    const lcm = await openLcm(path, { settings, owner: name })
    let pauseMs = 2
    try {
      const input = CompactInput.parse({ conversationId: 1, settings: { minMessagesToCompact: 1 } })
      const run = lcm.compactionEngine().compact(input, new AbortController().signal)
      let step = await run.next()
      for (; !step.done; step = await run.next()) say({ created: step.value.createdId })
      say({ stopped: step.value.stopReason })
      // The other one gets its turn, on a slow machine too.
      pauseMs = 60
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'locked') throw error
      say({ refused: error.message })
    }
    lcm.close()
    await wait(pauseMs)
  }
}

const works: Readonly<Record<string, () => Promise<void>>> = {
  append,
  import: ingest,
  compact: compactForEver,
  undo: compactAndUndo,
}
say({ ready: true })
await works[work]?.()
