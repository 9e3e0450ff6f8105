#!/usr/bin/env bash
# OpenClaw 2026.9.6: going back copies the whole session, so that the answers of all sessions cost twice what they did.
#
# Expected: when somebody goes back in a session (`sessions.rewind` of the gateway), the session goes on from there, and
# the database has each answer once. Seen: another session begins with copies of all events, also of those that were left
# behind, under their ids and with their usage, and the first session stays. The header of the new one does not name the
# first. `session_windows.previous_session_id` does, until the session is begun anew (`sessions.reset`): then it is empty,
# and nothing tells a copy from an event of its own except that both have the same id. Whoever adds up the usage of all
# sessions counts what was said before each going back once more.
set -euo pipefail
folder=$(mktemp -d)
model=
gateway=
trap 'for one in $gateway $model; do kill "$one" || true; done; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0
export PATH="$folder/node_modules/.bin:$PATH"
npm install --silent --no-audit --no-fund openclaw@2026.9.6
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'the answer' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks)
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.openclaw work
cat > home/.openclaw/openclaw.json <<CONFIG
{"models": {"mode": "merge", "providers": {"scripted": {"baseUrl": "http://127.0.0.1:$(cat port.txt)/v1",
  "apiKey": "none", "api": "openai-completions", "models": [{"id": "m", "name": "m", "reasoning": false,
  "input": ["text"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
  "contextWindow": 200000, "maxTokens": 8000}]}}},
 "agents": {"defaults": {"model": {"primary": "scripted/m"}, "workspace": "$folder/work"}}}
CONFIG
cat > free.mjs <<'SCRIPT'
import { createServer } from 'node:net'
const server = createServer().listen(0, '127.0.0.1', () => server.close(console.log(server.address().port)))
SCRIPT
port=$(node free.mjs)
cd work
HOME="$folder/home" node "$folder/node_modules/openclaw/openclaw.mjs" gateway run --allow-unconfigured --port "$port" \
  --auth none --bind loopback < /dev/null > "$folder/gateway.txt" 2>&1 &
gateway=$!
cd "$folder"
cat > look.mjs <<'SCRIPT'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const waiting = new Map()
const ended = new Set()
let socket
const once = (method, params) =>
  new Promise((resolve) => {
    const id = randomUUID()
    waiting.set(id, resolve)
    socket.send(JSON.stringify({ type: 'req', id, method, params }))
  })
const client = { id: 'gateway-client', version: '2026.9.6', platform: 'linux', mode: 'backend' }
const scopes = ['operator.admin', 'operator.read', 'operator.write']
const hello = { minProtocol: 4, maxProtocol: 4, client, role: 'operator', scopes, caps: [] }
/** Says whether the gateway has started. Until then it refuses or closes connections. */
async function isConnected() {
  socket = new WebSocket(`ws://127.0.0.1:${process.argv[2]}`)
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data)
    if (frame.type === 'res') waiting.get(frame.id)(frame)
    if (frame.event === 'chat' && frame.payload.state === 'final') ended.add(frame.payload.runId)
  }
  return new Promise((resolve) => {
    socket.onopen = async () => resolve((await once('connect', hello)).ok)
    socket.onerror = socket.onclose = () => resolve(false)
  })
}
for (let tries = 0; !(await isConnected()); tries += 1) {
  if (tries === 600) throw new Error('The gateway did not start.')
  await sleep(1000)
}
async function call(method, params) {
  for (let tries = 0; tries < 100; tries += 1) {
    const { ok, payload, error } = await once(method, params)
    if (ok) return payload
    if (!error.retryable) throw new Error(`${method}: ${error.message}`)
    await sleep(1000)
  }
}
const sessionKey = 'agent:main:main'
async function say(message) {
  const { runId } = await call('chat.send', { sessionKey, message, idempotencyKey: randomUUID() })
  while (!ended.has(runId)) await sleep(200)
  await sleep(1000)
}
const db = () => new DatabaseSync('home/.openclaw/agents/main/agent/openclaw-agent.sqlite', { readOnly: true })
const named = () =>
  db().prepare('SELECT previous_session_id IS NOT NULL AS named FROM session_windows ORDER BY created_at').all().at(-1).named

await say('first question')
await say('second question')
const { messages } = await call('chat.history', { sessionKey, limit: 10 })
const second = messages.findLast(({ role }) => role === 'user')
await call('sessions.rewind', { sessionKey, entryId: second.__openclaw.id })
await say('third question')
const before = named()
await call('sessions.reset', { key: sessionKey })
const rows = db().prepare('SELECT session_id AS session, event_json AS json, event_zstd AS packed FROM transcript_events').all()
const events = rows.map(({ session, json, packed }) => [session, JSON.parse(json ?? zstdDecompressSync(packed).toString())])
const answers = events.filter(([, { message }]) => message?.role === 'assistant')
const headers = events.filter(([, { type }]) => type === 'session').map(([, header]) => Object.keys(header).join(' '))
console.log(`sessions: ${headers.length}, each with the header: ${[...new Set(headers)].join(', ')}`)
console.log(`answers of the model: 3, recorded: ${answers.length}, of different ids: ${new Set(answers.map(([, { id }]) => id)).size}`)
console.log(`input tokens by the model: 3000, recorded: ${answers.reduce((sum, [, { message }]) => sum + message.usage.input, 0)}`)
console.log(`the other session is named: before it begins anew ${before === 1}, after that ${named() === 1}`)
socket.close()
SCRIPT
node --no-warnings look.mjs "$port" | tee seen.txt
diff seen.txt - <<'EXPECTED'
sessions: 2, each with the header: type version id timestamp cwd
answers of the model: 3, recorded: 5, of different ids: 3
input tokens by the model: 3000, recorded: 5000
the other session is named: before it begins anew true, after that false
EXPECTED
echo 'As when it was found.'
