#!/usr/bin/env bash
# Continue CLI 1.5.47: a session says what each answer cost, also of a model whose price nobody told it, such as one that
# runs on the same machine and costs nothing.
#
# Expected: no cost where no price is known. Seen: every input token of an unknown model on an address of one's own counts
# a millionth of a dollar, each answer has the cost as a whole number of cents (`cost_cents`), and the session has the sum
# (`totalCost`). Nothing says that it was guessed. Neither messages nor the session's file have a time, and the list of
# sessions counts only what the person said as its messages.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @continuedev/cli@1.5.47
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const event = (choices, more = {}) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'own', choices, ...more })}\n\n`
    const usage = { prompt_tokens: 20000, completion_tokens: 0, total_tokens: 20000 }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event([{ index: 0, delta: { role: 'assistant', content: 'An answer.' }, finish_reason: null }]))
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
CONFIG
ask() {
  (cd work && HOME="$folder/home" CONTINUE_TELEMETRY_ENABLED=0 "$folder/node_modules/.bin/cn" \
    --config "$folder/home/.continue/config.yaml" -p "$@" < /dev/null > /dev/null 2>&1)
}
ask 'one'
ask --resume 'two'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const folder = 'home/.continue/sessions'
const parsed = (name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
const session = parsed(readdirSync(folder).find((name) => name !== 'sessions.json'))
const [listed] = parsed('sessions.json')
const usages = session.history.flatMap(({ message }) => message.usage ?? [])
console.log(`answers: ${usages.map(({ prompt_tokens, cost_cents }) => `${prompt_tokens} tokens, ${cost_cents} cents`).join('; ')}`)
console.log(`the session: ${session.usage.totalCost} dollars`)
console.log(`messages: ${session.history.length}, in the list: ${listed.messageCount}`)
console.log(`times in the session: ${/"(?:[a-z]*time[a-z]*|[a-z]*date[a-z]*|createdAt|updatedAt)":/i.test(JSON.stringify(session))}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
answers: 20000 tokens, 2 cents; 20000 tokens, 2 cents
the session: 0.04 dollars
messages: 4, in the list: 2
times in the session: false
EXPECTED
echo 'As when it was found.'
