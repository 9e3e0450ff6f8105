#!/usr/bin/env bash
# agentic-commons 0.2.2, which counts what models were used for, with a session of Codex 0.171.0: all that a session used
# counts for the model and the day of its last turn.
#
# Expected: tokens count for the model that was asked for them, when it was.
# Seen: of each file the end is read: its last total (`token_count`) and its last model (`turn_context`). When a session is
# resumed with another model, everything that it used before moves to that one, and the first model is not listed at all. As
# the total has the time of the last turn, too, resuming an old session takes its tokens out of the days on which they
# were spent. The file has the model and the usage of each request.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @openai/codex@0.171.0 agentic-commons@0.2.2
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (!request.url.endsWith('/responses')) return response.writeHead(404).end('{}')
    requests += 1
    const id = `resp_${requests}`
    const content = [{ type: 'output_text', text: `answer ${requests}`, annotations: [] }]
    const item = { type: 'message', role: 'assistant', id: `msg_${requests}`, content, status: 'completed' }
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1000,
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.codex work
cat > home/.codex/config.toml <<CONFIG
model = "first-model"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
CONFIG
codex() {
  (cd work && CODEX_HOME="$folder/home/.codex" SCRIPTED_KEY=none "$folder/node_modules/.bin/codex" exec "$@" \
    --skip-git-repo-check < /dev/null > /dev/null 2>&1)
}
count() {
  HOME="$folder/home" NO_COLOR=1 node_modules/.bin/node node_modules/.bin/acommons "$1"
}
codex 'first prompt'
count models > before.txt
# As if the first prompt had been given three days ago.
day=$(date -u -d '3 days ago' +%F)
transcript=$(find home/.codex/sessions -name '*.jsonl')
sed -E -i "s/^(\{\"timestamp\":\")[0-9-]{10}/\1$day/" "$transcript"
count daily > day-before.txt
codex resume --last -m second-model 'second prompt'
count models > after.txt
count daily > day-after.txt
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const rowsOf = (name, start) =>
  readFileSync(name, 'utf8').split('\n').filter((line) => start.test(line)).map((line) => line.trim().split(/\s+/))
const models = (name) => rowsOf(name, /^\s*(first|second)-model/).map((row) => `${row[0]} ${row.at(-1)}`).join(', ')
const isListed = (name) => (rowsOf(name, new RegExp(`^\\s*${process.argv[3]}`)).length > 0 ? 'listed' : 'not listed')
const records = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const asked = records.flatMap(({ type, payload }) =>
  type === 'turn_context' ? [payload.model] : payload.type === 'token_count' ? [payload.info.last_token_usage.input_tokens] : [])
console.log(`the session: ${asked.join(' ')}`)
console.log(`counted after the first turn: ${models('before.txt')}; its day is ${isListed('day-before.txt')}`)
console.log(`counted after the second turn: ${models('after.txt')}; the day of the first is ${isListed('day-after.txt')}`)
SCRIPT
node_modules/.bin/node look.mjs "$transcript" "${day:5}" | tee seen.txt
diff seen.txt - <<'EXPECTED'
the session: first-model 1000 second-model 1000
counted after the first turn: first-model 1,000; its day is listed
counted after the second turn: second-model 2,000; the day of the first is not listed
EXPECTED
echo 'As when it was found.'
