#!/usr/bin/env bash
# `trimMessages` of LangChain (@langchain/core 1.4.0) with `strategy: 'first'` and `allowPartial`, two settings of its
# documentation: what is cut off to make one request fit is cut off the history for good.
#
# Expected: the function returns the messages to send, and those that it was given are as before.
# Seen: the message at which the limit is reached is shortened itself. It is the same object in the history, so the
# agent has the rest of it no more, also for requests with a larger limit, and whoever stores the history afterwards stores
# the shorter message. When not even its first line fits, it is not in the result, and only that line is left in the
# history. With `strategy: 'last'` the history stays as it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat > look.mjs <<'SCRIPT'
import { AIMessage, HumanMessage, trimMessages } from '@langchain/core/messages'
const lines = ['The budget is 500.', 'The deadline is Friday.', 'The colour is green.']
/** Four tokens a line, and none for an answer. */
const tokenCounter = (messages) =>
  messages.reduce((sum, message) => sum + (message.getType() === 'human' ? message.content.split(' ').length : 0), 0)
const shown = (messages) => messages.map(({ content }) => content.trim().replaceAll('\n', ' ')).join(' | ') || 'nothing'
for (const [strategy, maxTokens] of [['last', 5], ['first', 5], ['first', 2]]) {
  const history = [new HumanMessage(lines.join('\n')), new AIMessage('It is noted.')]
  const sent = await trimMessages(history, { strategy, maxTokens, allowPartial: true, tokenCounter })
  console.log(`${strategy}, ${maxTokens} tokens: ${shown(sent)}`)
  console.log(`  the history then: ${shown(history)}`)
}
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
last, 5 tokens: The colour is green. | It is noted.
  the history then: The budget is 500. The deadline is Friday. The colour is green. | It is noted.
first, 5 tokens: The budget is 500.
  the history then: The budget is 500. | It is noted.
first, 2 tokens: nothing
  the history then: The budget is 500. | It is noted.
EXPECTED
echo 'As when it was found.'
