#!/usr/bin/env bash
# Droid 0.215.0: a compaction in the middle of a turn takes nothing of the conversation out of the window.
#
# Expected: after a compaction the model is sent the summary in the place of what it summarises, and less than before.
# Seen: when a request passes the limit of `compactionTokenLimit` while a turn runs, the whole conversation is summarised,
# and the next request has the summary as one message more; every prompt, call and result that it is about is sent again
# behind it. The record `compaction_state` says so by `removedCount: 1`: only the message with reminders was replaced, by
# new reminders. When a later request of the turn passes the limit, too, the same is summarised again at the price of one
# more request, and again nothing leaves. Whoever puts the summary in the place of what it tells gets another window.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund droid@0.215.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
let steps = 0
const countOf = (messages, role) => messages.filter((message) => message.role === role).length
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks))
  const isSummary = tools.length === 0
  if (!isSummary) steps += 1
  const hasSummary = JSON.stringify(messages).includes('words of the summary')
  appendFileSync('requests.txt', isSummary ? 'asked for a summary\n'
    : `${countOf(messages, 'assistant')} answers, ${countOf(messages, 'tool')} results, summary ${hasSummary}\n`)
  const event = (delta, finish_reason = null, more = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (isSummary || steps > 4) {
    response.write(event({ role: 'assistant', content: isSummary ? 'words of the summary' : 'done' }))
    response.write(event({}, 'stop'))
  } else {
    const input = { summary: 'say it', command: `echo ${steps}`, riskLevelReason: 'none', riskLevel: 'low' }
    const call = { index: 0, id: `call_${steps}`, type: 'function', function: { name: 'Execute', arguments: JSON.stringify(input) } }
    response.write(event({ role: 'assistant', content: `step ${steps}`, tool_calls: [call] }))
    response.write(event({}, 'tool_calls'))
  }
  // The second and the fourth step tell of more tokens than the limit allows.
  const prompt_tokens = !isSummary && steps % 2 === 0 && steps < 5 ? 150000 : 1000
  const usage = { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 }
  response.end(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\ndata: [DONE]\n\n`)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.factory work
cat > home/.factory/settings.json <<CONFIG
{ "compactionTokenLimit": 100000,
  "customModels": [{ "model": "m", "displayName": "m", "baseUrl": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none",
    "maxOutputTokens": 8000, "provider": "generic-chat-completion-api" }] }
CONFIG
(cd work && HOME="$folder/home" "$folder/node_modules/.bin/droid" exec --auto low -m custom:m-0 'run four commands' \
  < /dev/null > /dev/null 2>&1)
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const name = readdirSync('home/.factory/sessions', { recursive: true }).find((path) => path.endsWith('.jsonl'))
for (const line of readFileSync(`home/.factory/sessions/${name}`, 'utf8').trim().split('\n')) {
  const { type, removedCount, anchorMessage } = JSON.parse(line)
  if (type === 'compaction_state')
    console.log(`compaction: removedCount ${removedCount}, up to message ${anchorMessage.index}`)
}
SCRIPT
cp requests.txt seen.txt
node look.mjs >> seen.txt
cat seen.txt
diff seen.txt - <<'EXPECTED'
0 answers, 0 results, summary false
1 answers, 1 results, summary false
asked for a summary
2 answers, 2 results, summary true
3 answers, 3 results, summary true
asked for a summary
4 answers, 4 results, summary true
compaction: removedCount 1, up to message 0
compaction: removedCount 1, up to message 0
EXPECTED
echo 'As when it was found.'
