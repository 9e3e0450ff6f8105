#!/usr/bin/env bash
# OpenClaw 2026.9.6: what the model is sent is more than what the session records, and the records do not say so.
#
# Expected: the messages of a session, in `transcript_events` of `openclaw-agent.sqlite`, are the messages that the model
# was sent. Seen: each request ends with one more message of the user, behind the prompt, in which the program tells the
# model of its sub-agents (`OPENCLAW_INTERNAL_CONTEXT`). No event has it, nor the system prompt, and later requests do not
# repeat it. A prompt is recorded as it was typed and sent with words of the program around it. So counting the recorded
# messages gives one less than the model got, and their texts are not what it cost.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0
export PATH="$folder/node_modules/.bin:$PATH"
npm install --silent --no-audit --no-fund openclaw@2026.9.6
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(''))
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const { messages } = JSON.parse(body)
    const sent = messages.map(({ role, content }) => ({ role, text: textOf(content) }))
    appendFileSync('sent.txt', `${JSON.stringify(sent)}\n`)
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'the answer' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
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
mkdir -p home/.openclaw work
cat > home/.openclaw/openclaw.json <<CONFIG
{"models": {"mode": "merge", "providers": {"scripted": {"baseUrl": "http://127.0.0.1:$(cat port.txt)/v1",
  "apiKey": "none", "api": "openai-completions", "models": [{"id": "m", "name": "m", "reasoning": false,
  "input": ["text"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
  "contextWindow": 200000, "maxTokens": 8000}]}}},
 "agents": {"defaults": {"model": {"primary": "scripted/m"}, "workspace": "$folder/work"}}}
CONFIG
ask() {
  (cd work && HOME="$folder/home" openclaw agent --local --session-id one --message "$1" < /dev/null > /dev/null 2>&1)
}
ask 'first question'
ask 'second question'
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
const db = new DatabaseSync('home/.openclaw/agents/main/agent/openclaw-agent.sqlite', { readOnly: true })
const rows = db.prepare('SELECT event_json AS json, event_zstd AS packed FROM transcript_events ORDER BY seq').all()
const events = rows.map(({ json, packed }) => json ?? zstdDecompressSync(packed).toString())
const recorded = events.map((event) => JSON.parse(event)).filter(({ type }) => type === 'message')
const prompts = recorded.map(({ message }) => message).filter(({ role }) => role === 'user').map(({ content }) => content)
console.log(`recorded: ${recorded.map(({ message }) => message.role).join(' ')}`)
console.log(`prompts as recorded: ${prompts.join(', ')}`)
for (const line of readFileSync('sent.txt', 'utf8').trim().split('\n')) {
  const sent = JSON.parse(line)
  const isOwn = ({ role, text }) => role === 'user' && text.includes('OPENCLAW_INTERNAL_CONTEXT')
  const own = sent.filter((one) => isOwn(one) && !prompts.some((prompt) => one.text.includes(prompt)))
  console.log(`sent: ${sent.map(({ role }) => role).join(' ')}`)
  console.log(`  of the user, by the program alone: ${own.length}, the last one: ${own.includes(sent.at(-1))}`)
  console.log(`  prompts as they were typed: ${sent.filter(({ role, text }) => role === 'user' && prompts.includes(text)).length}`)
}
console.log(`events with words of the program: ${events.filter((event) => event.includes('INTERNAL_CONTEXT')).length}`)
SCRIPT
node --no-warnings look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
recorded: user assistant user assistant
prompts as recorded: first question, second question
sent: system user user
  of the user, by the program alone: 1, the last one: true
  prompts as they were typed: 0
sent: system user assistant user user
  of the user, by the program alone: 1, the last one: true
  prompts as they were typed: 0
events with words of the program: 0
EXPECTED
echo 'As when it was found.'
