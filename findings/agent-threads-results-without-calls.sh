#!/usr/bin/env bash
# @lleverage-ai/agent-threads 0.1.0-alpha.6, which keeps what agents do as events and makes transcripts and contexts of them:
# a context begins with results whose calls it left out, or has calls without results, and without events of steps an answer
# stands before the result that it is about.
#
# Expected: `maxMessages` and `includeToolResults` of `FullContextBuilder` make a smaller context that a model can be sent,
# and a transcript has what was said in its order. Seen: the newest messages are counted off wherever that falls, also between
# a call and its result. `includeToolResults: false` leaves the calls. Providers refuse both. Where no event tells that a step
# ended, all that the model says in a turn becomes one message, and the results come behind it: what it said after the second
# result stands before the first one. The provenance beside a context says nothing of what was left out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 @lleverage-ai/agent-threads@0.1.0-alpha.6 \
  zod@4.6.4
export PATH="$folder/node_modules/.bin:$PATH"
cat > look.mjs <<'SCRIPT'
import { FullContextBuilder, RunManager } from '@lleverage-ai/agent-threads'
import { InMemoryEventStore } from '@lleverage-ai/agent-threads/stores/event-memory'
import { InMemoryLedgerStore } from '@lleverage-ai/agent-threads/stores/ledger-memory'
const threadId = 'thread'
const event = (kind, payload) => ({ kind, payload })
const user = (content) => event('user-message', { content })
const text = (delta) => event('text-delta', { delta })
const call = (toolCallId) => event('tool-call', { toolCallId, toolName: 'look', input: {} })
const result = (toolCallId) => event('tool-result', { toolCallId, toolName: 'look', output: 'seen' })
const step = (number, ...events) => [event('step-started', { stepIndex: number }), ...events, event('step-finished', {})]
const partAs = ({ type, text: words, toolCallId }) => words ?? `${type.replace('tool-', '')} ${toolCallId}`
const shown = (messages) => messages.map(({ role, parts }) => `${role} (${parts.map(partAs).join(', ')})`).join('; ')
async function stored(events) {
  const store = new InMemoryLedgerStore()
  const manager = new RunManager(store, new InMemoryEventStore())
  const { runId } = await manager.beginRun({ threadId })
  await manager.appendEvents(runId, events)
  await manager.finalizeRun(runId, 'committed')
  return store
}
const first = step(0, text('I look.'), call('one'), call('two'), result('one'), result('two'))
const inSteps = await stored([user('first prompt'), ...first, ...step(1, text('I saw both.')), user('second prompt')])
console.log(`in steps: ${shown(await inSteps.getTranscript({ threadId }))}`)
for (const options of [{ maxMessages: 4 }, { includeToolResults: false }]) {
  const { messages, provenance } = await new FullContextBuilder(inSteps).build({ threadId, ...options })
  console.log(`${JSON.stringify(options)}: ${shown(messages)}`)
  console.log(`  provenance: ${Object.keys(provenance).join(', ')}`)
}
const turn = [text('I look.'), call('one'), result('one'), text('Once more.'), call('two'), result('two'), text('I saw both.')]
const without = await stored([user('first prompt'), ...turn])
console.log(`without steps: ${shown(await without.getTranscript({ threadId }))}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
in steps: user (first prompt); assistant (I look., call one, call two); tool (result one); tool (result two); assistant (I saw both.); user (second prompt)
{"maxMessages":4}: tool (result one); tool (result two); assistant (I saw both.); user (second prompt)
  provenance: threadId, messageCount, firstMessageId, lastMessageId
{"includeToolResults":false}: user (first prompt); assistant (I look., call one, call two); assistant (I saw both.); user (second prompt)
  provenance: threadId, messageCount, firstMessageId, lastMessageId
without steps: user (first prompt); assistant (I look., call one, Once more., call two, I saw both.); tool (result one); tool (result two)
EXPECTED
echo 'As when it was found.'
