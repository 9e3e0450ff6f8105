#!/usr/bin/env bash
# Claude Code 2.1.332: the hook whose words reach the model after a compaction (SessionStart with source "compact") runs
# before the summary stands anywhere that it can be read as one: PostCompact, which gives it, comes after, and the
# transcript gets its boundary after both. Only the end of a nameless sub-agent (SubagentStop) has the text earlier.
#
# Expected: PostCompact, "after compaction", comes before the session starts again, or the transcript has the compaction
# when it does; then a hook could tell the model what the summary left out.
# Seen: PreCompact, SubagentStop (agent_type "", last_assistant_message with the summary), SessionStart (compact),
# PostCompact (compact_summary). The first three find no compact_boundary in the transcript, PostCompact does not either.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages = [], model } = JSON.parse(body || '{}')
    const asksForSummary = JSON.stringify(messages.at(-1) ?? '').includes('detailed summary')
    const text = asksForSummary ? '<summary>Boats were counted.</summary>' : 'There are seven boats.'
    const usage = { input_tokens: 1000, output_tokens: 10 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.claude work
cat > hook.mjs <<'SCRIPT'
import { appendFileSync, readFileSync } from 'node:fs'
const event = JSON.parse(readFileSync(0, 'utf8'))
const lines = readFileSync(event.transcript_path, 'utf8')
const text = event.last_assistant_message ?? event.compact_summary
appendFileSync(process.argv[2], `${event.hook_event_name}${event.source ? ` (${event.source})` : ''}: ${
  text?.includes('Boats were counted.') ? 'has the summary' : 'has no summary'}, the transcript ${
  lines.includes('compact_boundary') ? 'has' : 'has not'} the compaction\n`)
SCRIPT
node -e '
const hooks = [{ hooks: [{ type: "command", command: `node ${process.cwd()}/hook.mjs ${process.cwd()}/seen.txt` }] }]
const on = (names) => Object.fromEntries(names.map((name) => [name, hooks]))
const settings = { hooks: { ...on(["PreCompact", "SubagentStop", "PostCompact"]),
  SessionStart: [{ matcher: "compact", ...hooks[0] }] } }
require("fs").writeFileSync("home/.claude/settings.json", JSON.stringify(settings))'
claude() {
  (cd work && HOME="$folder/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port.txt)" ANTHROPIC_API_KEY=none \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$folder/node_modules/.bin/claude" "$@" < /dev/null > /dev/null)
}
claude -p 'How many boats are there?'
claude -c -p '/compact'
grep -rq compact_boundary home/.claude/projects && echo 'in the end the transcript has the compaction' >> seen.txt
cat seen.txt
diff seen.txt - <<'EXPECTED'
PreCompact: has no summary, the transcript has not the compaction
SubagentStop: has the summary, the transcript has not the compaction
SessionStart (compact): has no summary, the transcript has not the compaction
PostCompact: has the summary, the transcript has not the compaction
in the end the transcript has the compaction
EXPECTED
echo 'As when it was found.'
