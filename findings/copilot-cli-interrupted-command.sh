#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102: when the program ended while a command ran, the model is warned of what that command may have
# done in one process only. Later ones replace the warning by a sentence that says nothing of it, and no event has that.
#
# Expected: what a result was sent as is what the session has, and it stays. Seen: the first resume records a result of the
# command (`tool.execution_complete` with `interrupted`) that warns of partial effects and of running it again, and sends
# it. Each later resume sends "The execution of this tool, or a previous tool was interrupted." in its place. The events
# still have the first text, so whoever computes the window from them has other words and more tokens than the model got,
# and a cache of the request begins to differ at that place.
set -euo pipefail
folder=$(mktemp -d)
model=
agent=
trap '[ -z "$model" ] || kill "$model"; [ -z "$agent" ] || kill -9 -- "-$agent" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @github/copilot@1.0.102
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages } = JSON.parse(body || '{}')
    if (!messages) return response.writeHead(404).end('{}')
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    appendFileSync('sent.txt', `${JSON.stringify(results)}\n`)
    const input = JSON.stringify({ command: 'sleep 20', description: 'waits' })
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'bash', arguments: input } }
    const isCall = messages.filter(({ role }) => role === 'assistant').length === 0
    const delta = isCall ? { content: 'It runs.', tool_calls: [call] } : { content: 'An answer.' }
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }], usage },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks)
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > ask.sh <<ASK
cd "$folder/work"
export HOME="$folder/home" COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$(cat port.txt)/v1" COPILOT_PROVIDER_API_KEY=none
export COPILOT_MODEL=m COPILOT_OFFLINE=true
exec "$folder/node_modules/.bin/copilot" --allow-all-tools "\$@" < /dev/null > /dev/null 2>&1
ASK
setsid bash ask.sh -p 'run it' &
agent=$!
disown "$agent"
until grep -qs tool.execution_start home/.copilot/session-state/*/events.jsonl; do sleep 0.2; done
kill -9 -- "-$agent"
agent=
bash ask.sh --continue -p 'second question'
bash ask.sh --continue -p 'third question'
bash ask.sh --continue -p 'fourth question'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const lines = (path) => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const states = 'home/.copilot/session-state'
const [session] = readdirSync(states).filter((name) => !name.startsWith('.'))
const recorded = lines(`${states}/${session}/events.jsonl`)
  .filter(({ type }) => type === 'tool.execution_complete')
  .map(({ data }) => data.error.message)
console.log(`results recorded: ${recorded.length}`)
console.log(`it warns of running it again: ${/do not .*replay/.test(recorded[0])}`)
for (const [result] of lines('sent.txt').slice(1))
  console.log(`sent: ${result === recorded[0] ? 'as recorded' : result}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
results recorded: 1
it warns of running it again: true
sent: as recorded
sent: The execution of this tool, or a previous tool was interrupted.
sent: The execution of this tool, or a previous tool was interrupted.
EXPECTED
echo 'As when it was found.'
