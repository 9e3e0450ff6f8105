#!/usr/bin/env bash
# tokenlens 1.3.1, which says what a request cost and how full a window is from the usage that the AI SDK reports: what was
# cached costs as much as what was not (ai 7.0.173), or that and its own price once more (ai 5.0.277).
#
# Expected: of 1,000 input tokens, 600 of which were read from the cache, 400 cost the price of input and 600 that of reading
# from a cache, a tenth of it here.
# Seen: `inputTokens` of the SDK includes what was cached, in both versions. All of it is taken at the price of input. In
# version 5 the cached tokens stand beside it (`cachedInputTokens`) and are added at their own price, too; since then they
# stand in `inputTokenDetails`, which is not read. An agent whose window is nearly all cached is said to cost up to ten times
# as much as it does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps tokenlens@1.3.1 ai@7.0.173 @ai-sdk/openai-compatible@2.0.92 \
  zod@4.6.4 five@npm:ai@5.0.277 five-provider@npm:@ai-sdk/openai-compatible@1.0.61
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'
import * as five from 'five'
import * as fiveProvider from 'five-provider'
import { estimateCost } from 'tokenlens'
const usage = {
  prompt_tokens: 1000,
  prompt_tokens_details: { cached_tokens: 600 },
  completion_tokens: 100,
  completion_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1100,
}
const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }]
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
  })
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const options = { name: 'scripted', baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: 'none' }
// 3 dollars for a million tokens of input, 0.30 for reading them from the cache, 15 for output.
const modelId = 'amazon-bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0'
const right = (400 * 3 + 600 * 0.3 + 100 * 15) / 1e6
for (const [name, generate, create] of [
  ['ai 7', generateText, createOpenAICompatible],
  ['ai 5', five.generateText, fiveProvider.createOpenAICompatible],
]) {
  const { usage: reported } = await generate({ model: create(options)('m'), prompt: 'hello' })
  const cached = reported.inputTokenDetails?.cacheReadTokens ?? reported.cachedInputTokens
  const { totalUSD } = estimateCost({ modelId, usage: reported })
  console.log(`${name}: ${reported.inputTokens} input tokens, ${cached} of them cached; ${totalUSD.toFixed(5)} dollars instead of ${
    right.toFixed(5)}`)
}
server.close()
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
ai 7: 1000 input tokens, 600 of them cached; 0.00450 dollars instead of 0.00288
ai 5: 1000 input tokens, 600 of them cached; 0.00468 dollars instead of 0.00288
EXPECTED
echo 'As when it was found.'
