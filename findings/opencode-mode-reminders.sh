#!/usr/bin/env bash
# opencode 1.18.33: what the model is told of the agent that a person chose is recorded nowhere, and is taken out of the
# prompt again when the next prompt comes.
#
# Expected: the texts of a prompt, in `message` and `part` of `opencode.db`, are those that the model was sent, and a
# prompt that was sent once is sent in the same words again. Seen: the newest prompt has a reminder of the program behind
# it, with the agent `plan`, and with `build` as long as an earlier prompt was one of `plan`. No row has it, nor does
# `opencode export`. The next request has that prompt without it, so a cache of the request begins to differ there.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund opencode-ai@1.18.33
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
opencode() {
  (cd work && HOME="$folder/home" XDG_DATA_HOME="$folder/home/data" XDG_CONFIG_HOME="$folder/home/config" \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 "$folder/node_modules/.bin/opencode" "$@" < /dev/null)
}
opencode run --agent plan 'make a plan' > /dev/null 2>&1
opencode run --continue --agent build 'build it' > /dev/null 2>&1
opencode run --continue --agent build 'go on' > /dev/null 2>&1
opencode export "$(opencode session list --format json 2> /dev/null | grep -o 'ses_[A-Za-z0-9]*' | head -1)" > export.json 2> /dev/null
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const textOf = ({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'))
for (const line of readFileSync('sent.jsonl', 'utf8').trim().split('\n')) {
  const prompts = JSON.parse(line).filter(({ role }) => role === 'user').map(textOf)
  console.log(prompts.map((text) => `${text.split('\n')[0].replace(/"/g, '')}${text.includes('<system-reminder>') ? ' + reminder' : ''}`).join(', '))
}
const written = readFileSync('export.json', 'utf8')
console.log(`the export has the prompts: ${['make a plan', 'build it', 'go on'].every((words) => written.includes(words))}`)
console.log(`the export has a reminder: ${written.includes('system-reminder')}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
make a plan + reminder
make a plan, build it + reminder
make a plan, build it, go on + reminder
the export has the prompts: true
the export has a reminder: false
EXPECTED
echo 'As when it was found.'
