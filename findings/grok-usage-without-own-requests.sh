#!/usr/bin/env bash
# Grok Build (@xai-official/grok 1.0.41): what `grok usage` says of a session is less than half of what was asked for it,
# and each turn sends its whole window twice.
#
# Expected: the usage of a session, in `usage.json` and in `grok usage`, is that of the requests that were made for it.
# Seen: it has the requests of the turns only. When a turn has ended, the model is sent the whole window once more, the
# answer included, for a line of the dashboard (`last_turn_summary` in `summary.json`), also without a dashboard, as in `-p`.
# Titles are asked for after the first prompt and, with the window, after the second. None of these counts, nor does the
# request that writes the summary of a compaction, whose turn is missing in the list. `turn_completed` has the same.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
mkdir home work
# The package's installation already writes into this folder.
export GROK_HOME="$folder/home/.grok"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @xai-official/grok@1.0.41
export HOME="$folder/home" SCRIPTED_KEY=none
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join(''))
const kindOf = (texts) => {
  const last = texts.at(-1)
  if (last.includes('<system-reminder>Write an ultra-short dashboard line')) return 'line'
  if (texts[0].includes('session title') || last.includes('session title')) return 'title'
  return last.includes('<user_query>') ? 'turn' : 'compaction'
}
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const texts = JSON.parse(body).messages.map(({ content }) => textOf(content))
    const kind = kindOf(texts)
    const prompts = texts.filter((text) => /^<user_query>\s*prompt /.test(text)).length
    appendFileSync('sent.txt', `${JSON.stringify({ kind, prompts })}\n`)
    const content = kind === 'compaction' ? 'The person wants the work to go on. '.repeat(40) : 'the answer'
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks)
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
cat > "$GROK_HOME/config.toml" <<CONFIG
[models]
default = "scripted"
[model.scripted]
name = "scripted"
model = "m"
base_url = "http://127.0.0.1:$(cat port.txt)/v1"
env_key = "SCRIPTED_KEY"
context_window = 200000
CONFIG
grok() {
  (cd work && timeout 60 "$folder/node_modules/.bin/grok" "$@" < /dev/null 2> /dev/null)
}
grok -p 'prompt one' > /dev/null
grok --continue -p 'prompt two' > /dev/null
grok --continue -p '/compact' > /dev/null
grok --continue -p 'prompt three' > /dev/null
session=$(basename "$(dirname "$GROK_HOME"/sessions/*/*/usage.json)")
grok usage "$session" > usage.txt
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const sent = readFileSync('sent.txt', 'utf8').trim().split('\n').map((line) => JSON.parse(line))
for (const kind of ['turn', 'line', 'title', 'compaction']) {
  const ofKind = sent.filter((one) => one.kind === kind)
  console.log(`asked for a ${kind}: ${ofKind.length} times, with ${ofKind.map(({ prompts }) => prompts).join(', ')} of the prompts`)
}
const { session, turns } = JSON.parse(readFileSync('usage.txt', 'utf8'))
console.log(`sent: ${sent.length} requests of 1000 tokens`)
console.log(`grok usage: ${session.modelCalls} requests, ${session.inputTokens} tokens, turns ${
  turns.map(({ turnNumber }) => turnNumber).join(', ')}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
asked for a turn: 3 times, with 1, 2, 2 of the prompts
asked for a line: 4 times, with 1, 2, 1, 2 of the prompts
asked for a title: 2 times, with 1, 2 of the prompts
asked for a compaction: 1 times, with 2 of the prompts
sent: 10 requests of 1000 tokens
grok usage: 3 requests, 3000 tokens, turns 1, 2, 4
EXPECTED
echo 'As when it was found.'
