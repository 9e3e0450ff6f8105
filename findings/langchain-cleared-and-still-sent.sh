#!/usr/bin/env bash
# contextEditingMiddleware of LangChain 1.5.14 with Claude (@langchain/anthropic 1.5.11): the stored conversation loses
# what was only to be left out of a request, and no longer has what is still sent.
#
# Expected: `ClearToolUsesEdit` puts "[cleared]" in the place of older results in the request, with `clearToolInputs` also
# leaves out what the tools were called with, and the conversation that the checkpointer keeps has both.
# Seen: the edit changes the messages of the agent's state. The results are gone from the newest checkpoint, and so is the
# usage of each answer whose call was cleared. With `clearToolInputs` the calls of that checkpoint (`tool_calls`) have no
# arguments. The model is sent all of them, as an answer of Claude also has its calls in its content and the request is
# made of that: what the memory calls cleared takes the same room as before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 langchain@1.5.14 @langchain/core@1.4.0 @langchain/anthropic@1.5.11 \
  @langchain/langgraph@1.7.3 zod@4.6.4
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { ChatAnthropic } from '@langchain/anthropic'
import { MemorySaver } from '@langchain/langgraph'
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, tool } from 'langchain'
import { z } from 'zod'
const calls = 3
const requests = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const number = requests.push(JSON.parse(body).messages)
    const input = { path: `${number}.txt`, text: 'word '.repeat(800) }
    const call = { type: 'tool_use', id: `call_${number}`, name: 'write', input }
    const content = number > calls ? [{ type: 'text', text: 'done' }] : [{ type: 'text', text: 'It writes.' }, call]
    const usage = { input_tokens: 1000, output_tokens: 5 }
    const about = { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'm', usage }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...about, content, stop_reason: number > calls ? 'end_turn' : 'tool_use' }))
  })
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const anthropicApiUrl = `http://127.0.0.1:${server.address().port}`
const execute = async ({ path }) => `${path} had before: ${'old '.repeat(800)}`
const schema = z.object({ path: z.string(), text: z.string() })
const edit = new ClearToolUsesEdit({ trigger: { tokens: 2000 }, keep: { messages: 1 }, clearToolInputs: true })
const agent = createAgent({
  model: new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl, maxRetries: 0, maxTokens: 1000 }),
  tools: [tool(execute, { name: 'write', description: 'Writes a file.', schema })],
  checkpointer: new MemorySaver(),
  middleware: [contextEditingMiddleware({ edits: [edit] })],
})
const config = { configurable: { thread_id: 'one' } }
await agent.invoke({ messages: [{ role: 'user', content: 'Write the files.' }] }, config)
const size = (text) => (text === '[cleared]' ? 'cleared' : text.length > 1000 ? 'whole' : text)
const blocks = requests.at(-1).flatMap(({ content }) => (Array.isArray(content) ? content : []))
const sentCalls = blocks.filter(({ type }) => type === 'tool_use').map(({ input }) => size(JSON.stringify(input)))
const sentResults = blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => size(content))
console.log(`sent last: calls ${sentCalls.join(', ')}; results ${sentResults.join(', ')}`)
const { messages } = (await agent.getState(config)).values
const keptCalls = messages.flatMap((message) => message.tool_calls ?? []).map(({ args }) => size(JSON.stringify(args)))
const keptResults = messages.filter((message) => message.getType() === 'tool').map(({ content }) => size(content))
const counted = messages.filter(({ usage_metadata: usage }) => usage !== undefined).length
console.log(`kept: calls ${keptCalls.join(', ')}; results ${keptResults.join(', ')}`)
console.log(`answers: ${requests.length}, with usage: ${counted}`)
server.close()
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sent last: calls whole, whole, whole; results cleared, cleared, whole
kept: calls {}, {}, whole; results cleared, cleared, whole
answers: 4, with usage: 2
EXPECTED
echo 'As when it was found.'
