#!/usr/bin/env bash
# Glove (glove-core 4.1.0): a window is compacted when all requests together have used as many tokens as it may hold, and
# never as long as no tool is called.
#
# Expected: a conversation that reaches `compaction_context_limit` is compacted, and one that is far below it is not.
# Seen: the tokens of every request are added up, and each request has all messages before it once more, so that the sum
# grows with the square. Under a limit of 8,000 an agent whose largest request has 806 tokens is compacted three times, and
# a summary takes the place of what it found. The sum is looked at behind results of tools only: a conversation without
# tools, whose last request is more than three times as large as the limit, is never compacted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps glove-core@4.1.0 zod@4.6.4
cat > look.mjs <<'SCRIPT'
import { MemoryStore, Displaymanager, Glove } from 'glove-core'
import { z } from 'zod'
const limit = 8000
/** What a model is sent of messages: their texts, and what tools gave. */
const sentOf = (messages) =>
  messages.flatMap(({ text, tool_results: results = [] }) => [text, ...results.map(({ result }) => result.data)]).join(' ')
/** An agent whose model calls its tool in `calls` of its requests, with all sizes and the number of compactions. */
const agent = (calls) => {
  const seen = { sizes: [], compactions: 0 }
  const model = {
    name: 'scripted',
    setSystemPrompt() {},
    async prompt({ messages }) {
      const tokens_in = Math.ceil(sentOf(messages).length / 4)
      if (messages.at(-1).is_compaction_request)
        return { messages: [{ sender: 'agent', text: 'a summary' }], tokens_in, tokens_out: 3 }
      seen.sizes.push(tokens_in)
      const call = { tool_name: 'look', id: `call_${seen.sizes.length}`, input_args: {} }
      const answer = { sender: 'agent', text: 'said', ...(seen.sizes.length <= calls && { tool_calls: [call] }) }
      return { messages: [answer], tokens_in, tokens_out: 10 }
    },
  }
  const glove = new Glove({
    store: new MemoryStore('session'),
    model,
    displayManager: new Displaymanager(),
    systemPrompt: 'help',
    compaction_config: { compaction_instructions: 'Summarise.', compaction_context_limit: limit },
  })
  glove.fold({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    do: async () => ({ status: 'success', data: 'what was found '.repeat(10) }),
  })
  glove.addSubscriber({ record: async (event) => (seen.compactions += event === 'compaction_start' ? 1 : 0) })
  return { glove: glove.build(), seen }
}
const say = (name, { sizes, compactions }) =>
  console.log(`${name}: ${sizes.length} requests, the largest of ${Math.max(...sizes)} tokens; compactions: ${compactions}`)
console.log(`limit: ${limit} tokens`)
const withTools = agent(60)
await withTools.glove.processRequest('Look at it.')
say('with tools', withTools.seen)
const without = agent(0)
for (let turn = 0; turn < 60; turn += 1) await without.glove.processRequest('and one more thing '.repeat(100))
say('without tools', without.seen)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
limit: 8000 tokens
with tools: 61 requests, the largest of 806 tokens; compactions: 3
without tools: 60 requests, the largest of 28589 tokens; compactions: 0
EXPECTED
echo 'As when it was found.'
