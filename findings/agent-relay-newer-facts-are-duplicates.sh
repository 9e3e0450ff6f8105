#!/usr/bin/env bash
# @agent-relay/memory 6.3.6, the compaction of a context (`ContextCompactor`): a message that corrects an earlier one is
# taken for its duplicate, and the earlier one stays.
#
# Expected: of messages that say the same one is kept, and of two that differ in a value both are kept, or the newer one.
# Seen: two messages are the same when 85 percent of their words of three letters and more are, so numbers of one or two
# digits do not count at all. It is always the later one that goes, unless it is among the newest ten. The window keeps a
# value and loses its correction, and of three runs of a check it keeps the first, with its twelve failures, where the
# last one had none. The result says how many messages went, not which.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @agent-relay/memory@6.3.6
cat > look.mjs <<'SCRIPT'
import { ContextCompactor } from '@agent-relay/memory'
const compactor = new ContextCompactor({ maxTokens: 2300 })
const messages = []
const add = (role, content) => messages.push({ id: `m${messages.length}`, role, content, timestamp: messages.length })
const report = (failed) => {
  const files = Array.from({ length: 70 }, (_, index) => `test-${index + 10}.ts`)
  add('assistant', `The check ran: ${failed} tests failed. It ran ${files.join(' ')}`)
}
add('user', 'Keep the backups of the customers for 30 days.')
report(12)
add('user', 'Oh, keep the backups of the customers for 90 days.')
report(5)
report(0)
for (let topic = 1; topic <= 10; topic += 1)
  add('assistant', Array.from({ length: 40 }, (_, index) => `topic${topic}word${index}`).join(' '))
console.log(`compaction is due: ${compactor.needsCompaction(messages)}`)
const result = compactor.compact(messages)
console.log(`strategy: ${result.strategy}; removed: ${result.messagesRemoved}`)
for (const { content } of result.messages.slice(0, -10)) console.log(`left: ${content.slice(0, 49)}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
compaction is due: true
strategy: deduplicate; removed: 3
left: Keep the backups of the customers for 30 days.
left: The check ran: 12 tests failed. It ran test-10.ts
EXPECTED
echo 'As when it was found.'
