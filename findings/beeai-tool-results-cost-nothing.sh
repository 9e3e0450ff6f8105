#!/usr/bin/env bash
# BeeAI Framework for TypeScript (beeai-framework 0.1.30): what tools are called with and return counts as no tokens in
# a memory that is limited by tokens.
#
# Expected: `TokenMemory` removes its oldest messages until the rest fits into `maxTokens`. Seen: it counts the texts of
# messages, and a call and its result have none. A result of 40,000 characters takes none of the 100 tokens that a memory may
# have, while a prompt of 600 characters is refused as too large. `SummarizeMemory` shows its model the same texts, so
# that no summary tells of a tool, and what it keeps of itself (`createSnapshot`) cannot be loaded again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 beeai-framework@0.1.30 zod@3.25.76
cat > try.mjs <<'SCRIPT'
import { AssistantMessage, ToolMessage, UserMessage } from 'beeai-framework/backend/message'
import { SummarizeMemory } from 'beeai-framework/memory/summarizeMemory'
import { TokenMemory } from 'beeai-framework/memory/tokenMemory'

const call = { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: { what: 'the port' } }
const output = { type: 'text', value: 'port 8123 '.repeat(4000) }
const conversation = [
  new UserMessage('look up the port'),
  new AssistantMessage([call]),
  new ToolMessage([{ type: 'tool-result', toolCallId: 'call', toolName: 'look', output }]),
]
const memory = new TokenMemory({ maxTokens: 100 })
for (const message of conversation) await memory.add(message)
const { tokensUsed, messagesCount } = memory.stats()
console.log(`messages: ${messagesCount}, characters of the result: ${output.value.length}, tokens: ${tokensUsed} of 100`)
const long = await memory.add(new UserMessage('x'.repeat(600))).then(() => 'taken', (error) => error.message)
console.log(`a prompt of 600 characters: ${long}`)

const sent = []
const llm = {
  create: async ({ messages }) => {
    sent.push(messages.at(-1).text)
    return { getTextContent: () => 'a summary' }
  },
}
const summarised = new SummarizeMemory({ llm })
for (const message of conversation) await summarised.add(message)
console.log(`shown to the summariser: ${sent.map((text) => JSON.stringify(text.split('\n')[1])).join(', ')}`)
try {
  new SummarizeMemory({ llm }).loadSnapshot(summarised.createSnapshot())
  console.log('loaded again')
} catch ({ name }) {
  console.log(`not loaded again: ${name}`)
}
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
messages: 3, characters of the result: 40000, tokens: 9 of 100
a prompt of 600 characters: Retrieved message (151 tokens) cannot fit inside current memory (100 tokens)
shown to the summariser: "user: look up the port", "assistant: ", "tool: "
not loaded again: TypeError
EXPECTED
