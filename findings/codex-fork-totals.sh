#!/usr/bin/env bash
# Codex 0.171.0: the file of a forked session holds no history of its parent, but its totals do.
#
# Expected: a file of a session counts what was asked in it, or it holds the records that it counts.
# Seen: after `codex exec fork` the new file begins with `session_meta` (`forked_from_id`, and
# `forked_from_ordinal_exclusive` for where the cut is) and goes on with the new prompt. Nothing is copied. The totals in
# `token_count` (`total_token_usage`) and `token_usage_record` (`thread_token_usage`) go on from those of the parent, so
# adding up the newest totals of all files counts what was spent before the cut once for every fork. Only the usage of
# the single requests adds up. The numbers of records (`ordinal`) go on from the cut as well: when the parent is resumed,
# its new records and those of the fork have the same numbers.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @openai/codex@0.171.0
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
mkdir home work
cat > home/config.toml <<CONFIG
model = "m"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
CONFIG
codex() {
  (cd work && CODEX_HOME="$folder/home" SCRIPTED_KEY=none "$folder/node_modules/.bin/codex" exec "$@" \
    --skip-git-repo-check < /dev/null > /dev/null 2>&1)
}
codex 'first prompt'
parent=$(find home/sessions -name '*.jsonl' | sed -E 's/.*-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl/\1/')
codex fork "$parent" 'in the fork'
codex resume "$parent" 'in the parent'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const names = readdirSync('home/sessions', { recursive: true }).filter((name) => name.endsWith('.jsonl')).sort()
const files = names.map((name) =>
  readFileSync(`home/sessions/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
let totals = 0
for (const [index, records] of files.entries()) {
  const prompts = records.flatMap(({ type, payload }) =>
    type === 'event_msg' && payload.item?.type === 'UserMessage' ? [payload.item.content[0].text] : [])
  const usage = records.filter(({ type }) => type === 'token_usage_record').map(({ payload }) => payload)
  const total = records.filter(({ payload }) => payload.type === 'token_count').at(-1).payload.info.total_token_usage
  totals += total.input_tokens
  console.log(`${index === 0 ? 'parent' : 'fork'}: ${prompts.join(', ')}; ${usage.length} requests of ${
    usage.map((one) => one.usage.input_tokens).join(' and ')} tokens, total ${total.input_tokens}, in the thread ${
    usage.at(-1).thread_token_usage.input_tokens}`)
}
const [parent, fork] = files.map((records) => new Set(records.map(({ ordinal }) => ordinal)))
console.log(`asked three times for 1000 tokens each; the newest totals add up to ${totals}`)
console.log(`numbers of records that both files have: ${[...parent].some((number) => fork.has(number)) ? 'some' : 'none'}`)
console.log(`the fork begins at the number of its cut: ${
  files[1][0].ordinal === files[1][0].payload.forked_from_ordinal_exclusive}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
parent: first prompt, in the parent; 2 requests of 1000 and 1000 tokens, total 2000, in the thread 2000
fork: in the fork; 1 requests of 1000 tokens, total 2000, in the thread 2000
asked three times for 1000 tokens each; the newest totals add up to 4000
numbers of records that both files have: some
the fork begins at the number of its cut: true
EXPECTED
echo 'As when it was found.'
