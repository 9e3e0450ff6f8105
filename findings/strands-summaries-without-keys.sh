#!/usr/bin/env bash
# Strands Agents for TypeScript (@strands-agents/sdk 1.19.0) with `contextManager: 'auto'`: everything that a summary
# replaces is kept, and the model is never told the key under which it could ask for it.
#
# Expected: what the tool `retrieve_context` tells the model of itself, that summarised content leaves a reference key in
# its place. Seen: a summary of messages says how many there were and has no key. Keys stand only in the place of single
# results that were too long. All messages lie in the store, and no request names one of them. The summariser is sent the
# results of tools without the calls, and each summary is joined to the first message, which is never summarised, so the
# summaries only add up.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @strands-agents/sdk@1.19.0 openai@6.45.0 zod@4.6.4
cat > try.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { Agent, tool } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { z } from 'zod'

const toAgent = []
const toSummariser = []
const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const { messages, tools } = JSON.parse(text)
  if (tools) toAgent.push({ text, messages, tools })
  else toSummariser.push(text)
  const isAsked = messages.at(-1).role === 'user' && JSON.stringify(messages.at(-1)).includes('look up')
  const call = { index: 0, id: 'call-a', type: 'function', function: { name: 'look', arguments: '{"what":"host-4711"}' } }
  const delta = !tools ? { content: 'a summary' } : isAsked ? { tool_calls: [call] } : { content: 'done' }
  const prompt_tokens = Math.ceil(text.length / 4)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const more of [
    { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: delta.tool_calls ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 } },
  ]) {
    response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', ...more })}\n\n`)
  }
  response.end('data: [DONE]\n\n')
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const baseURL = `http://127.0.0.1:${server.address().port}/v1`
const model = new OpenAIModel({ api: 'chat', modelId: 'm', apiKey: 'none', clientConfig: { baseURL }, contextWindowLimit: 2000 })
const look = tool({
  name: 'look',
  description: 'looks',
  inputSchema: z.object({ what: z.string() }),
  callback: () => 'port 8123',
})
const agent = new Agent({ model, tools: [look], contextManager: 'auto', printer: false })
await agent.invoke('hello')
await agent.invoke('look up the port')
for (let number = 0; number < 8; number += 1) await agent.invoke(`note ${number} `.repeat(200))
server.close()
const last = toAgent.at(-1)
const { description } = last.tools.map((each) => each.function).find(({ name }) => name === 'retrieve_context')
console.log(`the tool promises a key: ${description.includes('a reference key is left in its place')}`)
const keys = await agent.contextManager.stash.list()
console.log(`messages and results in the store: ${keys.length}, named in a request: ${keys.filter((key) => last.text.includes(key)).length}`)
console.log(`requests with a reference: ${toAgent.filter(({ messages }) => JSON.stringify(messages).includes('[ref')).length}`)
console.log(`summaries: ${toSummariser.length}, in the first message: ${JSON.stringify(last.messages[0]).split('[Summarized: ').length - 1}`)
console.log(`the summariser saw the result: ${toSummariser[0].includes('port 8123')}, the call: ${toSummariser[0].includes('host-4711')}`)
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
the tool promises a key: true
messages and results in the store: 21, named in a request: 0
requests with a reference: 0
summaries: 3, in the first message: 3
the summariser saw the result: true, the call: false
EXPECTED
