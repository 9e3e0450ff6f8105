#!/usr/bin/env bash
# opencode 1.18.33: two things that were paid for are in none of its totals: the request for the title of a session, and
# answers that were taken back.
#
# Expected: the tokens of a session, or those of `opencode stats`, are those of the requests that were made for it.
# Seen: the title comes from a request of its own, whose tokens are in neither. When a prompt is reverted and another one
# is given in its place, its answer is deleted and the answer's tokens are taken off the session (`tokens_input`), which
# therefore can go down. A compaction counts, as an answer.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund opencode-ai@1.18.33
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/requests') return response.end(String(requests))
    requests += 1
    const event = (delta, more = {}) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ role: 'assistant', content: 'an answer' }))
    response.write(event({}, { finish_reason: 'stop' }))
    const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
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
    "models": { "m": { "name": "m", "limit": { "context": 200000, "output": 8000 } } } } },
  "model": "scripted/m", "autoupdate": false, "share": "disabled" }
CONFIG
opencode() {
  (cd work && HOME="$folder/home" XDG_DATA_HOME= XDG_CONFIG_HOME= XDG_CACHE_HOME= XDG_STATE_HOME= \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
    "$folder/node_modules/.bin/opencode" "$@" < /dev/null 2> /dev/null)
}
look() {
  cat > look.mjs <<'SCRIPT'
import { DatabaseSync } from 'node:sqlite'
const [, , when, requests] = process.argv
const db = new DatabaseSync('home/.local/share/opencode/opencode.db', { readOnly: true })
const { tokens } = db.prepare('SELECT sum(tokens_input) AS tokens FROM session').get()
const { answers } = db.prepare("SELECT count(*) AS answers FROM message WHERE data ->> 'role' = 'assistant'").get()
console.log(`${when}: ${requests} requests of 1000 input tokens, ${answers} answers, tokens_input ${tokens}`)
SCRIPT
  node look.mjs "$1" "$(curl -s "$address/requests")" | tee -a seen.txt
}
address="http://127.0.0.1:$(cat port.txt)"
opencode run 'first prompt' > /dev/null
opencode run --continue 'second prompt' > /dev/null
look 'two prompts'
# A process group of its own, so that it ends with whatever it starts.
: > serve.txt
set -m
opencode serve --port 0 > serve.txt &
server=$!
set +m
trap 'kill "$model"; kill -- "-$server"; rm -rf "$folder"' EXIT
until grep -Eo 'http://[0-9.:]+' serve.txt > server.txt; do sleep 0.1; done
sessions="$(cat server.txt)/session"
ask() { curl -s --retry 5 --max-time 60 -H 'content-type: application/json' "$@"; }
id=$(ask "$sessions" | node -p 'JSON.parse(fs.readFileSync(0, "utf8"))[0].id')
prompt=$(ask "$sessions/$id/message" | node -p \
  'JSON.parse(fs.readFileSync(0, "utf8")).filter(({ info }) => info.role === "user").at(-1).info.id')
ask "$sessions/$id/revert" -d "{\"messageID\": \"$prompt\"}" > /dev/null
model_name='"providerID": "scripted", "modelID": "m"'
ask "$sessions/$id/message" -d "{\"parts\": [{\"type\": \"text\", \"text\": \"instead\"}], \"model\": {$model_name}}" > /dev/null
look 'the second one taken back, another one in its place'
ask "$sessions/$id/summarize" -d "{$model_name}" > /dev/null
look 'and a compaction'
opencode stats | grep -Eo 'Input +[0-9.]+K' | tr -s ' ' | tee -a seen.txt
diff seen.txt - <<'EXPECTED'
two prompts: 3 requests of 1000 input tokens, 2 answers, tokens_input 2000
the second one taken back, another one in its place: 4 requests of 1000 input tokens, 2 answers, tokens_input 2000
and a compaction: 5 requests of 1000 input tokens, 3 answers, tokens_input 3000
Input 3.0K
EXPECTED
echo 'As when it was found.'
