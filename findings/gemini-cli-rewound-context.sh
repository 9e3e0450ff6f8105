#!/usr/bin/env bash
# Gemini CLI 0.61.0: after a person went back, the model is no longer told where it works, until the next compression.
#
# Expected: going back to an earlier prompt leaves what stands before it in the window.
# Seen: the first message of every request tells the date, the system and the folders (`session_context`). After
# `/rewind` the requests begin with the first prompt, and the list of messages that the session's file gets for it does not
# have that message either. A compression puts it in again. The same prompts cost fewer tokens after a step back than
# before, and a model that is asked for today's date or its folder does not know.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @google/gemini-cli@0.61.0 @lydell/node-pty@1.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const isStream = request.url.includes('stream')
  if (isStream) {
    const texts = JSON.parse(Buffer.concat(chunks)).contents.flatMap(({ parts }) => parts.map(({ text }) => text ?? ''))
    const shown = texts.map((text) => (text.includes('<session_context>') ? 'context' : text))
    appendFileSync('requests.txt', `${shown.filter((text) => /^(context|one|two|three)$/.test(text)).join(' ')}\n`)
  }
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 5, totalTokenCount: 1005 }
  const candidates = [{ content: { role: 'model', parts: [{ text: 'An answer.' }] }, finishReason: 'STOP' }]
  const answer = JSON.stringify({ candidates, usageMetadata, totalTokens: 1000 })
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? `data: ${answer}\n\n` : answer)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.gemini work
cat > home/.gemini/settings.json <<'SETTINGS'
{ "security": { "auth": { "selectedType": "gemini-api-key" } }, "ui": { "theme": "Default" } }
SETTINGS
cat > drive.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import pty from '@lydell/node-pty'
const folder = process.cwd()
const env = {
  ...process.env,
  HOME: `${folder}/home`,
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  GEMINI_API_KEY: 'none',
  GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${readFileSync('port.txt', 'utf8').trim()}`,
}
const options = { name: 'xterm-256color', cols: 120, rows: 40, cwd: `${folder}/work`, env }
const terminal = pty.spawn(`${folder}/node_modules/.bin/gemini`, ['-m', 'gemini-2.5-pro'], options)
let screen = ''
terminal.onData((data) => (screen += data))
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const shows = async (text) => {
  for (let tries = 0; !screen.includes(text) && tries < 600; tries += 1) await rest(100)
  if (!screen.includes(text)) throw new Error(`nothing on the screen says "${text}"`)
  screen = ''
}
const press = async (...keys) => {
  for (const key of keys) {
    terminal.write(key)
    await rest(1500)
  }
}
await shows('Type your message')
for (const words of ['one', 'two']) {
  await press(words, '\r')
  await shows('An answer.')
  await rest(2000)
}
await press('/rewind', '\r', '\x1b[A', '\r', '\r')
await rest(2000)
await press('\x15', 'three', '\r')
await shows('An answer.')
await rest(2000)
terminal.kill('SIGKILL')
process.exit(0)
SCRIPT
node drive.mjs
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const [name] = readdirSync('home/.gemini/tmp', { recursive: true }).filter((one) => /session-.*\.jsonl$/.test(one))
const records = readFileSync(`home/.gemini/tmp/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const lists = records.flatMap(({ $set }) => ($set?.messages ? [JSON.stringify($set.messages)] : []))
for (const line of readFileSync('requests.txt', 'utf8').trim().split('\n')) console.log(`request: ${line}`)
console.log(`lists of messages with the context: ${lists.map((list) => list.includes('<session_context>')).join(', ')}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
request: context one
request: context one two
request: one three
lists of messages with the context: true, false
EXPECTED
echo 'As when it was found.'
