#!/usr/bin/env bash
# Kilo 7.7.7: behind each prompt the model is sent when it was given and in which folders, and the database has none of it.
#
# Expected: the texts of a prompt, in `message` and `part` of `kilo.db`, are those that the model was sent. Seen: each
# prompt is sent with a second text, `<environment_details>`, with the time of the message, the folder of work and the root
# of the workspace. Later requests repeat it behind every prompt, and no row of the database has it, so that what is
# counted from the rows is less than what was sent, by some 50 tokens a prompt. opencode, from which Kilo was made, sends
# no such text.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @kilocode/cli@7.7.7 node@24.21.0
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages, tools } = JSON.parse(body)
    // The request for a title offers no tools.
    if (tools?.length > 0) appendFileSync('sent.jsonl', `${JSON.stringify(messages)}\n`)
    const event = (delta, more = {}) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ role: 'assistant', content: 'an answer' }))
    response.write(event({}, { finish_reason: 'stop' }))
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > work/opencode.json <<CONFIG
{"provider": {"mock": {"npm": "@ai-sdk/openai-compatible",
  "options": {"baseURL": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none"},
  "models": {"m": {"name": "m", "limit": {"context": 200000, "output": 8000}}}}},
 "model": "mock/m", "autoupdate": false, "share": "disabled", "permission": "allow"}
CONFIG
ask() {
  (cd work && HOME="$folder/home" XDG_DATA_HOME="$folder/home/data" XDG_CONFIG_HOME="$folder/home/config" \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 kilo run "$@" < /dev/null > /dev/null 2>&1)
}
ask 'first question'
ask --continue 'second question'
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
const textOf = ({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''))
for (const line of readFileSync('sent.jsonl', 'utf8').trim().split('\n')) {
  const prompts = JSON.parse(line).filter(({ role }) => role === 'user').map(textOf)
  const named = prompts.map((text) => {
    const [said, details = ''] = text.trim().replaceAll('"', '').split(/\s*<environment_details>\s*/)
    return `${said.trim()} + ${[...details.matchAll(/^([\w ]+): /gm)].map(([, name]) => name).join(', ')}`
  })
  console.log(named.join(' | '))
}
const db = new DatabaseSync('home/data/kilo/kilo.db', { readOnly: true })
const rows = db.prepare('SELECT data FROM message UNION ALL SELECT data FROM part').all().map(({ data }) => data)
const count = (words) => rows.filter((row) => row.includes(words)).length
console.log(`rows with the prompts: ${count('first question')}, ${count('second question')}; with the rest: ${count('environment_details')}`)
SCRIPT
node --no-warnings look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
first question + Message time, Working directory, Workspace root folder
first question + Message time, Working directory, Workspace root folder | second question + Message time, Working directory, Workspace root folder
rows with the prompts: 1, 1; with the rest: 0
EXPECTED
echo 'As when it was found.'
