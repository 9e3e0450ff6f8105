#!/usr/bin/env bash
# ccusage 20.0.24 and Claude Code 2.1.332 behind a gateway whose answers have no `request-id` header (many have none): the
# answers that a fork copies are counted a second time. With the header they are counted once.
#
# Expected: an answer has an id of its own (`message.id`), a copy has the same one, and is counted once in both cases.
# Seen: Claude Code writes `requestId` only where the provider sent the header. The three copied answers of 1,000 tokens
# are left out where they have a request id and added where they have none: 7,000 tokens instead of 4,000 for the four
# answers of a session and its fork. The lines of one answer in the same file, one for each block, count once either way.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332 ccusage@20.0.24
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const [, , withIds] = process.argv
let answers = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages = [], model } = JSON.parse(body || '{}')
    answers += 1
    const calls = JSON.stringify(messages).includes('tool_result') ? [] : ['first', 'second']
    const usage = { input_tokens: 1000, output_tokens: 10 }
    const start = { id: `msg_${answers}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage }
    const blocks = [
      [{ type: 'text', text: '' }, { type: 'text_delta', text: `Answer ${answers}.` }],
      ...calls.map((word) => [
        { type: 'tool_use', id: `toolu_${word}`, name: 'Bash', input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify({ command: `echo ${word}`, description: 'says a word' }) },
      ]),
    ]
    const events = [
      { type: 'message_start', message: start },
      ...blocks.flatMap(([content_block, delta], index) => [
        { type: 'content_block_start', index, content_block },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    const ids = withIds === 'with' ? { 'request-id': `req_${answers}` } : {}
    response.writeHead(200, { 'content-type': 'text/event-stream', ...ids })
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const [, , home, ids] = process.argv
const projects = `${home}/.claude/projects`
const answers = readdirSync(projects, { recursive: true })
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(`${projects}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
  .filter(({ type }) => type === 'assistant')
const { totals } = JSON.parse(readFileSync(0, 'utf8'))
console.log(`${ids} request ids: ${new Set(answers.map(({ message }) => message.id)).size} answers on ${answers.length} lines, ${
  answers.filter(({ requestId }) => requestId).length} lines with an id, ccusage counts ${totals.inputTokens} input tokens`)
SCRIPT
for ids in with without; do
  : > port.txt
  node model.mjs "$ids" > port.txt &
  model=$!
  until [ -s port.txt ]; do sleep 0.1; done
  mkdir -p "$ids/.claude" "work-$ids"
  ask() {
    (cd "work-$ids" && HOME="$folder/$ids" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port.txt)" ANTHROPIC_API_KEY=none \
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$folder/node_modules/.bin/claude" "$@" < /dev/null > /dev/null)
  }
  ask -p 'Run it.' --allowedTools Bash
  ask -c -p 'And then?'
  ask -c -p 'In the fork.' --fork-session
  kill "$model"
  HOME="$folder/$ids" CLAUDE_CONFIG_DIR="$folder/$ids/.claude" node_modules/.bin/ccusage session --offline --json |
    node look.mjs "$ids" "$ids" | tee -a seen.txt
done
model=
diff seen.txt - <<'EXPECTED'
with request ids: 4 answers on 11 lines, 11 lines with an id, ccusage counts 4000 input tokens
without request ids: 4 answers on 11 lines, 0 lines with an id, ccusage counts 7000 input tokens
EXPECTED
echo 'As when it was found.'
