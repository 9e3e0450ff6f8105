#!/usr/bin/env bash
# Cline 3.0.65 counts what a forked session spent before the fork again, and marks and notes in its files are not what the
# model is sent.
#
# Expected: the usage of a session is what was spent in it. Seen: `/fork` begins a session with copies of all messages,
# under their ids, each with its metrics, and the usage in the new session's description includes them: two sessions say
# five requests, and the model got three. `/undo` begins a session in the same way.
# In the file each prompt stands as `<user_input mode="act">…</user_input>`. The model is sent the words without these
# marks. After `/compact` the file still has all messages; what the model is sent since stands in `<id>.compaction.json`
# alone, so that a reader of the session's file sees a window that is not sent any more.
set -euo pipefail
folder=$(mktemp -d)
model=
finish() {
  [ -z "$model" ] || kill "$model"
  # Cline leaves a process running, which was started in this folder.
  for file in $(grep -als "^$folder/" /proc/[0-9]*/cmdline); do kill "$(basename "$(dirname "$file")")"; done
  sleep 1
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund cline@3.0.65 @lydell/node-pty@1.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(' '))
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (chunks.length === 0) return response.end('{"object":"list","data":[{"id":"m","object":"model"}]}')
  const body = JSON.parse(Buffer.concat(chunks))
  const prompts = body.messages.filter(({ role }) => role === 'user').map(textOf)
  const isMain = body.tools?.length > 0
  if (isMain) appendFileSync('requests.txt', `${prompts.map((text) => text.replaceAll(/\s+/g, ' ')).join(' | ')}\n`)
  const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
  const shared = { id: 'c', model: 'm', created: 1, object: 'chat.completion.chunk' }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const content = isMain ? 'An answer.' : 'All was told.'
  const parts = [
    { choices: [{ index: 0, delta: { role: 'assistant', content } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  for (const part of parts) response.write(`data: ${JSON.stringify({ ...shared, ...part })}\n\n`)
  response.end('data: [DONE]\n\n')
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
HOME="$folder/home" ./node_modules/.bin/cline auth -p openai -k none -m m -b "http://127.0.0.1:$(cat port.txt)/v1" > /dev/null
cat > drive.mjs <<'SCRIPT'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import pty from '@lydell/node-pty'
const folder = process.cwd()
const env = { ...process.env, HOME: `${folder}/home` }
const options = { name: 'xterm-256color', cols: 120, rows: 40, cwd: `${folder}/work`, env }
const terminal = pty.spawn(`${folder}/node_modules/.bin/cline`, [], options)
terminal.onData(() => {})
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (is, what) => {
  for (let tries = 0; !is() && tries < 600; tries += 1) await rest(100)
  if (!is()) throw new Error(`waited in vain for ${what}`)
  await rest(3000)
}
const press = async (...keys) => {
  for (const key of keys) {
    terminal.write(key)
    await rest(1500)
  }
}
const ask = async (prompt) => {
  await press(prompt, '\r')
  await until(() => existsSync('requests.txt') && readFileSync('requests.txt', 'utf8').includes(prompt), prompt)
}
const sessions = `${folder}/home/.cline/data/sessions`
const files = (pattern) => readdirSync(sessions, { recursive: true }).filter((name) => pattern.test(name)).sort()
const read = (name) => JSON.parse(readFileSync(`${sessions}/${name}`, 'utf8'))
await rest(15_000)
await press('\x1b')
await ask('first')
await ask('second')
await press('/fork', '\r', '\r')
await rest(3000)
await ask('third')
for (const name of files(/\d_\w+\.messages\.json$/)) {
  const { messages } = read(name)
  const { usage } = read(name.replace('.messages', '')).metadata
  const prompts = messages.filter(({ role }) => role === 'user').map(({ content }) => content[0].text)
  console.log(`session: ${prompts.join(' ')} usage: ${usage.inputTokens} input tokens`)
}
for (const line of readFileSync('requests.txt', 'utf8').trim().split('\n')) console.log(`request: ${line}`)
await press('/compact', '\r')
await until(() => files(/\.compaction\.json$/).length > 0, 'a compaction')
await ask('fourth')
const [compacted] = files(/\.compaction\.json$/)
console.log(`messages in the file after a compaction: ${read(compacted.replace('.compaction', '.messages')).messages.length}`)
const [request] = readFileSync('requests.txt', 'utf8').trim().split('\n').slice(-1)
console.log(`the model is sent the first prompt: ${request.includes('first')}`)
terminal.kill('SIGKILL')
process.exit(0)
SCRIPT
node drive.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
session: <user_input mode="act">first</user_input> <user_input mode="act">second</user_input> usage: 2000 input tokens
session: <user_input mode="act">first</user_input> <user_input mode="act">second</user_input> <user_input mode="act">third</user_input> usage: 3000 input tokens
request: first
request: first | second
request: first | second | third
messages in the file after a compaction: 8
the model is sent the first prompt: false
EXPECTED
echo 'As when it was found.'
