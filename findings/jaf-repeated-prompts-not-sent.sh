#!/usr/bin/env bash
# Juspay's agent framework (@xynehq/jaf 0.1.37) with its memory (`autoStore`, `storeOnCompletion`): a prompt that has been
# said before is not sent to the model, and `maxMessages`, for how many messages are read, deletes those that are not read.
#
# Expected: a prompt is sent and stored each time that it is given. A smaller window leaves what is stored as it is.
# Seen: what the memory gives and the new messages are joined, and a new message with the role and the words of any stored
# one is left out. The second "Continue." of a conversation is neither sent nor stored: the request ends with the answer
# before it, and the memory has two answers in a row. After a run the messages that it had take the place of all that were
# stored, so one run with `maxMessages: 2` leaves two messages and its own two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps @xynehq/jaf@0.1.37 tsx@4.23.15
cat > look.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
import { createInMemoryProvider, generateRunId, generateTraceId, run } from '@xynehq/jaf'
const provider = createInMemoryProvider()
const requests = []
const lines = []
const modelProvider = {
  async getCompletion({ messages }) {
    requests.push(messages)
    return { message: { content: `answer ${requests.length}` } }
  },
}
const agentRegistry = new Map([['agent', { name: 'agent', instructions: () => 'help', modelConfig: { name: 'm' } }]])
async function ask(prompt, settings) {
  const messages = [{ role: 'user', content: prompt }]
  const ids = { runId: generateRunId(), traceId: generateTraceId() }
  await run(
    { ...ids, messages, currentAgentName: 'agent', context: {}, turnCount: 0 },
    {
      agentRegistry,
      modelProvider,
      conversationId: 'conversation',
      memory: { provider, autoStore: true, storeOnCompletion: true, ...settings },
    },
  )
  const { messages: stored } = (await provider.getConversation('conversation')).data
  lines.push(`"${prompt}" ${settings ? `with maxMessages ${settings.maxMessages}, ` : ''}sent: ${
    requests.at(-1).map(({ content }) => content).join(' | ')}; stored now: ${stored.length}`)
}
await ask('Tell a story.')
await ask('Continue.')
await ask('Continue.')
await ask('Who is it about?', { maxMessages: 2 })
writeFileSync('seen.txt', `${lines.join('\n')}\n`)
SCRIPT
node_modules/.bin/tsx look.mjs > out.txt 2>&1 || { cat out.txt; exit 1; }
cat seen.txt
diff seen.txt - <<'EXPECTED'
"Tell a story." sent: Tell a story.; stored now: 2
"Continue." sent: Tell a story. | answer 1 | Continue.; stored now: 4
"Continue." sent: Tell a story. | answer 1 | Continue. | answer 2; stored now: 5
"Who is it about?" with maxMessages 2, sent: answer 2 | answer 3 | Who is it about?; stored now: 4
EXPECTED
echo 'As when it was found.'
