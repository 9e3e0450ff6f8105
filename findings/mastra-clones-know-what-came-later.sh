#!/usr/bin/env bash
# Memory of Mastra (@mastra/memory 1.31.0 with @mastra/core 1.71.0) with observational memory: a thread that is cloned up to
# an earlier message knows what was said after it, and its own messages are not sent.
#
# Expected: `cloneThread` "from a specific point in a conversation", with `messageFilter.endDate`, gives a thread in which
# the model is sent what was said until then. Seen: only the messages are cut. The observations are those of the whole
# thread at the time of the clone, so the model of the clone is told of prompts that the clone does not have. How far the
# observations reach comes with them: the messages that were copied count as observed, and none of them is sent.
# What is buffered for the window and not yet in it is copied, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @mastra/core@1.71.0 @mastra/memory@1.31.0 @mastra/libsql@1.23.1 zod@4.6.4
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { Agent } from '@mastra/core/agent'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'

const factsIn = (value) => [...new Set(JSON.stringify(value).match(/fact-\d/g) ?? [])].sort()
const requests = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages, stream } = JSON.parse(body)
    const isAgent = JSON.stringify(messages[0].content).includes('Help the person.')
    if (isAgent) requests.push(messages)
    const observed = factsIn(messages).map((fact) => `* the person said ${fact}`).join('\n')
    const content = isAgent ? 'noted' : `<observations>\nDate: Mar 2, 2026\n${observed}\n</observations>`
    const message = { role: 'assistant', content }
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const about = { id: 'c', created: 1, model: 'm' }
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }))
    }
    for (const choice of [{ delta: message }, { delta: {}, finish_reason: 'stop' }]) {
      const chunk = { ...about, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], usage }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const model = { id: 'scripted/m', url: `http://127.0.0.1:${server.address().port}/v1`, apiKey: 'none' }
const memory = new Memory({
  storage: new LibSQLStore({ id: 'store', url: 'file:memory.db' }),
  options: { observationalMemory: { model, scope: 'thread', observation: { messageTokens: 1500 } } },
})
const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help the person.', model, memory })
const shown = (facts) => facts.join(', ') || 'nothing'
const ask = async (thread, prompt) => {
  await agent.generate(prompt, { memory: { thread, resource: 'person' } })
  await memory.settled()
  const isSystem = ({ role }) => role === 'system'
  const sent = requests.at(-1)
  return { observed: factsIn(sent.filter(isSystem)), asMessages: factsIn(sent.filter((message) => !isSystem(message))) }
}
const words = (fact) => Array.from({ length: 200 }, (_, at) => `word${fact}x${(at * 7919) % 1009}`).join(' ')
for (let fact = 1; fact <= 9; fact += 1) await ask('main', `fact-${fact} is so. ${words(fact)}`)
const { messages } = await memory.recall({ threadId: 'main', perPage: false })
const secondAnswer = messages.filter(({ role }) => role === 'assistant')[1]
const { clonedMessages } = await memory.cloneThread({
  sourceThreadId: 'main',
  newThreadId: 'clone',
  options: { messageFilter: { endDate: secondAnswer.createdAt } },
})
const prompts = clonedMessages.filter(({ role }) => role === 'user')
console.log(`prompts in the clone: ${shown(factsIn(prompts))}`)
const { observed, asMessages } = await ask('clone', 'What do you know?')
const later = observed.filter((one) => one > 'fact-2')
console.log(`sent as messages: ${shown(asMessages)}`)
console.log(`sent as observations: ${shown(observed.filter((one) => one <= 'fact-2'))} and ${
  later.length > 0 ? 'later ones' : 'none of later'}`)
process.exit(0)
SCRIPT
node_modules/.bin/node look.mjs 2> errors.txt | tee seen.txt || { cat errors.txt; exit 1; }
diff seen.txt - <<'EXPECTED'
prompts in the clone: fact-1, fact-2
sent as messages: nothing
sent as observations: fact-1, fact-2 and later ones
EXPECTED
echo 'As when it was found.'
