#!/usr/bin/env bash
# @psg2/pi-transcript 2.2.1, which makes pages of a session of Pi to read and to share, with a session of Pi 1.6.0: prompts
# that were left stand between those that followed each other, and what the model was sent in place of messages is nowhere.
#
# Expected: the page shows the conversation as it was, or says where the person went back, and its total is what it cost.
# Seen: entries are shown in the order of the file, without regard to `parentId`, so a prompt and an answer that the person
# left stand as the ones to which the next prompt replies. Only messages are shown: no summary of a compaction or of what
# was left, which the model knew, and no command that the person ran with `!`, whose output the model was sent. What the
# summaries cost, which Pi records with them, is not in the total.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @earendil-works/pi-coding-agent@1.6.0 @psg2/pi-transcript@2.2.1
export HOME="$folder/home"
mkdir home
cat > session.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
import { SessionManager } from '@earendil-works/pi-coding-agent'
const session = SessionManager.create(process.cwd(), `${process.cwd()}/sessions`)
let timestamp = Date.now()
const say = (message) => session.appendMessage({ timestamp: (timestamp += 1000), ...message })
/** Usage that cost this many dollars. */
const usage = (total) => ({
  ...{ input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11 },
  cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
})
const from = { api: 'openai-completions', provider: 'p', model: 'm', stopReason: 'stop' }
const ask = (text) => say({ role: 'user', content: [{ type: 'text', text }] })
const answer = (text) => say({ role: 'assistant', content: [{ type: 'text', text }], ...from, usage: usage(1) })
ask('prompt 1')
const first = answer('answer 1')
ask('prompt 2, left')
answer('answer 2, left')
session.branchWithSummary(first, 'summary of what was left', undefined, false, usage(2))
const shell = { exitCode: 0, cancelled: false, truncated: false }
say({ role: 'bashExecution', command: 'print', output: 'output of the person', ...shell })
ask('prompt 3')
answer('answer 3')
// What the model would be sent now, and once more after a compaction.
const sent = () => JSON.stringify(session.buildSessionContext().messages)
const before = sent()
const kept = ask('prompt 4')
answer('answer 4')
session.appendCompaction('summary of the beginning', kept, 1000, undefined, false, usage(4))
writeFileSync('sent.json', JSON.stringify([before, sent()]))
SCRIPT
node_modules/.bin/node session.mjs
node_modules/.bin/node node_modules/.bin/pi-transcript sessions/*.jsonl -o out --no-open > /dev/null
cat > look.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
const texts = ['prompt 1', 'prompt 2, left', 'summary of what was left', 'output of the person', 'prompt 3', 'prompt 4']
texts.push('summary of the beginning')
const sent = JSON.parse(readFileSync('sent.json', 'utf8'))
const page = readFileSync('out/page-001.html', 'utf8')
const found = (where) => texts.filter((text) => where.includes(text)).join('; ')
console.log(`sent: ${found(sent[0])}`)
console.log(`sent after the compaction: ${found(sent[1])}`)
console.log(`shown: ${found(page)}`)
console.log(`total: ${readFileSync('out/index.html', 'utf8').match(/total cost: (\S+)/)[1]} of $10.00`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sent: prompt 1; summary of what was left; output of the person; prompt 3
sent after the compaction: prompt 4; summary of the beginning
shown: prompt 1; prompt 2, left; prompt 3; prompt 4
total: $4.00 of $10.00
EXPECTED
echo 'As when it was found.'
