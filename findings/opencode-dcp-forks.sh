#!/usr/bin/env bash
# opencode 1.18.33 with its plugin Dynamic Context Pruning (@tarquinen/opencode-dcp 3.1.14): a fork of a session is sent
# everything that the session had compressed.
#
# Expected: a fork begins with the window of its origin.
# Seen: opencode stores every message, and the plugin keeps its summaries in a file that is named by the session, with
# the ids of the messages that they replace. A fork has another name and its messages have other ids, so the plugin
# begins with an empty file there: the next request has all messages again, and no summary. Nothing says so. A
# compaction of opencode itself, which is a message, holds in a fork.
set -euo pipefail
folder=$(mktemp -d)
model=
server=
trap '[ -z "$model" ] || kill "$model"; [ -z "$server" ] || kill -- "-$server"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund opencode-ai@1.18.33 @tarquinen/opencode-dcp@3.1.14
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const range = { startId: 'm0001', endId: 'm0004', summary: 'what was said in two turns' }
const compress = { name: 'compress', arguments: JSON.stringify({ topic: 'The first turns', content: [range] }) }
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages, tools } = JSON.parse(body)
    const last = messages.at(-1)
    const textOf = ({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))
    const isAsked = tools && last.role === 'user' && textOf(last).includes('compress it')
    if (tools && last.role === 'user') {
      const prompts = messages.filter(({ role }) => role === 'user').map(textOf)
      const has = (words) => (prompts.some((text) => text.startsWith(words)) ? 'with' : 'without')
      appendFileSync('sent.txt', `${has('first prompt')} the first prompt, ${has('[Compressed')} a summary\n`)
    }
    const event = (delta, finish = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const call = { index: 0, id: 'call_1', type: 'function', function: compress }
    response.write(event({ role: 'assistant', ...(isAsked ? { tool_calls: [call] } : { content: 'an answer' }) }))
    response.write(event({}, isAsked ? 'tool_calls' : 'stop'))
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`)
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
{ "provider": { "scripted": { "npm": "@ai-sdk/openai-compatible",
    "options": { "baseURL": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none" },
    "models": { "m": { "name": "m", "tool_call": true, "limit": { "context": 200000, "output": 8000 } } } } },
  "model": "scripted/m", "autoupdate": false, "share": "disabled", "permission": "allow",
  "plugin": ["file://$folder/node_modules/@tarquinen/opencode-dcp"] }
CONFIG
# A process group of its own, so that it ends with whatever it starts.
: > serve.txt
set -m
(cd work && HOME="$folder/home" XDG_DATA_HOME= XDG_CONFIG_HOME= XDG_CACHE_HOME= XDG_STATE_HOME= \
  OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
  exec "$folder/node_modules/.bin/opencode" serve --port 0 < /dev/null > ../serve.txt 2> /dev/null) &
server=$!
set +m
until grep -Eo 'http://[0-9.:]+' serve.txt > server.txt; do sleep 0.1; done
sessions="$(cat server.txt)/session"
ask() { curl -s --retry 5 --max-time 120 -H 'content-type: application/json' "$@"; }
say() {
  ask "$sessions/$1/message" -d \
    "{\"parts\": [{\"type\": \"text\", \"text\": \"$2\"}], \"model\": {\"providerID\": \"scripted\", \"modelID\": \"m\"}}" \
    > /dev/null
}
idIn() { node -p 'JSON.parse(fs.readFileSync(0, "utf8")).id'; }
origin=$(ask "$sessions" -d '{}' | idIn)
for prompt in 'first prompt' 'second prompt' 'compress it' 'after it'; do say "$origin" "$prompt"; done
fork=$(ask "$sessions/$origin/fork" -d '{}' | idIn)
say "$fork" 'in the fork'
say "$origin" 'in the origin'
cat sent.txt
diff sent.txt - <<'EXPECTED'
with the first prompt, without a summary
with the first prompt, without a summary
with the first prompt, without a summary
without the first prompt, with a summary
with the first prompt, without a summary
without the first prompt, with a summary
EXPECTED
