#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102, a compaction (`/compact`): the model is sent the prompts of the person again, in front of the
# summary, which is recorded nowhere, and of long ones only some, whichever fit.
#
# Expected: the events of a session tell what the model is sent after a compaction (`session.compaction_complete` has the
# summary, and how many messages were removed), and of what the person asked nothing is cut in secret. Seen: one message has
# the prompts as they were typed and then the summary. When they have more than 30,000 characters, the first ones may have
# 5,999 and the newest ones 24,001, up to the first one that does not fit. A prompt with a long log takes short ones beside it
# along, here "2 messages omitted", whose words the model then has from the summary alone. The event says that every message
# but one was removed and has the summary alone, so that who reads the file takes prompts for forgotten that the model has,
# and can only count to learn which it does not have.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @github/copilot@1.0.102
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
    const { messages } = JSON.parse(body)
    const content = messages.filter(({ role }) => role === 'user').map((message) => JSON.stringify(message.content))
    writeFileSync('sent.txt', content.join('\n'))
    requests += 1
    const base = { id: `chat-${requests}`, object: 'chat.completion.chunk', created: 1, model: 'm' }
    const usage = { prompt_tokens: 1000, completion_tokens: 1, total_tokens: 1001 }
    const delta = { role: 'assistant', content: `ANSWER-${requests}` }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of [
      { ...base, choices: [{ index: 0, delta }] },
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...base, choices: [], usage },
    ])
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
url="http://127.0.0.1:$(cat port.txt)"
mkdir home work
export HOME="$folder/home" COPILOT_OFFLINE=true COPILOT_MODEL=m
export COPILOT_PROVIDER_BASE_URL="$url/v1" COPILOT_PROVIDER_API_KEY=none
cat > editor.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const agent = spawn('copilot', ['--acp', '--allow-all-tools'], { cwd: 'work', stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
createInterface(agent.stdout).on('line', (line) => {
  const { id, result, method } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result)
})
let newest = 0
const ask = (method, params) => new Promise((done) => {
  waiting.set((newest += 1), done)
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: newest, method, params })}\n`)
})
await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
const { sessionId } = await ask('session/new', { cwd: `${process.cwd()}/work`, mcpServers: [] })
const say = (text) => ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
const lengths = [9000, 100, 28_000, 100, 8000]
for (const [number, length] of lengths.entries()) await say(`PROMPT-${number + 1} `.padEnd(length, 'x'))
await say('/compact')
await say('PROMPT-6')
agent.kill()
console.log(`asked: ${lengths.join(', ')} characters, then PROMPT-6 after a compaction`)
const sent = readFileSync('sent.txt', 'utf8')
const kept = sent.split('<user_message>\\n').slice(1).map((text) => text.split('\\n</user_message>')[0])
for (const text of kept)
  console.log(`in front of the summary: ${text.slice(0, 8)}, ${text.length} characters${text.endsWith('x') ? '' : ', cut'}`)
console.log(`left out: ${sent.match(/\d+ messages omitted/)?.[0]}; the summary is behind them: ${
  sent.indexOf('ANSWER-6') > sent.lastIndexOf('</user_message>')}`)
const [session] = readdirSync('home/.copilot/session-state').filter((name) => !name.startsWith('.'))
const events = readFileSync(`home/.copilot/session-state/${session}/events.jsonl`, 'utf8').trim().split('\n')
const { data } = events.map((line) => JSON.parse(line)).find(({ type }) => type === 'session.compaction_complete')
const { preCompactionMessagesLength: before, messagesRemoved, summaryContent } = data
console.log(`recorded: ${messagesRemoved} of ${before} messages removed, summary "${summaryContent}", prompts: ${
  JSON.stringify(data).includes('PROMPT')}`)
SCRIPT
node editor.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
asked: 9000, 100, 28000, 100, 8000 characters, then PROMPT-6 after a compaction
in front of the summary: PROMPT-1, 5999 characters, cut
in front of the summary: PROMPT-4, 100 characters
in front of the summary: PROMPT-5, 8000 characters
left out: 2 messages omitted; the summary is behind them: true
recorded: 9 of 10 messages removed, summary "ANSWER-6", prompts: false
EXPECTED
echo 'As when it was found.'
