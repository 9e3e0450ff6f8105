#!/usr/bin/env bash
# Observational memory of Mastra (@mastra/memory 1.31.0 with @mastra/core 1.71.0), without buffering (`bufferTokens:
# false`): a result of a tool with which the messages reach the threshold is never sent to the model that called the tool.
#
# Expected: what is observed leaves the window with the next turn, or at least the model is sent once what it asked for.
# Seen: the observer runs within the turn, before the step that would send the result. It replaces all messages by its
# observations, the prompt of this turn, the call and its result among them, so the next request ends with a reminder to
# go on. The result is in the database and in the observer's request, and in no request of the agent. With buffering,
# which is the default, the same result is sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @mastra/core@1.71.0 @mastra/memory@1.31.0 @mastra/libsql@1.23.1 zod@4.6.4
cat > try.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'

const words = (name, count) => Array.from({ length: count }, (_, at) => `${name}${(at * 7919) % 1009}`).join(' ')
const sent = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages, tools, stream } = JSON.parse(body)
    const isAsked = tools && messages.at(-1).role === 'user' && JSON.stringify(messages.at(-1)).includes('use the tool')
    if (tools) sent.push(messages)
    const observed = `<observations>\nDate: Mar 2, 2026\n* the person asked for ${words('fact', 50)}\n</observations>`
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const said = tools ? 'an answer' : observed
    const message = { role: 'assistant', ...(isAsked ? { content: null, tool_calls: [call] } : { content: said }) }
    const finish = isAsked ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const about = { id: 'c', created: 1, model: 'm' }
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason: finish }]
      return response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }))
    }
    for (const choice of [{ delta: message }, { delta: {}, finish_reason: finish }]) {
      const chunk = { ...about, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], usage }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const model = { id: 'scripted/m', url: `http://127.0.0.1:${server.address().port}/v1`, apiKey: 'none' }
const look = createTool({
  id: 'look',
  description: 'looks',
  inputSchema: z.object({}),
  execute: async () => ({ seen: words('seen', 300) }),
})
for (const buffering of [{ bufferTokens: false }, {}]) {
  sent.length = 0
  const name = 'bufferTokens' in buffering ? 'without' : 'with'
  const observation = { messageTokens: 1500, ...buffering }
  const reflection = { observationTokens: 9000 }
  const memory = new Memory({
    storage: new LibSQLStore({ id: name, url: `file:${name}.db` }),
    options: { observationalMemory: { model, scope: 'thread', observation, reflection } },
  })
  const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, memory, tools: { look } })
  const about = { memory: { thread: 'thread', resource: 'person' }, maxSteps: 3 }
  for (const prompt of [1, 2, 3].map((n) => `prompt ${n}: ${words(`word${n}x`, 160)}`)) await agent.generate(prompt, about)
  await agent.generate('use the tool', about)
  await agent.generate('and then?', about)
  const stored = await memory.recall({ threadId: 'thread', perPage: false })
  const has = (what) => (JSON.stringify(what).includes('seen0 seen') ? 'with' : 'without')
  console.log(`${name} buffering: stored ${has(stored.messages)} the result`)
  for (const messages of sent.slice(3)) {
    const last = JSON.stringify(messages.at(-1).content)
    const end = last.includes('<system-reminder>') ? 'a reminder' : messages.at(-1).role === 'tool' ? 'the result' : last
    console.log(`  sent ${has(messages)} the result, ends with ${end}`)
  }
}
process.exit(0)
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt || { cat errors.txt; exit 1; }
diff seen.txt - <<'EXPECTED'
without buffering: stored with the result
  sent without the result, ends with "use the tool"
  sent without the result, ends with a reminder
  sent without the result, ends with "and then?"
with buffering: stored with the result
  sent without the result, ends with "use the tool"
  sent with the result, ends with the result
  sent with the result, ends with "and then?"
EXPECTED
