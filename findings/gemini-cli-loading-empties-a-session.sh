#!/usr/bin/env bash
# Gemini CLI 0.61.0 over the Agent Client Protocol (`--acp`), as editors run it: asking it to load a session does not load
# it, and empties it.
#
# Expected: what the agent says of itself (`loadSession: true`): `session/load` brings a session of an earlier process back.
# Seen: it answers that there are no previous sessions for the project. By then it has written a new beginning into the file
# of that session, under the same id, with a history that has nothing but the context of today. What was said is still in the
# file, and is read no more: `--resume latest` would have sent the whole conversation before, and now finds no session, sends
# the new prompt alone and deletes the file. An editor that offers its person the sessions of yesterday loses the one chosen.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @google/gemini-cli@0.61.0
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!/enerateContent/.test(request.url)) return response.writeHead(404).end('{}')
    const { contents = [] } = JSON.parse(body)
    appendFileSync('sent.txt', `${(JSON.stringify(contents).match(/(?:PROMPT|ANSWER)-\d/g) ?? []).join(' ')}\n`)
    const content = { role: 'model', parts: [{ text: 'ANSWER-1' }] }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 }
    const text = JSON.stringify({ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata })
    response.writeHead(200, { 'content-type': request.url.includes('stream') ? 'text/event-stream' : 'application/json' })
    response.end(request.url.includes('stream') ? `data: ${text}\n\n` : text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.gemini work
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > home/.gemini/settings.json
export GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat port.txt)"
cat > editor.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const args = ['-m', 'gemini-2.5-pro', '--acp']
const agent = spawn('gemini', args, { cwd: 'work', stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
createInterface(agent.stdout).on('line', (line) => {
  const { id, result, error, method } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result ?? { error })
})
let newest = 0
const ask = (method, params) => new Promise((done) => {
  waiting.set((newest += 1), done)
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: newest, method, params })}\n`)
})
const place = { cwd: `${process.cwd()}/work`, mcpServers: [] }
const { agentCapabilities } = await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
await ask('authenticate', { methodId: 'gemini-api-key' })
if (process.argv[2] === 'new') {
  const { sessionId } = await ask('session/new', place)
  const prompt = [{ type: 'text', text: 'PROMPT-1' }]
  await ask('session/prompt', { sessionId, prompt })
  writeFileSync('session.txt', sessionId)
  console.log(`the agent can load sessions: ${agentCapabilities.loadSession}`)
} else {
  const { error } = await ask('session/load', { sessionId: readFileSync('session.txt', 'utf8'), ...place })
  console.log(`loading: ${error?.data?.details ?? error?.message ?? 'loaded'}`)
}
agent.stdin.end()
agent.kill()
SCRIPT
resume() {
  : > sent.txt
  (cd work && HOME="$folder/$1" gemini -m gemini-2.5-pro --resume latest -p 'PROMPT-2' < /dev/null > said.txt 2>&1) || true
  echo "resumed $2: sent \"$(tail -n 1 sent.txt)\"$(grep -o 'No previous sessions found for this project' work/said.txt | sed 's/^/; /')"
}
look() {
  cat home/.gemini/tmp/work/chats/*-"$(cut -c1-8 session.txt)".jsonl > lines.txt 2> /dev/null || : > lines.txt
  echo "lines of the session with the prompt, $1: $(grep -c '"text":"PROMPT-1"' lines.txt || true)"
}
{
  HOME="$folder/home" node editor.mjs new
  cp -r home before
  HOME="$folder/home" node editor.mjs load
  look 'after loading'
  echo "messages in the newest history: $(
    grep '"$set":{"messages"' lines.txt | tail -n 1 | grep -o '"type":"user"\|"type":"gemini"' | wc -l)"
  resume before 'as it was before'
  resume home afterwards
  look 'after resuming'
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
the agent can load sessions: true
loading: No previous sessions found for this project.
lines of the session with the prompt, after loading: 1
messages in the newest history: 1
resumed as it was before: sent "PROMPT-1 ANSWER-1 PROMPT-2"
resumed afterwards: sent "PROMPT-2"; No previous sessions found for this project
lines of the session with the prompt, after resuming: 0
EXPECTED
echo 'As when it was found.'
