#!/usr/bin/env bash
# Kimi Code 2.1.0: the log of a session, to which the model is pointed after a compaction, has other messages than the
# model is sent.
#
# Expected: the messages in `wire.jsonl` (`context.append_message`, `context.append_loop_event`) are those that the model
# was sent. Seen: two differences.
# - A result is recorded as the command printed it, and sent with a first line more: how long it took. The record has the
#   time as a number of its own (`durationMs`), and no field says that it was sent.
# - After a compaction the prompts of the person that are kept are sent as one message, joined by empty lines. The log has
#   one record for each, and the compaction does not say that they were joined: the request has fewer messages than the log.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @moonshot-ai/kimi-code@2.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
let requests = 0
const isTyped = ({ role, content }) => role === 'user' && !/<system-reminder>/.test(JSON.stringify(content))
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages } = JSON.parse(body)
    appendFileSync('sent.jsonl', `${JSON.stringify(messages)}\n`)
    requests += 1
    const isFirst = messages.filter(isTyped).length === 1 && !messages.some(({ role }) => role === 'tool')
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'Bash', arguments: '{"command":"echo printed"}' } }
    const delta = isFirst ? { role: 'assistant', content: '', tool_calls: [call] } : { role: 'assistant', content: `Answer ${requests}.` }
    // So many tokens that the window is compacted before the third prompt is answered, at the latest.
    const tokens = 10_000 * requests
    const usage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 }
    const event = (choice, more = {}) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ delta, finish_reason: null }))
    response.write(event({ delta: {}, finish_reason: isFirst ? 'tool_calls' : 'stop' }, { usage }))
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir home work
cat > home/config.toml <<CONFIG
default_model = "m"
default_permission_mode = "yolo"
telemetry = false
[providers.scripted]
type = "openai"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
api_key = "none"
[models.m]
provider = "scripted"
model = "m"
max_context_size = 70000
CONFIG
ask() {
  (cd work && HOME="$folder/home" KIMI_CODE_HOME="$folder/home" "$folder/node_modules/.bin/kimi" "$@" < /dev/null > /dev/null 2>&1)
}
ask -p 'one'
ask -c -p 'two'
ask -c -p 'three'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const lines = (path) => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const name = readdirSync('home/sessions', { recursive: true }).find((path) => path.endsWith('main/wire.jsonl'))
const log = lines(`home/sessions/${name}`)
const sent = lines('sent.jsonl')
const last = sent.at(-1)
const result = log.find(({ event }) => event?.type === 'tool.result').event.result
const toModel = sent.flat().find(({ role }) => role === 'tool').content
const prompts = log.filter(({ type, message }) => type === 'context.append_message' && message.origin.kind === 'user')
const words = last.filter(({ role }) => role === 'user').map(({ content }) => content)
console.log(`the last request names the log: ${JSON.stringify(last).includes('main/wire.jsonl')}`)
console.log(`recorded result: ${JSON.stringify(result.output)}, fields: ${Object.keys(result).join(', ')}`)
console.log(`sent result: ${JSON.stringify(toModel).replace(/[0-9.]+ seconds/, 'SOME seconds')}`)
const compaction = log.find(({ type }) => type === 'context.apply_compaction')
console.log(`fields of the compaction: ${Object.keys(compaction).join(', ')}`)
console.log(`recorded prompts: ${prompts.map(({ message }) => message.content[0].text).join(', ')}`)
console.log(`sent after the compaction: ${JSON.stringify(words[0])}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
the last request names the log: true
recorded result: "printed\n", fields: output, durationMs
sent result: "Wall time: SOME seconds\nprinted\n"
fields of the compaction: type, agentId, summary, contextSummary, compactedCount, tokensBefore, tokensAfter, summaryOutputTokens, keptUserMessageCount, wireLines, time
recorded prompts: one, two, three
sent after the compaction: "one\n\ntwo\n\nthree"
EXPECTED
echo 'As when it was found.'
