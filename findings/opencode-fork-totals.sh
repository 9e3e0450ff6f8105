#!/usr/bin/env bash
# opencode 1.18.33: what was spent before a fork is counted once for every fork, also by its own statistics.
#
# Expected: the tokens of all sessions add up to those of the requests that were made, or a fork says what it repeats.
# Seen: `opencode run --continue --fork` copies the messages of the session. The copies have ids of their own and keep
# the times and tokens of the originals; the row of the fork in `session` begins with their sum in `tokens_input` and the
# other columns, its `parent_id` is empty, and nothing but its title ("… (fork #1)") tells that it is one. `opencode
# stats` adds up all sessions. Only the time of a message in both, before the fork was made, tells a copy.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund opencode-ai@1.18.33
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  request.resume().on('end', () => {
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
opencode run 'first prompt' > /dev/null
opencode run --continue 'second prompt' > /dev/null
opencode run --continue --fork 'in the fork' > /dev/null
cat > look.mjs <<'SCRIPT'
import { DatabaseSync } from 'node:sqlite'
const db = new DatabaseSync('home/.local/share/opencode/opencode.db', { readOnly: true })
const sessions = db.prepare('SELECT * FROM session ORDER BY time_created').all()
const answers = db.prepare(
  "SELECT id, time_created, data FROM message WHERE session_id = ? AND data ->> 'role' = 'assistant' ORDER BY time_created")
const said = sessions.map(({ id }) => answers.all(id))
for (const [at, session] of sessions.entries())
  console.log(`${/ \(fork #1\)$/.test(session.title) ? 'fork' : 'session'}: ${said[at].length} answers, tokens_input ${
    session.tokens_input}, parent ${session.parent_id}`)
const [first, fork] = said
const times = new Set(first.map((one) => one.time_created))
const ids = new Set(first.map((one) => one.id))
console.log(`answers of the fork with the time of an original: ${fork.filter((one) => times.has(one.time_created)).length}, with its id: ${
  fork.filter((one) => ids.has(one.id)).length}`)
SCRIPT
echo 'asked three times for 1000 tokens each' | tee seen.txt
node look.mjs | tee -a seen.txt
opencode stats | grep -Eo 'Input +[0-9.KM]+' | tr -s ' ' | sed 's/^/opencode stats: /' | tee -a seen.txt
diff seen.txt - <<'EXPECTED'
asked three times for 1000 tokens each
session: 2 answers, tokens_input 2000, parent null
fork: 3 answers, tokens_input 3000, parent null
answers of the fork with the time of an original: 2, with its id: 0
opencode stats: Input 5.0K
EXPECTED
echo 'As when it was found.'
