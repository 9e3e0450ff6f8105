#!/usr/bin/env bash
# codeburn 0.9.15, which adds up what agents spent, beside three of them: too little of Codex 0.171.0, too much of Pi 1.6.0
# and of Qwen Code 0.24.4. `codeburn audit` names the raw fields of each, and agrees with itself.
#
# Expected: each request that the model got is counted once, and a cached token is input once.
# Seen:
# - Codex: the first request of a forked session is not counted. The file of a fork begins with the new prompt, and with
#   totals that go on from its parent; what it asked first is taken for the history of the parent.
# - Pi: a fork copies all entries under their ids, and its answers are counted again.
# - Qwen Code: `promptTokenCount` includes what was cached. It is counted as input beside the cached tokens, so that 600
#   cached of 1,000 tokens are 1,600 (of the files of Gemini CLI, which have the same fields, it is taken off).
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 codeburn@0.9.15 @openai/codex@0.171.0 \
  @earendil-works/pi-coding-agent@1.6.0 @qwen-code/qwen-code@0.24.4
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const requests = { responses: 0, completions: 0 }
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(404).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (request.url.endsWith('/responses')) {
      const id = `resp_${(requests.responses += 1)}`
      const content = [{ type: 'output_text', text: `answer ${id}`, annotations: [] }]
      const item = { type: 'message', role: 'assistant', id: `msg_${id}`, content, status: 'completed' }
      const usage = {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 600 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 1005,
      }
      for (const event of [
        { type: 'response.created', response: { id } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
      ])
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      return response.end()
    }
    const id = `c${(requests.completions += 1)}`
    const usage = {
      prompt_tokens: 1000,
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens: 5,
      total_tokens: 1005,
    }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: `answer ${id}` } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
    ]
    const shared = { id, object: 'chat.completion.chunk', model: 'm', created: 1 }
    for (const chunk of chunks) response.write(`data: ${JSON.stringify({ ...shared, ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
address="http://127.0.0.1:$(cat port.txt)/v1"
mkdir -p home/.codex home/.pi/agent work
export HOME="$folder/home"
cat > home/.codex/config.toml <<CONFIG
model = "m"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "$address"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
CONFIG
cat > home/.pi/agent/models.json <<MODELS
{"providers": {"mock": {"baseUrl": "$address", "apiKey": "none", "api": "openai-completions", "models": [{"id": "m"}]}}}
MODELS
cd work
codex() { SCRIPTED_KEY=none command codex exec "$@" --skip-git-repo-check < /dev/null > /dev/null 2>&1; }
codex 'first prompt'
codex fork "$(find "$HOME/.codex" -name '*.jsonl' | sed -E 's/.*-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl/\1/')" 'in the fork'
pi() { command pi --provider mock --model m "$@" < /dev/null > /dev/null 2>&1; }
pi -p 'first prompt'
pi --fork "$(find "$HOME/.pi" -name '*.jsonl')" -p 'in the fork'
OPENAI_BASE_URL="$address" OPENAI_API_KEY=none OPENAI_MODEL=m qwen --auth-type openai -p 'a prompt' < /dev/null > /dev/null 2>&1
cd ..
codeburn audit --period all --format json 2> /dev/null > audit.json
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const records = (place) => readdirSync(`home/${place}`, { recursive: true }).filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(`home/${place}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
const answers = {
  codex: records('.codex/sessions').filter(({ type }) => type === 'token_usage_record').length,
  pi: new Set(records('.pi/agent/sessions').flatMap(({ id, message }) => (message?.role === 'assistant' ? [id] : []))).size,
  qwen: records('.qwen/projects').filter(({ type, usageMetadata }) => type === 'assistant' && usageMetadata).length,
}
for (const { provider, calls, raw } of JSON.parse(readFileSync('audit.json', 'utf8')).sort((a, b) => (a.provider < b.provider ? -1 : 1))) {
  const all = raw.inputTokens + raw.cacheReadInputTokens
  console.log(`${provider}: ${answers[provider]} answers of 1000 input tokens each, counted as ${calls} with ${all}`)
}
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
codex: 2 answers of 1000 input tokens each, counted as 1 with 1000
pi: 2 answers of 1000 input tokens each, counted as 3 with 3000
qwen: 1 answers of 1000 input tokens each, counted as 1 with 1600
EXPECTED
echo 'As when it was found.'
