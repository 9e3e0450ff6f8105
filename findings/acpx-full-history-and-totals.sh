#!/usr/bin/env bash
# acpx 0.19.1, which talks to agents over the Agent Client Protocol and keeps their sessions: its full history is cut and has
# one time for all, and its cumulative usage is that of the newest turn.
#
# Expected: `acpx sessions read` ("Read full session history") gives what was said and when, or says that it leaves
# something out, and `cumulative_token_usage` of a session is what its turns used. Seen: of an answer the first 8,000
# characters are kept, with three dots behind them, and "4/4 shown" is said of what is left. Every message has the time of
# the last change. An agent gives the usage of a turn with its answer, as the protocol says; each takes the place of the one
# before as the cumulative one, and only `request_token_usage` adds up. The whole answer and the order in time stand in the
# stream of the session (`*.stream.ndjson`), which `read` does not look at.
set -euo pipefail
folder=$(mktemp -d)
trap 'acpx sessions close > /dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 acpx@0.19.1
mkdir home work
cat > agent.mjs <<'SCRIPT'
import { createInterface } from 'node:readline'
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
const usage = { inputTokens: 1000, outputTokens: 10, totalTokens: 1010 }
const capabilities = { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] }
const resultOf = { initialize: capabilities, 'session/new': { sessionId: 'one' }, 'session/load': {} }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'session/prompt') {
    const { sessionId, prompt } = params
    const lines = prompt[0].text.includes('long') ? 2000 : 1
    for (let number = 1; number <= lines; number += 1) {
      const content = { type: 'text', text: `line ${number}\n` }
      send({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } } })
    }
    send({ id, result: { stopReason: 'end_turn', usage } })
  } else if (id !== undefined) send({ id, result: resultOf[method] ?? {} })
})
SCRIPT
acpx() {
  (cd "$folder/work" && HOME="$folder/home" "$folder/node_modules/.bin/node" "$folder/node_modules/acpx/dist/cli.js" \
    --agent "$folder/node_modules/.bin/node $folder/agent.mjs" --ttl 60 "$@")
}
acpx sessions new > /dev/null 2>&1
acpx 'a short answer' > /dev/null 2>&1
sleep 1.5
acpx 'a long answer' > /dev/null 2>&1
acpx sessions read > read.txt
cp home/.acpx/sessions/*.stream.ndjson stream.txt
cp home/.acpx/sessions/*.json record.json
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const read = readFileSync('read.txt', 'utf8')
const times = new Set(read.match(/^\d{4}-\d\d-\d\dT\S+/gm))
const lastLine = read.trim().split('\n').at(-1)
console.log(`read: ${read.match(/\d+\/\d+ shown/)[0]}, times: ${times.size}, the long answer ends with: ${lastLine}`)
const stream = readFileSync('stream.txt', 'utf8')
console.log(`stream: the last line of the long answer is ${stream.includes('line 2000') ? '' : 'not '}there`)
const { cumulative_token_usage: cumulative, request_token_usage: requests } = JSON.parse(readFileSync('record.json', 'utf8'))
const sum = Object.values(requests).reduce((total, { total_tokens: tokens }) => total + tokens, 0)
console.log(`usage: ${cumulative.total_tokens} tokens are called cumulative, those of the turns add up to ${sum}`)
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
read: 4/4 shown, times: 1, the long answer ends with: line ...
stream: the last line of the long answer is there
usage: 1010 tokens are called cumulative, those of the turns add up to 2020
EXPECTED
echo 'As when it was found.'
