#!/usr/bin/env bash
# Codex 0.171.0: a session in which a person went back is several files, and the older ones do not say that their ends were
# taken back.
#
# Expected: the file of a session says that turns were taken back, as the event `thread_rolled_back` of earlier versions
# did. Seen: `thread/revert` (Escape twice) leaves the file as it is and begins another one with the same session id and an
# id of its own in its name. Its `history_base` names the number of the record before which it begins, and records are
# numbered from there again, so that the same numbers stand in both files for different messages. Back at the beginning,
# there is no `history_base`. Whoever reads the files of a session one after the other gets prompts that the model is no
# longer sent, and whoever joins records by number loses those that were said instead.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @openai/codex@0.171.0
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { appendFileSync } from 'node:fs'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!request.url.endsWith('/responses')) return response.writeHead(404).end('{}')
    requests += 1
    const texts = JSON.parse(body).input.map(({ content }) => content?.[0]?.text ?? '')
    appendFileSync('prompts.txt', `${texts.filter((text) => /^(one|two|three)$/.test(text)).join(' ')}\n`)
    const id = `resp_${requests}`
    const content = [{ type: 'output_text', text: 'An answer.', annotations: [] }]
    const item = { type: 'message', role: 'assistant', id: `msg_${requests}`, content, status: 'completed' }
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1000,
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > home/config.toml <<CONFIG
model = "m"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
CONFIG
cat > drive.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
const env = { ...process.env, CODEX_HOME: `${process.cwd()}/home`, SCRIPTED_KEY: 'none' }
const server = spawn('node_modules/.bin/codex', ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
const ended = []
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.method === 'turn/completed') ended.shift()?.()
  const settle = waiting.get(message.id)
  if (settle && message.method === undefined) settle(message)
})
let id = 0
const call = (method, params) =>
  new Promise((resolve, reject) => {
    id += 1
    waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)))
    server.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
  })
await call('initialize', {
  clientInfo: { name: 'drive', title: null, version: '1' },
  capabilities: { experimentalApi: true },
})
server.stdin.write(`${JSON.stringify({ method: 'initialized' })}\n`)
const { thread } = await call('thread/start', { cwd: `${process.cwd()}/work` })
const say = async (text) => {
  const end = new Promise((resolve) => ended.push(resolve))
  const { turn } = await call('turn/start', { threadId: thread.id, input: [{ type: 'text', text, text_elements: [] }] })
  await end
  return turn.id
}
const beginning = await say('one')
const second = await say('two')
await call('thread/revert', { threadId: thread.id, beforeTurnId: second })
await say('three')
await call('thread/revert', { threadId: thread.id, beforeTurnId: beginning })
await say('two')
server.kill()
SCRIPT
node drive.mjs
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const names = readdirSync('home/sessions', { recursive: true }).filter((name) => name.endsWith('.jsonl')).sort()
const files = names.map((name) =>
  readFileSync(`home/sessions/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
const prompts = (records) =>
  records
    .filter(({ type, payload }) => type === 'response_item' && payload.role === 'user')
    .map(({ ordinal, payload }) => ({ ordinal, text: payload.content[0].text }))
    .filter(({ text }) => /^(one|two|three)$/.test(text))
const [first, second, third] = files
const ids = new Set(files.map(([meta]) => meta.payload.id))
const [{ payload }] = second
const two = prompts(first).at(-1)
console.log(`files: ${files.length}, session ids: ${ids.size}`)
console.log(`prompts in the first: ${prompts(first).map(({ text }) => text).join(' ')}`)
console.log(`prompts in the second: ${prompts(second).map(({ text }) => text).join(' ')}`)
console.log(`the first says that one was taken back: ${/rolled_back|revert/.test(JSON.stringify(first))}`)
console.log(`the second begins before the record of "two": ${payload.history_base.end_ordinal_exclusive <= two.ordinal}`)
console.log(`a number stands in both: ${second.some(({ ordinal }) => ordinal === two.ordinal)}`)
console.log(`the third, back at the beginning, says where it begins: ${third[0].payload.history_base !== undefined}`)
const requests = readFileSync('prompts.txt', 'utf8').trim().split('\n')
console.log(`the last two requests had: ${requests.slice(-2).join(', ')}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
files: 3, session ids: 1
prompts in the first: one two
prompts in the second: three
the first says that one was taken back: false
the second begins before the record of "two": true
a number stands in both: true
the third, back at the beginning, says where it begins: false
the last two requests had: one three, two
EXPECTED
echo 'As when it was found.'
