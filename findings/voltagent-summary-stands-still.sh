#!/usr/bin/env bash
# VoltAgent (@voltagent/core 2.10.0): a summary of a conversation is never renewed after a few turns, and what comes then
# is soon neither in the summary nor in the window.
#
# Expected: with `summarization`, the model is sent a summary of everything before the messages that are kept as they are.
# Seen: how far the summary reaches is remembered as a number of messages from the beginning, but counted in the ten
# newest messages that the memory gives by default. The number stops growing when the memory has ten, and from then on the
# same summary is sent whatever comes. All messages are in the memory. The person is answered as if they had not been said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 @voltagent/core@2.10.0 ai@6.0.326 \
  @ai-sdk/provider-utils@4.0.66 zod@4.6.4
cat > try.mjs <<'SCRIPT'
import { setTimeout } from 'node:timers/promises'
import { Agent, InMemoryStorageAdapter, Memory } from '@voltagent/core'
import { MockLanguageModelV3 } from 'ai/test'

/** A model that answers with `text` after a fifth of a second, and keeps what it was sent. */
const scripted = (sent, text) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      sent.push(JSON.stringify(prompt))
      await setTimeout(200)
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      }
    },
  })
const toAgent = []
const toSummariser = []
const memory = new Memory({ storage: new InMemoryStorageAdapter() })
const summarization = { triggerTokens: 50, keepMessages: 4, model: scripted(toSummariser, 'a summary') }
const agent = new Agent({ name: 'agent', instructions: 'help', model: scripted(toAgent, 'done'), memory, summarization })
const at = { userId: 'person', conversationId: 'conversation' }
for (let number = 1; number <= 16; number += 1) {
  await agent.generateText(`fact ${number}. ${'and more '.repeat(10)}`, at)
  await setTimeout(300)
  if ([6, 7, 16].includes(number)) console.log(`after prompt ${number}, summaries were made: ${toSummariser.length}`)
}
const facts = (texts) => [...new Set(texts.flatMap((text) => text.match(/fact \d+/g) ?? []))].join(', ')
console.log(`ever summarised: ${facts(toSummariser)}`)
console.log(`in the last request: ${facts(toAgent.slice(-1))}`)
console.log(`messages in the memory: ${(await memory.getMessages('person', 'conversation', { limit: 100 })).length}`)
process.exit(0)
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | grep -E '^(after|ever|in the|messages)' | tee seen.txt
diff seen.txt - <<'EXPECTED'
after prompt 6, summaries were made: 4
after prompt 7, summaries were made: 4
after prompt 16, summaries were made: 4
ever summarised: fact 1, fact 2, fact 3, fact 4
in the last request: fact 15, fact 16
messages in the memory: 32
EXPECTED
