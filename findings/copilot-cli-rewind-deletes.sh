#!/usr/bin/env bash
# Copilot CLI 1.0.102 deletes from the session's file what a person goes back behind. In a fork it deletes with it the only
# record that names the session from which it was forked.
#
# Expected: events.jsonl is a log to which events are added, each naming the one before it. Going back would be an event.
# Seen: after Esc Esc to an earlier prompt the file ends before that prompt. The prompts, answers and results of tools
# behind it are gone from the file, with the usage of their requests, and a notice (`session.info`) does not say what it was
# or how much. A copy of the file from before is the only trace: whoever adds up usage later finds less than was spent.
# A fork copies all events under their ids, and a notice behind the copies names the parent. When a person goes back to a
# copied prompt, the notice is deleted, too, and neither the file nor workspace.yaml says that it is a fork.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @github/copilot@1.0.102 @lydell/node-pty@1.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(' '))
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (chunks.length === 0) return response.end('{"object":"list","data":[{"id":"m","object":"model"}]}')
  const body = JSON.parse(Buffer.concat(chunks))
  const asked = body.messages.filter(({ role }) => role === 'user').map(textOf).at(-1)?.match(/[a-z]+-prompt/)?.[0]
  const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
  const shared = { id: `c-${asked}`, model: 'm', created: 1, object: 'chat.completion.chunk' }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const parts = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: `answer-to-${asked}` } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  for (const part of parts) response.write(`data: ${JSON.stringify({ ...shared, ...part })}\n\n`)
  response.end('data: [DONE]\n\n')
  appendFileSync('answered.txt', `${asked}\n`)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > drive.mjs <<'SCRIPT'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import pty from '@lydell/node-pty'
const folder = process.cwd()
const env = {
  ...process.env,
  HOME: `${folder}/home`,
  COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${readFileSync('port.txt', 'utf8').trim()}/v1`,
  COPILOT_PROVIDER_API_KEY: 'none',
  COPILOT_MODEL: 'm',
  COPILOT_OFFLINE: 'true',
}
const options = { name: 'xterm-256color', cols: 120, rows: 40, cwd: `${folder}/work`, env }
const terminal = pty.spawn(`${folder}/node_modules/.bin/copilot`, ['--allow-all-tools'], options)
let screen = ''
terminal.onData((data) => (screen += data))
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (is, what) => {
  for (let tries = 0; !is() && tries < 600; tries += 1) await rest(100)
  if (!is()) throw new Error(`waited in vain for ${what}`)
  screen = ''
  await rest(3000)
}
// The program draws only what changes, in pieces.
const letters = (text) => text.replaceAll(/\x1b\[[0-9;?]*[a-zA-Z]/g, '').replaceAll(/[^a-z]/gi, '')
const shows = (text) => until(() => letters(screen).includes(letters(text)), text)
const answered = (word) =>
  until(() => existsSync('answered.txt') && readFileSync('answered.txt', 'utf8').includes(word), word)
const press = async (...keys) => {
  for (const key of keys) {
    terminal.write(key)
    await rest(1500)
  }
}
const sessions = `${folder}/home/.copilot/session-state`
const look = (what) => {
  const files = readdirSync(sessions, { recursive: true }).filter((name) => name.endsWith('events.jsonl'))
  const read = files.map((name) => readFileSync(`${sessions}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
  read.sort(([one], [other]) => (one.timestamp < other.timestamp ? -1 : 1))
  const events = read.at(-1)
  const prompts = events.filter(({ type }) => type === 'user.message').map(({ data }) => data.content)
  const usages = events.filter(({ type }) => type === 'session.usage_record').length
  const named = events.some(({ type, data }) => type === 'session.info' && data.infoType === 'fork')
  console.log(`${what}: ${prompts.join(' ')}; requests with usage: ${usages}; names its parent: ${named}`)
}
/** Goes back by as many prompts, and empties the input, into which the prompt comes. */
const goBack = async (prompts) => {
  terminal.write('\x1b')
  await rest(300)
  terminal.write('\x1b')
  await shows('Rewind to a previous point')
  await press(...Array(prompts - 1).fill('\x1b[B'), '\r', '\r')
  await rest(2000)
  await press('\x15')
}
await shows('trust the files')
await press('2')
await rest(4000)
for (const word of ['first', 'second', 'third']) {
  await press(`${word}-prompt`, '\r')
  await answered(`${word}-prompt`)
}
look('session')
await goBack(1)
look('after going back')
await press('/fork side', '\r')
await shows('Forked from')
await press('forked-prompt', '\r')
await answered('forked-prompt')
look('fork')
await goBack(2)
look('fork after going back')
terminal.kill('SIGKILL')
process.exit(0)
SCRIPT
node drive.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
session: first-prompt second-prompt third-prompt; requests with usage: 3; names its parent: false
after going back: first-prompt second-prompt; requests with usage: 2; names its parent: false
fork: first-prompt second-prompt forked-prompt; requests with usage: 3; names its parent: true
fork after going back: first-prompt; requests with usage: 1; names its parent: false
EXPECTED
echo 'As when it was found.'
