#!/usr/bin/env bash
# @langchain/anthropic 1.5.11: what a compaction by the provider cost is in no usage of an answer. The AI SDK
# (@ai-sdk/anthropic 4.0.105) counts it for the same answer.
#
# Expected: `usage_metadata` of an answer has the tokens that were paid for it.
# Seen: when the provider compacts a long conversation within a request (`context_management`), its `usage` has the tokens
# of the answer alone, and those of the compaction stand in `iterations` beside it. LangChain takes the first: 23,000 input
# tokens where 203,000 were paid for, streamed or not. The rest stands in `response_metadata`, and of an answer that was
# streamed nowhere. The requests that cost most look small in every sum of `usage_metadata`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @langchain/anthropic@1.5.11 @langchain/core@1.4.0 \
  @ai-sdk/anthropic@4.0.105 ai@7.0.173
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { createAnthropic } from '@ai-sdk/anthropic'
import { ChatAnthropic } from '@langchain/anthropic'
import { generateText, streamText } from 'ai'
const iterations = [
  { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
  { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
]
const content = [{ type: 'compaction', content: 'what was said' }, { type: 'text', text: 'the answer' }]
const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
const usage = { input_tokens: 23_000, output_tokens: 1000, iterations }
const started = { input_tokens: 23_000, output_tokens: 0 }
/** The events of the same answer, streamed. */
const events = [
  { type: 'message_start', message: { ...about, content: [], stop_reason: null, usage: started } },
  { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'what was said' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'the answer' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
]
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { stream } = JSON.parse(body)
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    if (!stream) return response.end(JSON.stringify({ ...about, content, stop_reason: 'end_turn', usage }))
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`
const counted = (answer) => {
  const { input_tokens: input, output_tokens: output } = answer.usage_metadata
  return `${input} and ${output} tokens; in the metadata the compaction is ${
    JSON.stringify(answer.response_metadata).includes('180000') ? 'found' : 'not found'}`
}
const model = new ChatAnthropic({
  model: 'claude-opus-4-6', apiKey: 'none', anthropicApiUrl: url, maxRetries: 0,
  contextManagement: { edits: [{ type: 'compact_20260112' }] },
})
console.log(`LangChain: ${counted(await model.invoke('Go on.'))}`)
let joined
for await (const chunk of await model.stream('Go on.')) joined = joined === undefined ? chunk : joined.concat(chunk)
console.log(`LangChain, streamed: ${counted(joined)}`)
const provider = createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })
const asked = {
  model: provider('claude-opus-4-6'), prompt: 'Go on.', maxRetries: 0,
  providerOptions: { anthropic: { contextManagement: { edits: [{ type: 'compact_20260112' }] } } },
}
for (const [name, ask] of [['AI SDK', generateText], ['AI SDK, streamed', streamText]]) {
  const { inputTokens, outputTokens } = await (await ask(asked)).usage
  console.log(`${name}: ${inputTokens} and ${outputTokens} tokens`)
}
server.close()
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
LangChain: 23000 and 1000 tokens; in the metadata the compaction is found
LangChain, streamed: 23000 and 1000 tokens; in the metadata the compaction is not found
AI SDK: 203000 and 4500 tokens
AI SDK, streamed: 203000 and 4500 tokens
EXPECTED
echo 'As when it was found.'
