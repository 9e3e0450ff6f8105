#!/usr/bin/env bash
# Claude Code 2.1.332 and its Agent SDK 0.3.332: after a compaction, the SDK's own reader of transcripts no longer gives what
# was said before it, though the file has all of it.
#
# Expected: `getSessionMessages` gives the prompts and answers of a session in the order of their time.
# Seen: of three prompts and three answers it gives the one answer that the compaction kept, and that one behind the
# summary, although it is older. No field says that anything is missing, and no option asks for it. The ids of what was
# said before, which `forkSession` takes, can only be read in the file.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332 @anthropic-ai/claude-agent-sdk@0.3.332 zod@4.6.7
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
let requests = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    requests += 1
    const usage = { input_tokens: 1000, output_tokens: 10 }
    const answer = { id: `msg_${requests}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [] }
    const events = [
      { type: 'message_start', message: { ...answer, stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'An answer.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${requests}` })
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
address="http://127.0.0.1:$(cat port.txt)"
mkdir -p home/.claude work
export HOME="$folder/home"
ask() {
  (cd work && ANTHROPIC_BASE_URL="$address" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    "$folder/node_modules/.bin/claude" "$@" < /dev/null > /dev/null)
}
session=11111111-2222-4333-8444-555555555555
ask --session-id "$session" -p 'one'
ask -r "$session" -p 'two'
ask -r "$session" -p 'three'
cat > look.mjs <<'SCRIPT'
import { getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
import { readdirSync, readFileSync } from 'node:fs'
const [, , id, when] = process.argv
const messages = await getSessionMessages(id, { dir: 'work', includeSystemMessages: true, limit: 100 })
const project = `home/.claude/projects/${readdirSync('home/.claude/projects')[0]}`
const records = readFileSync(`${project}/${id}.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const times = new Map(records.map(({ uuid, timestamp }) => [uuid, timestamp]))
const prompts = (list) => list.filter(({ message }) => ['one', 'two', 'three'].includes(message?.content)).length
const isOrdered = messages.every(({ uuid }, at) => at === 0 || times.get(messages[at - 1].uuid) <= times.get(uuid))
console.log(`${when}: ${prompts(messages)} prompts of ${prompts(records)} in the file, in order: ${isOrdered}`)
console.log(`${when}: ${messages.filter(({ type }) => type === 'assistant').length} answers`)
SCRIPT
node look.mjs "$session" before > seen.txt
ask -r "$session" -p '/compact'
node look.mjs "$session" after >> seen.txt
cat seen.txt
diff seen.txt - <<'EXPECTED'
before: 3 prompts of 3 in the file, in order: true
before: 3 answers
after: 0 prompts of 3 in the file, in order: false
after: 1 answers
EXPECTED
echo 'As when it was found.'
