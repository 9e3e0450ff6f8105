#!/usr/bin/env bash
# Continue CLI 1.5.47: a compaction takes the conversation out of the session's file, which is the only place that had it,
# and with it the prompt that was just given, which the model is never sent.
#
# Expected: what a compaction replaces stays in the session, or at least the newest prompt is sent with the summary.
# Seen: when a resumed session passes the limit (`contextLength`), the prompt is summarised with everything before it. The
# next request has the system prompt and the summary, as words of the assistant, and no message of a person at all. The
# file begins with a message with `conversationSummary`; the words that it stands for are in no file.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @continuedev/cli@1.5.47
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages } = JSON.parse(body)
    const isSummary = /summary of our conversation/.test(JSON.stringify(messages.at(-1)))
    const content = isSummary ? 'What was said so far.' : 'An answer.'
    appendFileSync('sent.jsonl', `${JSON.stringify(messages)}\n`)
    const event = (choices, more = {}) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'own', choices, ...more })}\n\n`
    const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]))
    response.write(event([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage }))
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.continue work
cat > home/.continue/config.yaml <<CONFIG
name: local
version: 0.0.1
schema: v1
models:
  - name: own
    provider: openai
    model: own
    apiBase: http://127.0.0.1:$(cat port.txt)/v1
    apiKey: none
    roles: [chat]
    defaultCompletionOptions:
      contextLength: 16000
      maxTokens: 1000
CONFIG
ask() {
  (cd work && HOME="$folder/home" CONTINUE_TELEMETRY_ENABLED=0 "$folder/node_modules/.bin/cn" \
    --config "$folder/home/.continue/config.yaml" -p "$@" < /dev/null > /dev/null 2>&1)
}
long=$(node -p 'Array.from({ length: 2500 }, (_, n) => `word${n}`).join(" ")')
ask "FIRST $long"
ask --resume "SECOND $long"
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync, statSync } from 'node:fs'
const paths = readdirSync('home', { recursive: true }).map((name) => `home/${name}`).filter((path) => statSync(path).isFile())
const texts = paths.map((path) => readFileSync(path, 'utf8'))
const sent = readFileSync('sent.jsonl', 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const { history } = JSON.parse(texts.find((_, index) => /sessions\/[^/]+-[^/]+\.json$/.test(paths[index])))
const [, ...window] = sent[2]
console.log(`the second request asks for a summary of ${sent[1].length - 2} messages`)
console.log(`sent after it: ${window.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join(', ')}`)
console.log(`the session begins with: ${history[0].conversationSummary}`)
for (const word of ['FIRST', 'SECOND'])
  console.log(`${word}: ${texts.some((text) => text.includes(`${word} word0`)) ? 'kept' : 'nowhere'}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
the second request asks for a summary of 3 messages
sent after it: assistant: "What was said so far."
the session begins with: What was said so far.
FIRST: nowhere
SECOND: nowhere
EXPECTED
echo 'As when it was found.'
