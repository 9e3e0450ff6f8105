#!/usr/bin/env bash
# AI SDK Tools (@ai-sdk-tools/agents 1.2.0 with @ai-sdk-tools/memory 1.2.0): an agent with a history of 50 messages sends
# its model five, calls and results counted, and begins with a result whose call is not sent.
#
# Expected: with `history: { enabled: true, limit: 50 }` the model is sent up to 50 messages of the memory, or ten, which the
# types of the package give as the default of `lastMessages`, and each result behind its call.
# Seen: a limit of five is put behind that of the memory for an agent without handoffs. It counts messages of the model,
# of which a turn with two calls has six and the memory two. Not even one turn fits: the prompt before the newest one is
# never sent again, and a request that begins with a result without its call is refused by providers. The memory has all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @ai-sdk-tools/agents@1.2.0 @ai-sdk-tools/memory@1.2.0 \
  ai@5.0.277 zod@4.6.4
cat > look.mjs <<'SCRIPT'
import { Agent } from '@ai-sdk-tools/agents'
import { InMemoryProvider } from '@ai-sdk-tools/memory/in-memory'
import { simulateReadableStream, tool } from 'ai'
import { MockLanguageModelV2 } from 'ai/test'
import { z } from 'zod'
const requests = []
const usage = { inputTokens: 10, outputTokens: 1, totalTokens: 11 }
/** A model that calls the tool twice for each prompt, and then answers. */
const doStream = async ({ prompt }) => {
  const number = requests.push(prompt.filter(({ role }) => role !== 'system'))
  const isLast = number % 3 === 0
  const parts = isLast
    ? [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'done' }, { type: 'text-end', id: 't' }]
    : [{ type: 'tool-call', toolCallId: `call_${number}`, toolName: 'look', input: '{}' }]
  const finish = { type: 'finish', finishReason: isLast ? 'stop' : 'tool-calls', usage }
  return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...parts, finish] }) }
}
const provider = new InMemoryProvider()
const look = tool({ description: 'Looks.', inputSchema: z.object({}), execute: async () => 'seen' })
const agent = new Agent({
  name: 'agent',
  instructions: 'Help.',
  model: new MockLanguageModelV2({ doStream }),
  tools: { look },
  memory: { provider, history: { enabled: true, limit: 50 } },
})
const nameOf = { 'tool-call': 'call', 'tool-result': 'result' }
const shown = (messages) =>
  messages.map(({ content }) => content.map((part) => part.text ?? nameOf[part.type]).join('+')).join(', ')
for (const text of ['first prompt', 'second prompt', 'third prompt']) {
  const message = { id: text, role: 'user', parts: [{ type: 'text', text }] }
  await agent.toUIMessageStream({ message, context: { chatId: 'one' } }).text()
  const [sent] = requests.slice(-3)
  console.log(`sent with the ${text}: ${shown(sent)}`)
}
const kept = await provider.getMessages({ chatId: 'one', limit: 50 })
console.log(`in the memory: ${kept.map(({ role, parts }) => (role === 'user' ? parts[0].text : 'answer')).join(', ')}`)
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sent with the first prompt: first prompt
sent with the second prompt: result, call, result, done, second prompt
sent with the third prompt: result, call, result, done, third prompt
in the memory: first prompt, answer, second prompt, answer, third prompt, answer
EXPECTED
echo 'As when it was found.'
