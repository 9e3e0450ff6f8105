#!/usr/bin/env bash
# Gemini CLI 0.61.0 over the Agent Client Protocol (`--acp`), as editors run it: the calls of a whole session stand in one
# record, apart from the answers that made them, and each further call writes all earlier ones with their outputs again.
#
# Expected: as without an editor, an answer is recorded with its calls, and a session is as long as what was said and done.
# Seen: without an editor each output is in the file three times, however many calls come. With one, the output of the first
# of 16 calls is there 33 times, and an answer has no calls: they lie in a record without text, whose id stays the same for
# the session, so that who takes the last record of an id, as one should, has all calls of a day behind the last prompt. Twice
# as many calls make a file nearly four times as long.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @google/gemini-cli@0.61.0
export PATH="$folder/node_modules/.bin:$PATH"
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    if (!/enerateContent/.test(request.url)) return response.writeHead(404).end('{}')
    const number = (body.match(/"functionResponse"/g) ?? []).length + 1
    const [, wanted = 0] = body.match(/calls: (\d+)/) ?? []
    const args = { command: `printf OUTPUT-%s- ${number}; head -c 2000 /dev/zero | tr "\\0" x` }
    const call = { functionCall: { name: 'run_shell_command', args } }
    const isCall = body.includes('"functionDeclarations"') && number <= wanted
    const content = { role: 'model', parts: [{ text: `ANSWER-${number}` }, ...(isCall ? [call] : [])] }
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
import { createInterface } from 'node:readline'
const [text] = process.argv.slice(2)
const args = ['-m', 'gemini-2.5-pro', '--acp', '--yolo']
const agent = spawn('gemini', args, { cwd: 'work', stdio: ['pipe', 'pipe', 'ignore'] })
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
await ask('authenticate', { methodId: 'gemini-api-key' })
const { sessionId } = await ask('session/new', { cwd: `${process.cwd()}/work`, mcpServers: [] })
await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
agent.stdin.end()
agent.kill()
SCRIPT
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const [name, home] = process.argv.slice(2)
const folder = `${home}/.gemini/tmp/work/chats`
const text = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('')
const records = text.trim().split('\n').map((line) => JSON.parse(line))
const newest = new Map(records.filter(({ type }) => type === 'gemini').map((record) => [record.id, record]))
const withCalls = [...newest.values()].filter(({ toolCalls = [] }) => toolCalls.length > 0)
const outputs = text.match(/(?:"|: )OUTPUT-1-/g) ?? []
console.log(`${name}: records with calls ${withCalls.length}, of these with an answer ${
  withCalls.filter(({ content }) => JSON.stringify(content).includes('ANSWER')).length}; the first output stands there ${
  outputs.length} times`)
SCRIPT
{
  for calls in 8 16; do
    mkdir -p "plain-$calls" "editor-$calls"
    cp -r home/.gemini "plain-$calls"
    cp -r home/.gemini "editor-$calls"
    (cd work && HOME="$folder/plain-$calls" gemini -m gemini-2.5-pro --yolo -p "calls: $calls" < /dev/null > /dev/null 2>&1)
    node look.mjs "$calls calls, without an editor" "plain-$calls"
    HOME="$folder/editor-$calls" node editor.mjs "calls: $calls"
    node look.mjs "$calls calls, with an editor" "editor-$calls"
  done
  for kind in plain editor; do
    sizes=$(for calls in 8 16; do cat "$kind-$calls"/.gemini/tmp/work/chats/* | wc -c; done | tr '\n' ' ')
    node -e 'const [eight, sixteen, kind] = process.argv.slice(1)
      console.log(`${kind}: 16 calls take ${sixteen / eight > 3 ? "more" : "less"} than three times the bytes of 8`)' $sizes "$kind"
  done
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
8 calls, without an editor: records with calls 8, of these with an answer 8; the first output stands there 3 times
8 calls, with an editor: records with calls 1, of these with an answer 0; the first output stands there 17 times
16 calls, without an editor: records with calls 16, of these with an answer 16; the first output stands there 3 times
16 calls, with an editor: records with calls 1, of these with an answer 0; the first output stands there 33 times
plain: 16 calls take less than three times the bytes of 8
editor: 16 calls take more than three times the bytes of 8
EXPECTED
echo 'As when it was found.'
