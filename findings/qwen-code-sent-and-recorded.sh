#!/usr/bin/env bash
# Qwen Code 0.24.4: what a person runs with `!` is sent to the model and not recorded in the session, and a prompt that
# is cancelled before the model answers is recorded and not sent again.
#
# Expected: a session that is resumed knows what it knew before.
# Seen: the next request has the command and its output ("I ran the following shell command"). The session's file has no
# record of them, so that the model no longer knows of them after `qwen -c`. A prompt whose request fails and is cancelled
# with Esc while Qwen Code tries again goes back into the input and out of the history; its record stays, so that the
# model is sent it after `qwen -c`, although the person took it back. Whoever reads the file sees another window than the
# model, and cannot tell from the records.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @qwen-code/qwen-code@0.24.4 @lydell/node-pty@1.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(' '))
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = JSON.parse(Buffer.concat(chunks))
  const said = body.messages.filter(({ role }) => role === 'user').map(textOf).join(' ')
  const words = ['first-prompt', 'ran-in-shell', 'second-prompt', 'taken-back', 'third-prompt', 'after-resume']
  const known = words.filter((word) => said.includes(word))
  const isMain = !/Reply with ONLY the suggestion|Existing memory files/.test(textOf(body.messages.at(-1)))
  if (isMain && known.at(-1) === 'taken-back') {
    response.writeHead(500, { 'content-type': 'application/json' })
    return response.end('{"error":{"message":"scripted failure"}}')
  }
  if (isMain) appendFileSync('requests.txt', `${known.join(' ')}\n`)
  const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
  const message = { role: 'assistant', content: `answer-to-${known.at(-1)}` }
  const shared = { id: 'c', model: 'm', created: 1 }
  if (!body.stream) {
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return response.end(JSON.stringify({ ...shared, object: 'chat.completion', choices, usage }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const parts = [
    { choices: [{ index: 0, delta: message }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  for (const part of parts)
    response.write(`data: ${JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...part })}\n\n`)
  response.end('data: [DONE]\n\n')
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > drive.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import pty from '@lydell/node-pty'
const folder = process.cwd()
const env = {
  ...process.env,
  HOME: `${folder}/home`,
  OPENAI_BASE_URL: `http://127.0.0.1:${readFileSync('port.txt', 'utf8').trim()}/v1`,
  OPENAI_API_KEY: 'none',
  OPENAI_MODEL: 'm',
}
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function session(args, steps) {
  const options = { name: 'xterm-256color', cols: 120, rows: 40, cwd: `${folder}/work`, env }
  const program = `${folder}/node_modules/.bin/qwen`
  const terminal = pty.spawn(program, ['--auth-type', 'openai', ...args], options)
  let screen = ''
  terminal.onData((data) => (screen += data))
  const shows = async (text) => {
    for (let tries = 0; !screen.includes(text) && tries < 600; tries += 1) await rest(100)
    if (!screen.includes(text)) throw new Error(`nothing on the screen says "${text}"`)
    screen = ''
    await rest(3000)
  }
  await shows('Type your message')
  for (const [keys, text] of steps) {
    for (const key of keys) {
      terminal.write(key)
      await rest(1500)
    }
    await shows(text)
  }
  terminal.kill('SIGKILL')
  await rest(1000)
}
await session([], [
  [['first-prompt', '\r'], 'answer-to-first-prompt'],
  [['!', 'echo ran-in-shell', '\r'], 'ran-in-shell'],
  [['\x1b', 'second-prompt', '\r'], 'answer-to-second-prompt'],
  [['taken-back', '\r'], 'taken-back'],
  [['\x1b'], 'taken-back'],
  [['\x15', 'third-prompt', '\r'], 'answer-to-third-prompt'],
])
await session(['-c'], [[['after-resume', '\r'], 'answer-to-after-resume']])
process.exit(0)
SCRIPT
node drive.mjs
sed 's/^/request: /' requests.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
request: first-prompt
request: first-prompt ran-in-shell second-prompt
request: first-prompt ran-in-shell second-prompt third-prompt
request: first-prompt second-prompt taken-back third-prompt after-resume
EXPECTED
echo 'As when it was found.'
