#!/usr/bin/env bash
# ai-tokenizer 1.0.6, which counts the tokens of messages and tools of the AI SDK (`ai-tokenizer/sdk`) with ai 7.0.173: what
# the model thought counts as nothing, tools whose input is described in JSON Schema count as their name, and a picture costs
# 100 tokens or 140,000, depending on who sent it.
#
# Expected: the estimate grows with what the request has. Seen: parts of the kind `reasoning` are passed over, though
# a provider sends them again with every request. Properties of the input of a tool are read from schemas of Zod alone, and
# there only where they are not optional: tools of the Model Context Protocol, which have JSON Schema, are a few tokens each.
# A picture that the person sent counts as 100, and the same one in the result of a tool as the text of its base64. Whoever
# compacts by this number does so too late after long thoughts, and at once after the first screenshot.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 ai-tokenizer@1.0.6 ai@7.0.173 \
  @ai-sdk/openai-compatible@2.0.92 zod@4.6.4
export PATH="$folder/node_modules/.bin:$PATH"
cat > look.mjs <<'SCRIPT'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, tool } from 'ai'
import Tokenizer, { models } from 'ai-tokenizer'
import * as encoding from 'ai-tokenizer/encoding'
import { count } from 'ai-tokenizer/sdk'
import { z } from 'zod'
const model = models['openai/gpt-5']
const tokenizer = new Tokenizer(encoding[model.encoding])
const tokens = (messages, tools) => count({ tokenizer, model, messages, tools }).total
const words = 'something to think of '.repeat(500)
const said = (type) => ({ role: 'assistant', content: [{ type, text: words }] })
console.log(`an answer of 2,000 words: ${tokens([said('text')])}; a thought of as many: ${tokens([said('reasoning')])}`)
let sent
const fetch = async (_, { body }) => {
  sent = body
  const choices = [{ index: 0, message: { role: 'assistant', content: 'answer' }, finish_reason: 'stop' }]
  const told = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices })
  return new Response(told, { headers: { 'content-type': 'application/json' } })
}
const provider = createOpenAICompatible({ name: 'scripted', baseURL: 'http://127.0.0.1/v1', fetch })
const content = [...said('reasoning').content, { type: 'text', text: 'said' }]
const messages = [{ role: 'user', content: 'first' }, { role: 'assistant', content }, { role: 'user', content: 'second' }]
await generateText({ model: provider('m'), messages })
console.log(`the thought is in the request: ${sent.includes(words.trim())}`)
const names = Array.from({ length: 50 }, (_, number) => `property_${number}`)
const described = z.string().describe('what this property is for, in some words')
const input = z.object(Object.fromEntries(names.map((name) => [name, described])))
const given = (inputSchema) => tokens([], { search: tool({ description: 'Searches.', inputSchema }) })
console.log(`a tool with 50 properties, in Zod: ${given(input)}; the same as JSON Schema: ${
  given(jsonSchema(z.toJSONSchema(input)))}; in an optional object: ${given(z.object({ filter: input.optional() }))}`)
const data = Buffer.alloc(165_000).toString('base64').replace(/AAAAAAAA/g, 'iVBORw0K')
const picture = { type: 'file', mediaType: 'image/png', data }
const value = [{ type: 'media', mediaType: 'image/png', data }]
const result = { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'content', value } }
console.log(`a picture of the person: ${tokens([{ role: 'user', content: [picture] }])}; of a tool: more than ${
  Math.floor(tokens([{ role: 'tool', content: [result] }]) / 10_000) * 10_000}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
an answer of 2,000 words: 2011; a thought of as many: 10
the thought is in the request: true
a tool with 50 properties, in Zod: 887; the same as JSON Schema: 35; in an optional object: 41
a picture of the person: 110; of a tool: more than 130000
EXPECTED
echo 'As when it was found.'
