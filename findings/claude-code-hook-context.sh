#!/usr/bin/env bash
# Claude Code 2.1.332: what a hook says before a tool runs (`additionalContext` of PreToolUse) stands in the transcript
# between the call and its result, also by the parents of the records. The model is sent it behind the result.
#
# Expected: the order of the records, or of their parents, is the order in which the model is sent them.
# Seen: it is not. Whoever replays the records in their order sends a call whose result does not follow it, which the
# Messages API refuses.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
cat > model.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages = [], model, tools = [] } = JSON.parse(body || '{}')
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [{ type: 'text', text: content }]))
    const isAnswered = blocks.some(({ type }) => type === 'tool_result')
    if (isAnswered) writeFileSync('sent.json', JSON.stringify(blocks))
    const isCall = tools.length > 0 && !isAnswered
    const block = isCall ? { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} } : { type: 'text', text: '' }
    const input = JSON.stringify({ command: 'echo output', description: 'says a word' })
    const delta = isCall ? { type: 'input_json_delta', partial_json: input } : { type: 'text_delta', text: 'Done.' }
    const usage = { input_tokens: 1000, output_tokens: 5 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage }
    const events = [
      { type: 'message_start', message: { ...message, id: `msg_${isCall}` } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: isCall ? 'tool_use' : 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.claude work
cat > hook.sh <<'HOOK'
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "words of the hook"}}'
HOOK
cat > home/.claude/settings.json <<SETTINGS
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh $folder/hook.sh"}]}]}}
SETTINGS
(cd work && HOME="$folder/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port.txt)" ANTHROPIC_API_KEY=none \
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$folder/node_modules/.bin/claude" -p 'Run it.' --allowedTools Bash \
  < /dev/null > /dev/null)
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const projects = 'home/.claude/projects'
const name = readdirSync(projects, { recursive: true }).find((one) => one.endsWith('.jsonl'))
const records = readFileSync(`${projects}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const kindOf = (value) => {
  const text = JSON.stringify(value)
  return /"tool_use"/.test(text) ? 'call' : /"tool_result"/.test(text) ? 'result' : /words of the hook/.test(text) ? 'hook' : null
}
const written = records
  .filter(({ type, attachment }) => type === 'user' || type === 'assistant' || attachment?.type === 'hook_additional_context')
  .flatMap((record) => kindOf(record.message?.content ?? record.attachment) ?? [])
const sent = JSON.parse(readFileSync('sent.json', 'utf8')).flatMap((block) => kindOf(block) ?? [])
console.log(`written: ${written.join(', ')}`)
console.log(`sent: ${sent.join(', ')}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
written: call, hook, result
sent: call, result, hook
EXPECTED
echo 'As when it was found.'
