#!/usr/bin/env bash
# Pi 1.6.0: an answer that failed and was asked for again stays in the session, on the path that leads to the newest
# message, as a message of the assistant without content. What takes it out of the window is an entry of its own kind
# behind it, `context_edit` with the replacement null, under the same format version (3) as before there was such a kind.
#
# Expected: the messages on the path from the newest entry to the root are what the model is sent next.
# Seen: one more. A fork (`--fork`) copies all entries with their ids, the failed answer and its edit among them, so the
# usage of the copied answers stands in two files.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @earendil-works/pi-coding-agent@1.6.0
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    requests += 1
    const { messages } = JSON.parse(body)
    appendFileSync('sent.txt', `${messages.map(({ role }) => role).join(' ')}\n`)
    if (requests === 2) {
      response.writeHead(500, { 'content-type': 'application/json' })
      return response.end('{"error": {"message": "overloaded"}}')
    }
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: `answer ${requests}` } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
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
mkdir -p home/.pi/agent work
cat > home/.pi/agent/models.json <<MODELS
{"providers": {"mock": {"baseUrl": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none", "api": "openai-completions",
  "models": [{"id": "m"}]}}}
MODELS
ask() { (cd work && HOME="$folder/home" pi --provider mock --model m "$@" < /dev/null > /dev/null 2>&1); }
ask -p first
# The first try to answer this one fails.
ask -c -p second
ask --fork "$(find "$folder/home" -name '*.jsonl')" -p third
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const [sessions] = [readdirSync('home/.pi/agent/sessions', { recursive: true }).filter((name) => name.endsWith('.jsonl'))]
const files = sessions
  .map((name) => readFileSync(`home/.pi/agent/sessions/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
  .sort((one, other) => one.length - other.length)
for (const entries of files) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const path = []
  for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId)) path.unshift(entry)
  const shown = path.flatMap(({ type, message, replacement }) =>
    type === 'message' ? [message.role + (message.stopReason === 'error' ? ' (failed)' : '')]
      : type === 'context_edit' ? [`context_edit to ${replacement}`] : [])
  console.log(shown.join(', '))
}
const [own, fork] = files.map((entries) => entries.flatMap(({ type, id }) => (type === 'message' ? [id] : [])))
console.log(`messages of the session that the fork has with the same id: ${own.filter((id) => fork.includes(id)).length} of ${own.length}`)
console.log(`sent for the third prompt: ${readFileSync('sent.txt', 'utf8').trim().split('\n').at(-1)}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
system, user, assistant, user, assistant (failed), context_edit to null, assistant
system, user, assistant, user, assistant (failed), context_edit to null, assistant, user, assistant
messages of the session that the fork has with the same id: 6 of 6
sent for the third prompt: system user assistant user assistant user
EXPECTED
echo 'As when it was found.'
