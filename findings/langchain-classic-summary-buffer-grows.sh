#!/usr/bin/env bash
# ConversationSummaryBufferMemory of LangChain (@langchain/classic 1.0.50): after its first summary the memory only grows,
# and each turn pays for one more summary.
#
# Expected: with `maxTokenLimit` the oldest messages go into the summary, and the rest is what the model is sent with it.
# Seen: the first time it is so. From then on messages are taken out of a copy, which has the summary in front, and they
# stay in the history. Each turn summarises what does not fit once more, though the summary has it already, and sends all
# of it behind the new summary. With a history in a file or a database nothing is ever taken out. The limit is passed
# further with each turn, and every turn pays for a request for a summary, each larger than the last one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @langchain/classic@1.0.50 @langchain/core@1.4.0
cat > look.mjs <<'SCRIPT'
import { ConversationSummaryBufferMemory } from '@langchain/classic/memory'
import { BaseListChatMessageHistory, InMemoryChatMessageHistory } from '@langchain/core/chat_history'
import { FakeListChatModel } from '@langchain/core/utils/testing'
const asked = []
class Counting extends FakeListChatModel {
  /** A token a word. */
  async getNumTokens(text) {
    return text.split(/\s+/).filter(Boolean).length
  }
  async _generate(messages, ...more) {
    asked.push(messages.map(({ content }) => content).join('\n'))
    return await super._generate(messages, ...more)
  }
}
/** A history in a file or a database gives its messages as new objects each time. */
class Stored extends InMemoryChatMessageHistory {
  async getMessages() {
    return [...(await super.getMessages())]
  }
}
const facts = (text) => [...new Set(text.match(/fact-\d+/g) ?? [])].map((fact) => fact.slice(5)).join(' ') || 'nothing'
for (const [name, chatHistory] of [['in memory', new InMemoryChatMessageHistory()], ['stored', new Stored()]]) {
  console.log(`a history that is ${name}, of which about three turns fit:`)
  const llm = new Counting({ responses: ['what was said'] })
  const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: 40, returnMessages: true, chatHistory })
  for (let turn = 1; turn <= 8; turn += 1) {
    const before = asked.length
    await memory.saveContext({ input: `fact-${turn} is so and so, and no more` }, { output: 'noted' })
    if (turn < 4) continue
    const { history } = await memory.loadMemoryVariables({})
    const shown = asked.slice(before).map((prompt) => facts(prompt.split('New lines of conversation:').at(-1)))
    const summarised = shown.length === 0 ? 'nothing' : shown.join(' and ')
    console.log(`  turn ${turn}: summarised ${summarised}; sent as messages ${facts(history.map(({ content }) => content).join(' '))}`)
  }
}
SCRIPT
node_modules/.bin/node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
a history that is in memory, of which about three turns fit:
  turn 4: summarised 1; sent as messages 2 3 4
  turn 5: summarised 2; sent as messages 2 3 4 5
  turn 6: summarised 2 3; sent as messages 2 3 4 5 6
  turn 7: summarised 2 3 4; sent as messages 2 3 4 5 6 7
  turn 8: summarised 2 3 4 5; sent as messages 2 3 4 5 6 7 8
a history that is stored, of which about three turns fit:
  turn 4: summarised 1; sent as messages 1 2 3 4
  turn 5: summarised 1 2; sent as messages 1 2 3 4 5
  turn 6: summarised 1 2 3; sent as messages 1 2 3 4 5 6
  turn 7: summarised 1 2 3 4; sent as messages 1 2 3 4 5 6 7
  turn 8: summarised 1 2 3 4 5; sent as messages 1 2 3 4 5 6 7 8
EXPECTED
echo 'As when it was found.'
