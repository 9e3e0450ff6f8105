#!/usr/bin/env bash
# Qwen Code 0.24.4 writes a line into ~/.qwen/usage_record.jsonl each time that it ends. A line is the total of the
# session up to then, and not what came since the last one, so the lines of a resumed session must not be added up.
#
# Expected: a session of two prompts, of which the second was asked after `qwen -c`, adds up to the requests that the
# model got. Seen: the model got four requests, and the lines say 2 and 4, which is six.
#
# Two prompts are four requests, because after each answer an agent of its own (managed-auto-memory-extractor) asks the
# model once more. These requests are in no record of an assistant in the session's file: whoever adds up the usage of
# its answers finds half of what was spent. They stand only in records of telemetry (system/ui_telemetry), each of which
# also repeats the words of an answer, so that a search over the file finds every answer twice.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @qwen-code/qwen-code@0.24.4
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (request.url === '/requests') return response.end(String(requests))
    requests += 1
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const message = { role: 'assistant', content: `ANSWER ${requests}` }
    const shared = { id: 'c', model: 'm', created: 1 }
    if (!JSON.parse(body).stream) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return response.end(JSON.stringify({ ...shared, object: 'chat.completion', choices, usage }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunks = [
      { choices: [{ index: 0, delta: message }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
    ]
    for (const chunk of chunks)
      response.write(`data: ${JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
address="http://127.0.0.1:$(cat port.txt)"
mkdir home work
ask() {
  (cd work && HOME="$folder/home" OPENAI_BASE_URL="$address/v1" OPENAI_API_KEY=none OPENAI_MODEL=m \
    "$folder/node_modules/.bin/qwen" --auth-type openai "$@" < /dev/null > /dev/null 2>&1)
}
ask -p 'first question'
ask -c -p 'second question'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const lines = (path) => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const [, , requests] = process.argv
const session = readdirSync('home/.qwen/projects', { recursive: true }).find((path) => path.endsWith('.jsonl'))
const records = lines(`home/.qwen/projects/${session}`)
const answers = records.filter(({ type }) => type === 'assistant')
const telemetry = records.filter(({ subtype }) => subtype === 'ui_telemetry').map(({ systemPayload }) => systemPayload.uiEvent)
const totals = lines('home/.qwen/usage_record.jsonl').map(({ models }) => models.m.requests)
console.log(`requests that the model got: ${requests}`)
console.log(`requests in the lines of usage_record.jsonl: ${totals.join(' and ')}`)
console.log(`answers in the session: ${answers.length}, records of telemetry: ${telemetry.length}`)
console.log(`who asked: ${telemetry.map(({ subagent_type }) => subagent_type ?? 'main').join(', ')}`)
console.log(`answers whose words telemetry repeats: ${
  answers.filter(({ message }) => telemetry.some((event) => event.response_text === message.parts[0].text)).length}`)
SCRIPT
node look.mjs "$(curl -s "$address/requests")" | tee seen.txt
diff seen.txt - <<'EXPECTED'
requests that the model got: 4
requests in the lines of usage_record.jsonl: 2 and 4
answers in the session: 2, records of telemetry: 4
who asked: main, managed-auto-memory-extractor, main, managed-auto-memory-extractor
answers whose words telemetry repeats: 2
EXPECTED
echo 'As when it was found.'
