#!/usr/bin/env bash
# Kimi Code 2.1.0 over the Agent Client Protocol (`kimi acp`), as editors run it: loading a session that was compacted shows
# the window of the model in the place of the conversation, and the texts of the program as said by the person.
#
# Expected: `session/load` replays the whole conversation, as the protocol asks. Seen: what the model said and ran before
# a compaction is missing, although the file of the session has all of it (`wire.jsonl`), and it was replayed as long as there
# was no compaction. The prompts stand there as a list. Behind them comes the summary as a message of the person, with the
# instructions to the model around it. Reminders of the program are messages of the person, too, also without a compaction.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @moonshot-ai/kimi-code@2.1.0
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const { messages, tools = [] } = JSON.parse(body)
    requests += 1
    const isSummary = /summar/i.test(JSON.stringify(messages.at(-1)))
    const number = JSON.stringify(messages).match(/PROMPT-\d/g)?.at(-1)?.at(-1)
    const isCall = !isSummary && number === '1' && messages.at(-1).role !== 'tool'
    const name = tools.map((tool) => tool.function.name).find((tool) => tool === 'Bash')
    const call = { index: 0, id: `c${requests}`, type: 'function', function: { name, arguments: '{"command":"echo RESULT"}' } }
    const delta = { role: 'assistant', content: isSummary ? 'SUMMARY' : `ANSWER-${number}`, ...(isCall ? { tool_calls: [call] } : {}) }
    const base = { id: `chat-${requests}`, object: 'chat.completion.chunk', created: 1, model: 'm' }
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
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
mkdir -p home/.kimi-code work
cat > home/.kimi-code/config.toml <<CONFIG
default_model = "m"
default_permission_mode = "yolo"
telemetry = false
[providers.scripted]
type = "openai"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
api_key = "none"
[models.m]
provider = "scripted"
model = "m"
max_context_size = 200000
CONFIG
export HOME="$folder/home"
cat > editor.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
const place = { cwd: `${process.cwd()}/work`, mcpServers: [] }
/** Starts the agent, as an editor does, and keeps what it is told to show. */
async function opened() {
  const agent = spawn('kimi', ['acp'], { cwd: 'work', stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  const shown = []
  const write = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface(agent.stdout).on('line', (line) => {
    const { id, result, method, params } = JSON.parse(line)
    const outcome = () => ({ outcome: 'selected', optionId: params.options[0].optionId })
    if (method === 'session/request_permission') write({ id, result: { outcome: outcome() } })
    else if (method === 'session/update') shown.push(params.update)
    else if (method === undefined) waiting.get(id)?.(result)
  })
  let newest = 0
  const ask = (method, params) => new Promise((done) => {
    waiting.set((newest += 1), done)
    write({ id: newest, method, params })
  })
  await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const close = async () => {
    await setTimeout(1000)
    agent.stdin.end()
    agent.kill()
    await once(agent, 'exit')
  }
  return { ask, close, shown }
}
const kinds = { user_message_chunk: 'person', agent_message_chunk: 'model', tool_call: 'call' }
function told({ sessionUpdate, content }) {
  const kind = kinds[sessionUpdate]
  if (kind === undefined) return []
  if (kind === 'call') return [kind]
  const { text = '' } = content
  const word = text.match(/^(?:PROMPT|ANSWER)-\d$/)?.[0]
  const other = text.includes('SUMMARY') ? '(summary)' : text.includes('system-reminder') ? '(reminder)' : '(other)'
  return [`${kind} ${word ?? other}`]
}
const show = (name, shown) => console.log(`${name}: ${shown.flatMap(told).join(', ')}`)
const first = await opened()
const { sessionId } = await first.ask('session/new', place)
const prompt = (agent, text) => agent.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
for (const text of ['PROMPT-1', 'PROMPT-2']) await prompt(first, text)
await first.close()
const second = await opened()
await second.ask('session/load', { sessionId, ...place })
await setTimeout(1000)
show('loaded', second.shown)
await prompt(second, '/compact')
await setTimeout(3000)
await prompt(second, 'PROMPT-3')
await second.close()
const third = await opened()
await third.ask('session/load', { sessionId, ...place })
await third.close()
show('loaded after a compaction', third.shown)
SCRIPT
{
  node editor.mjs
  echo "answers in the file: $(grep -rhoE 'ANSWER-[0-9]' home/.kimi-code/sessions | sort -u | tr '\n' ' ')"
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
loaded: person PROMPT-1, person (reminder), model ANSWER-1, call, model ANSWER-1, person PROMPT-2, model ANSWER-2
loaded after a compaction: person PROMPT-1, person PROMPT-2, person (summary), person (reminder), person PROMPT-3, person (reminder), model ANSWER-3
answers in the file: ANSWER-1 ANSWER-2 ANSWER-3 
EXPECTED
echo 'As when it was found.'
