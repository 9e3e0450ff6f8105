#!/usr/bin/env bash
# vibestats 1.5.1, which counts what coding agents used, with a session of Codex 0.171.0: each automatic compaction counts
# the fullest request of the window once more.
#
# Expected: the tokens of a session are those of the requests that were made for it.
# Seen: when a prompt finds the window over its limit, Codex writes the usage of the last request (`token_count`) a second
# time before it compacts, with the same total. vibestats adds up `last_token_usage` of every such record. The request that
# counts twice is the one that filled the window, so a session that compacts often is said to use about twice what it did.
# `total_token_usage` does not grow by a repeated record, and `token_usage_record` has each request once.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @openai/codex@0.171.0 vibestats@1.5.1
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const sizes = [1000, 190000, 2000, 3000]
let requests = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (!request.url.endsWith('/responses')) return response.writeHead(404).end('{}')
    const size = sizes[requests]
    requests += 1
    appendFileSync('spent.txt', `${size}\n`)
    const id = `resp_${requests}`
    const content = [{ type: 'output_text', text: `answer ${requests}`, annotations: [] }]
    const item = { type: 'message', role: 'assistant', id: `msg_${requests}`, content, status: 'completed' }
    const usage = {
      input_tokens: size,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: size,
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
model = "m"
model_provider = "scripted"
model_auto_compact_token_limit = 150000
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
CONFIG
codex() {
  (cd work && HOME="$folder/home" SCRIPTED_KEY=none "$folder/node_modules/.bin/codex" exec --skip-git-repo-check "$@" \
    < /dev/null > /dev/null 2>&1)
}
codex 'first prompt'
codex resume --last 'second prompt'
codex resume --last 'third prompt'
HOME="$folder/home" node node_modules/.bin/vibestats --codex --json > counted.json
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const sessions = 'home/.codex/sessions'
const files = readdirSync(sessions, { recursive: true }).filter((name) => name.endsWith('.jsonl'))
const records = files.flatMap((name) =>
  readFileSync(`${sessions}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
const counts = records.filter(({ payload }) => payload.type === 'token_count').map(({ payload }) => payload.info)
const usages = records.filter(({ type }) => type === 'token_usage_record').map(({ payload }) => payload.usage)
const spent = readFileSync('spent.txt', 'utf8').trim().split('\n').map(Number)
console.log(`files: ${files.length}; compactions: ${records.filter(({ type }) => type === 'compacted').length}`)
console.log(`requests: ${spent.join(', ')}; together ${sum(spent)}`)
console.log(`token_count: ${counts.map((info) => info.last_token_usage.input_tokens).join(', ')}`)
console.log(`newest total: ${counts.at(-1).total_token_usage.input_tokens}`)
console.log(`token_usage_record: ${usages.map((usage) => usage.input_tokens).join(', ')}`)
console.log(`vibestats: ${JSON.parse(readFileSync('counted.json', 'utf8')).totals.inputTokens}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
files: 1; compactions: 1
requests: 1000, 190000, 2000, 3000; together 196000
token_count: 1000, 190000, 190000, 2000, 0, 3000
newest total: 196000
token_usage_record: 1000, 190000, 2000, 3000
vibestats: 386000
EXPECTED
echo 'As when it was found.'
