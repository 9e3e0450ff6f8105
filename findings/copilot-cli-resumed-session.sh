#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102: three things in the events of a session that was resumed once.
#
# - A turn has an id (`turnId`), which is a number from 0 on and begins again at 0 when the session is resumed. Events
#   that name a turn cannot be joined by it: only together with `interactionId` is it one turn.
# - `session.shutdown` has totals of the session up to then, also of what was before it was resumed. Adding up the totals
#   of all of them counts the first part twice.
# - A prompt stands in `user.message` as it was typed (`content`) and as it was sent (`transformedContent`, which begins
#   with the time). The model never gets the first one by itself. The system prompt (`system.message`) is recorded behind
#   the first prompt, though it is sent before it.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @github/copilot@1.0.102
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''))
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages } = JSON.parse(body || '{}')
    if (!messages) return response.writeHead(404).end('{}')
    const [first, last] = [messages[0], messages.at(-1)]
    appendFileSync('sent.txt', `${JSON.stringify({ first: first.role, prompt: textOf(last.content) })}\n`)
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'the answer' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
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
ask() {
  (cd work && HOME="$folder/home" COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$(cat ../port.txt)/v1" \
    COPILOT_PROVIDER_API_KEY=none COPILOT_MODEL=m COPILOT_OFFLINE=true \
    "$folder/node_modules/.bin/copilot" "$@" < /dev/null > /dev/null 2>&1)
}
ask -p 'first question'
ask --continue -p 'second question'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const lines = (path) => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const states = 'home/.copilot/session-state'
const [session, ...others] = readdirSync(states).filter((name) => !name.startsWith('.'))
const events = lines(`${states}/${session}/events.jsonl`)
const of = (type) => events.flatMap((event) => (event.type === type ? [event.data] : []))
const sent = lines('sent.txt')
const prompts = of('user.message')
console.log(`sessions: ${1 + others.length}`)
console.log(`ids of turns: ${of('assistant.turn_start').map(({ turnId }) => turnId).join(', ')}`)
console.log(`interactions: ${new Set(of('assistant.turn_start').map(({ interactionId }) => interactionId)).size}`)
console.log(`requests: ${sent.length}; in the totals of each end: ${
  of('session.shutdown').map(({ accountingSnapshot }) => accountingSnapshot.totalUserRequests).join(', ')}`)
console.log(`prompts as typed: ${prompts.map(({ content }) => content).join(', ')}`)
console.log(`sent as typed: ${sent.filter(({ prompt }, at) => prompt === prompts[at].content).length}`)
console.log(`sent as transformed: ${sent.filter(({ prompt }, at) => prompt === prompts[at].transformedContent).length}`)
const order = events.map(({ type }) => type).filter((type) => /^(?:user|system)\.message$/.test(type)).slice(0, 2)
console.log(`recorded first: ${order.join(', ')}; sent first: ${sent[0].first}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sessions: 1
ids of turns: 0, 0
interactions: 2
requests: 2; in the totals of each end: 1, 2
prompts as typed: first question, second question
sent as typed: 0
sent as transformed: 2
recorded first: user.message, system.message; sent first: system
EXPECTED
echo 'As when it was found.'
