#!/usr/bin/env bash
# Nanocoder 1.30.0 (@nanocollective/nanocoder): a file that was read without trouble is an error in the window after a
# compaction, and an error that was resolved after the next one.
#
# Expected: a compaction makes results shorter and does not turn one that succeeded into one that failed.
# Seen: with the setting "mechanical" (`autoCompact.strategy`), which is also the way when the model gives no summary or one
# that is not shorter than what it would replace, a result with a word such as "ValueError:" in it is taken for the report
# of an error. In the place of a file with an `except` in it the model is sent that `read_file` failed with the error
# "return", the word behind the colon, and nothing of the file. The next compaction finds the word "Resolved" in that text
# and says that the error was resolved.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 @nanocollective/nanocoder@1.30.0 \
  @lydell/node-pty@1.1.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
const paths = ['parse.py', 'one.txt', 'two.txt', 'three.txt']
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages } = JSON.parse(body || '{}')
    if (!messages) return response.writeHead(404).end('{}')
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    appendFileSync('sent.txt', `${JSON.stringify(results)}\n`)
    const path = paths[results.length]
    const call = { name: 'read_file', arguments: JSON.stringify({ path }) }
    const delta = path
      ? { content: 'It reads.', tool_calls: [{ index: 0, id: `call_${path}`, type: 'function', function: call }] }
      : { content: 'All is read.' }
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: path ? 'tool_calls' : 'stop' }], usage },
    ]
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
cat > work/parse.py <<'FILE'
def parse(text):
    try:
        return int(text)
    except ValueError:
        return 0
FILE
for name in one two three; do seq 1 400 > "work/$name.txt"; done
cat > work/agents.config.json <<CONFIG
{ "nanocoder": { "providers": [
  { "name": "scripted", "baseUrl": "http://127.0.0.1:$(cat port.txt)/v1", "apiKey": "none", "models": ["m"] }
], "autoCompact": { "strategy": "mechanical" } } }
CONFIG
cat > drive.mjs <<'SCRIPT'
import pty from '@lydell/node-pty'
const folder = process.cwd()
const program = `${folder}/node_modules/@nanocollective/nanocoder/dist/cli.js`
const asked = ['--provider', 'scripted', '--model', 'm', '--context-max', '8k', 'run', 'Read the files.']
const env = { ...process.env, HOME: `${folder}/home` }
const terminal = pty.spawn(
  `${folder}/node_modules/.bin/node`,
  [program, '--no-plain', '--mode', 'yolo', '--trust-directory', ...asked],
  { name: 'xterm-256color', cols: 120, rows: 40, cwd: `${folder}/work`, env },
)
terminal.onData(() => undefined)
terminal.onExit(() => process.exit(0))
SCRIPT
timeout 120 node drive.mjs
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const file = readFileSync('work/parse.py', 'utf8')
const requests = readFileSync('sent.txt', 'utf8').trim().split('\n').map((line) => JSON.parse(line))
for (const [first] of requests.slice(1)) {
  const isFile = file.split('\n').every((line) => first.includes(line))
  console.log(`sent of parse.py: ${isFile ? 'the file' : first.replaceAll('\n', ' | ')}`)
}
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sent of parse.py: the file
sent of parse.py: the file
sent of parse.py: Tool: read_file | Error: return | return | Resolved: no
sent of parse.py: Tool: read_file | Error: return | return | Resolved: yes
EXPECTED
echo 'As when it was found.'
