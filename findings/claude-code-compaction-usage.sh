#!/usr/bin/env bash
# Claude Code 2.1.332: what a compaction cost stands in no answer of the transcript, and the account of a fork has what was
# spent before the fork without saying so.
#
# Expected: the usage of the answers in a transcript adds up to what the model was asked for, as its own account
# (`cost-state`) says. Seen: the request that writes the summary has no answer in the transcript, and
# `compact_boundary` has no tokens that were spent. Only `cost-state` counts it, by model and without the request. The
# account of a fork goes on from that of its parent: each new file counts what came before it once more.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (request.url === '/requests') return response.end(String(requests))
    requests += 1
    const { model } = JSON.parse(body || '{}')
    const usage = { input_tokens: 1000, output_tokens: 10 }
    const id = `msg_${requests}`
    const text = '<summary>Of what was said so far, in a few words.</summary>'
    const events = [
      { type: 'message_start', message: { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${requests}` })
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
address="http://127.0.0.1:$(cat port.txt)"
mkdir -p home/.claude work
ask() {
  (cd work && HOME="$folder/home" ANTHROPIC_BASE_URL="$address" ANTHROPIC_API_KEY=none \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$folder/node_modules/.bin/claude" "$@" < /dev/null > /dev/null)
}
ask -p 'one'
ask -c -p 'two'
ask -c -p '/compact'
ask -c -p 'in the fork' --fork-session
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const [, , requests] = process.argv
const projects = 'home/.claude/projects'
const sessions = readdirSync(projects, { recursive: true })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => readFileSync(`${projects}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
const lastCost = (records) => records.findLast(({ type }) => type === 'cost-state').modelUsage
const inputs = (records) => Object.values(lastCost(records)).reduce((sum, { inputTokens }) => sum + inputTokens, 0)
const answers = new Map(
  sessions.flat().filter(({ type }) => type === 'assistant').map(({ message }) => [message.id, message.usage.input_tokens]))
const boundary = sessions.flat().find(({ subtype }) => subtype === 'compact_boundary')
console.log(`requests: ${requests} of 1000 input tokens each`)
console.log(`input tokens of all answers: ${[...answers.values()].reduce((sum, tokens) => sum + tokens, 0)}`)
console.log(`usage in the boundary: ${/usage|input_?tokens/i.test(JSON.stringify(boundary))}`)
console.log(`accounts of the two sessions: ${sessions.map(inputs).sort().join(' and ')}`)
SCRIPT
node look.mjs "$(curl -s "$address/requests")" | tee seen.txt
diff seen.txt - <<'EXPECTED'
requests: 4 of 1000 input tokens each
input tokens of all answers: 3000
usage in the boundary: false
accounts of the two sessions: 3000 and 4000
EXPECTED
echo 'As when it was found.'
