#!/usr/bin/env bash
# Droid 0.215.0: what an interrupted answer said is sent to the model until the session is resumed, and recorded nowhere.
#
# Expected: the messages of a session file are those that the model was sent, or the file says which are not. Seen: when a
# person interrupts an answer, what it had said so far stays in the window of the running program and is sent with the
# next prompts, as a message of the assistant. The file has only the two notes of the interruption. Another program that
# goes on with the session reads the file, so its model is not sent that message: the same conversation has two windows.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund droid@0.215.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n'))
const server = createServer(async (request, response) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const { messages, tools = [] } = JSON.parse(Buffer.concat(pieces))
  const texts = messages.filter(({ role, ...more }) => role !== 'system' && !textOf(more).includes('<system-reminder>')).map(textOf)
  const isTitle = tools.length === 0
  if (!isTitle) appendFileSync('sent.txt', `${texts.join(' | ')}\n`)
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.on('error', () => {})
  if (!isTitle && texts.at(-1) === 'long') {
    // It goes on until it is interrupted.
    response.write(event({ role: 'assistant', content: 'half an answer' }))
    return
  }
  response.write(event({ role: 'assistant', content: 'an answer' }))
  response.write(event({}, 'stop'))
  response.end('data: [DONE]\n\n')
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.factory work
cat > home/.factory/settings.json <<CONFIG
{ "customModels": [{ "model": "m", "displayName": "m", "baseUrl": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none",
    "maxOutputTokens": 8000, "provider": "generic-chat-completion-api" }] }
CONFIG
cat > drive.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const args = ['exec', '--input-format', 'stream-jsonrpc', '--output-format', 'stream-jsonrpc', '--auto', 'low']
function start() {
  const env = { ...process.env, HOME: `${process.cwd()}/home` }
  const child = spawn(`${process.cwd()}/node_modules/.bin/droid`, args, { cwd: 'work', env, stdio: ['pipe', 'pipe', 'ignore'] })
  let text = ''
  let calls = 0
  child.stdout.on('data', (piece) => (text += piece))
  const has = async (isDone) => {
    for (let tries = 0; tries < 300 && !isDone(); tries += 1) await wait(100)
  }
  const call = async (method, params) => {
    const id = String((calls += 1))
    const about = { jsonrpc: '2.0', factoryApiVersion: '1.0.0', type: 'request', method: `droid.${method}`, id, params }
    child.stdin.write(`${JSON.stringify(about)}\n`)
    const find = () => text.split('\n').find((line) => line.includes('"type":"response"') && line.includes(`"id":"${id}"`))
    await has(find)
    return JSON.parse(find() ?? '{}').result
  }
  const idle = () => text.split('"newState":"idle"').length
  const say = async (words) => {
    const before = idle()
    await call('add_user_message', { text: words })
    await has(() => idle() > before)
  }
  return { child, call, say, has }
}
const one = start()
const about = { machineId: 'm', cwd: `${process.cwd()}/work`, modelId: 'custom:m-0' }
const { sessionId } = await one.call('initialize_session', about)
await one.say('first')
const long = one.say('long')
await one.has(() => existsSync('sent.txt') && readFileSync('sent.txt', 'utf8').includes('long'))
await wait(1000)
await one.call('interrupt_session', {})
await long
await one.say('next')
one.child.kill('SIGKILL')
const other = start()
await other.call('load_session', { sessionId })
await other.say('resumed')
other.child.kill('SIGKILL')
const [name] = readdirSync('home/.factory/sessions', { recursive: true }).filter((path) => path.endsWith(`${sessionId}.jsonl`))
const records = readFileSync(`home/.factory/sessions/${name}`, 'utf8')
console.log(readFileSync('sent.txt', 'utf8').trim())
console.log(`the file has "half an answer": ${records.includes('half an answer')}`)
SCRIPT
node drive.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
first
first | an answer | long
first | an answer | long | half an answer | Request cancelled by user | Request interrupted by user | next
first | an answer | long | Request cancelled by user | Request interrupted by user | next | an answer | resumed
the file has "half an answer": false
EXPECTED
echo 'As when it was found.'
