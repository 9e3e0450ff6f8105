#!/usr/bin/env bash
# Cloudflare's Agents SDK (agents 0.32.0), sessions: what the model is shown that writes the summary of a compaction
# (`createCompactFunction`), and how long it may be.
#
# Expected: a summary of calls names the tools, tells what failed, and a later summary, which takes the place of the
# earlier one, may be at least as long as what it still has to tell.
# Seen:
# - Each call of a tool is called "unknown". The name of one stands in the type of its part (`tool-readFile`), and is read
#   from a field that only dynamic tools have.
# - A call that failed is shown without its error, as if it had no result.
# - Of a result the first 500 characters are shown; the rest is in no summary.
# - A later summary is asked for in a fifth of the new messages alone, though it stands for the earlier ones, too: here in
#   100 tokens, while the summary that it has to take over has 1,000.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 agents@0.32.0
cat > look.mjs <<'SCRIPT'
import { COMPACTION_PREFIX, createCompactFunction } from 'agents/sessions'
const say = (id, role, ...parts) => ({ id, role, parts })
const text = (of) => ({ type: 'text', text: of })
const prompts = []
const summarize = async (prompt) => {
  prompts.push(prompt)
  return 'word '.repeat(800)
}
const compact = createCompactFunction({ summarize, keepRecentTokens: 10 })
const call = (toolCallId, more) => ({ type: 'tool-readFile', toolCallId, input: { path: 'a.txt' }, ...more })
const long = `${'begin '.repeat(500)}THE-END`
const head = [say('h1', 'user', text('hello')), say('h2', 'assistant', text('hello')), say('h3', 'user', text('read'))]
const tail = [say('t1', 'user', text('and now')), say('t2', 'assistant', text('done'))]
const first = [
  ...head,
  say('m1', 'assistant', call('c1', { state: 'output-available', output: long })),
  say('m2', 'assistant', call('c2', { state: 'output-error', errorText: 'PERMISSION-DENIED' })),
  ...Array.from({ length: 20 }, (_, at) => say(`m${at + 3}`, 'assistant', text('many words '.repeat(100)))),
  ...tail,
]
const made = await compact(first)
const prompt = prompts[0]
console.log(`tools in the prompt: ${[...prompt.matchAll(/\[Tool: (.*)\]/g)].map(([, name]) => name).join(', ')}`)
console.log(`the error is shown: ${prompt.includes('PERMISSION-DENIED')}, the end of the result: ${prompt.includes('THE-END')}`)
const overlay = say(`${COMPACTION_PREFIX}1`, 'assistant', text(made.summary))
await compact([...head, overlay, ...tail, say('n1', 'user', text('more')), say('n2', 'assistant', text('yes'))])
const target = (of) => Number(/Target ~(\d+) tokens/.exec(of)[1])
console.log(`first summary: in ${target(prompt) > 1000 ? 'more' : 'less'} than 1000 tokens`)
console.log(`second one, with the first (${made.summary.length} characters) to keep: ${
  prompts[1].includes(made.summary.trim()) ? 'shown whole' : 'not shown'}, in ${target(prompts[1])} tokens`)
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
tools in the prompt: unknown, unknown
the error is shown: false, the end of the result: false
first summary: in more than 1000 tokens
second one, with the first (4000 characters) to keep: shown whole, in 100 tokens
EXPECTED
echo 'As when it was found.'
