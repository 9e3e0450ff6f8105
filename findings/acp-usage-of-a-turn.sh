#!/usr/bin/env bash
# Two agents that say over the Agent Client Protocol what a prompt used: GitHub Copilot CLI 1.0.102 says what all prompts
# since its start used, and opencode 1.18.33 what the last request of the prompt used.
#
# Expected: the usage in the answer to `session/prompt` means the same with every agent. The schema of the protocol says of the
# field that it is that of the turn, and of the numbers in it that they are those of all turns.
# Seen: three requests had 1,000, 2,000 and 4,000 input tokens, the second and third for one prompt, so the prompts used 1,000
# and 6,000, and all turns 7,000. Copilot says 1,000 and 7,000: whoever adds up its answers counts each prompt again with
# every later one. opencode says 1,000 and 4,000, which is neither: whoever adds up its answers misses all requests of a turn
# but the last, and whoever takes the newest for the sum misses nearly everything. Nothing tells one from the other.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @github/copilot@1.0.102 opencode-ai@1.18.33
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const sizes = [1000, 2000, 4000]
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (request.url === '/again') requests = 0
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const { messages, tools = [] } = JSON.parse(body)
    const isBeside = tools.length === 0
    const size = isBeside ? 10 : sizes[requests]
    if (!isBeside) requests += 1
    const name = tools.map((tool) => tool.function.name).find((tool) => tool === 'bash')
    const isCall = !isBeside && requests === 2
    const input = JSON.stringify({ command: 'true', description: 'Does nothing' })
    const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: input } }
    const delta = { role: 'assistant', content: 'answer', ...(isCall ? { tool_calls: [call] } : {}) }
    const base = { id: `chat-${requests}`, object: 'chat.completion.chunk', created: 1, model: 'm' }
    const usage = { prompt_tokens: size, completion_tokens: 1, total_tokens: size + 1 }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of [
      { ...base, choices: [{ index: 0, delta }] },
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }] },
      { ...base, choices: [], usage },
    ])
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
url="http://127.0.0.1:$(cat port.txt)"
mkdir home work
export HOME="$folder/home" OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 COPILOT_OFFLINE=true COPILOT_MODEL=m
export COPILOT_PROVIDER_BASE_URL="$url/v1" COPILOT_PROVIDER_API_KEY=none
cat > work/opencode.json <<CONFIG
{
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "$url/v1", "apiKey": "none" },
      "models": { "m": { "name": "m", "limit": { "context": 200000, "output": 8000 } } }
    }
  },
  "model": "scripted/m",
  "autoupdate": false,
  "share": "disabled",
  "permission": "allow"
}
CONFIG
cat > editor.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
const [program, ...args] = process.argv.slice(2)
const agent = spawn(program, args, { cwd: 'work', stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
createInterface(agent.stdout).on('line', (line) => {
  const { id, result, method } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result)
})
let newest = 0
const ask = (method, params) => new Promise((done) => {
  waiting.set((newest += 1), done)
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: newest, method, params })}\n`)
})
await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
const { sessionId } = await ask('session/new', { cwd: `${process.cwd()}/work`, mcpServers: [] })
const used = []
for (const text of ['first prompt', 'second prompt']) {
  const { usage } = await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  used.push(usage.inputTokens)
}
console.log(`${program}: ${used.join(', ')}`)
agent.kill()
SCRIPT
{
  echo 'requests: 1000; 2000, 4000'
  node editor.mjs copilot --acp --allow-all-tools
  node -e "fetch('$url/again').catch(() => {})"
  node editor.mjs opencode acp
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
requests: 1000; 2000, 4000
copilot: 1000, 7000
opencode: 1000, 4000
EXPECTED
echo 'As when it was found.'
