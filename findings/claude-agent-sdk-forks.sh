#!/usr/bin/env bash
# Claude Code 2.1.332 and its Agent SDK 0.3.332: two ways to fork a session give two kinds of files, and no field says which
# kind a file is.
#
# Expected: `forkSession` of the SDK makes the file that `claude --fork-session` makes.
# Seen: the program copies records with their ids and goes on with the account of the parent (`cost-state`). The SDK gives
# every copy an id of its own, also in a fork of a fork, where `forkedFrom` names the copy and not the original, and the
# account begins at 0. The SDK also gives the last record that it copies the time of the fork, so that an answer has
# another time than in the session in which it was given. Adding up accounts, or joining copies by id or by time, is right
# for one kind and wrong for the other.
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
parent=11111111-2222-4333-8444-555555555555
ask --session-id "$parent" -p 'one'
ask -r "$parent" -p 'two'
sleep 2
cat > fork.mjs <<'SCRIPT'
import { forkSession } from '@anthropic-ai/claude-agent-sdk'
console.log((await forkSession(process.argv[2], { dir: 'work' })).sessionId)
SCRIPT
made=$(node fork.mjs "$parent")
ofFork=$(node fork.mjs "$made")
program=66666666-7777-4888-8999-000000000000
ask -r "$parent" --fork-session --session-id "$program" -p 'three'
ask -r "$made" -p 'three'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const project = `home/.claude/projects/${readdirSync('home/.claude/projects')[0]}`
const [parent, program, made, ofFork] = process.argv.slice(2).map((id) =>
  readFileSync(`${project}/${id}.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line)))
const said = (records) => records.filter(({ type }) => type === 'user' || type === 'assistant')
const ids = new Set(said(parent).map(({ uuid }) => uuid))
const inputs = (records) => {
  const { modelUsage } = records.findLast(({ type }) => type === 'cost-state')
  return Object.values(modelUsage).reduce((sum, { inputTokens }) => sum + inputTokens, 0)
}
const answer = (records) => said(records).find(({ message }) => message.id === 'msg_2')
const names = (records) => ids.has(said(records)[0].forkedFrom.messageUuid)
for (const [who, records] of [['program', program], ['SDK', made]]) {
  console.log(`${who}: ${said(records).filter(({ uuid }) => ids.has(uuid)).length} of 4 copies have their ids`)
  console.log(`${who}: the account has ${inputs(records)} input tokens after one answer of its own`)
  console.log(`${who}: the last answer was given when it was: ${answer(records).timestamp === answer(parent).timestamp}`)
}
console.log(`the fork names the original: ${names(made)}, a fork of it: ${names(ofFork)}`)
SCRIPT
node look.mjs "$parent" "$program" "$made" "$ofFork" | tee seen.txt
diff seen.txt - <<'EXPECTED'
program: 4 of 4 copies have their ids
program: the account has 3000 input tokens after one answer of its own
program: the last answer was given when it was: true
SDK: 0 of 4 copies have their ids
SDK: the account has 1000 input tokens after one answer of its own
SDK: the last answer was given when it was: false
the fork names the original: true, a fork of it: false
EXPECTED
echo 'As when it was found.'
