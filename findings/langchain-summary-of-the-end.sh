#!/usr/bin/env bash
# summarizationMiddleware of LangChain 1.5.14: most of what a summary replaces was never shown to the model that wrote it.
#
# Expected: the summary is written from the messages that it replaces.
# Seen: with the settings of its documentation (`trigger`, `keep`) these messages are cut to their newest 4,000 tokens
# first (`trimTokensToSummarize`). Everything before is removed from the state of the agent all the same, so it stands
# neither in the messages nor in what the summary could say. Nothing is reported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 langchain@1.5.14 @langchain/core@1.4.0
cat > try.mjs <<'SCRIPT'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { createAgent, summarizationMiddleware } from 'langchain'

class Listening extends FakeListChatModel {
  heard = []
  async _generate(messages, ...more) {
    this.heard.push(messages.map(({ content }) => content).join('\n'))
    return await super._generate(messages, ...more)
  }
}
const summariser = new Listening({ responses: ['what was said'] })
const middleware = summarizationMiddleware({ model: summariser, trigger: { tokens: 20_000 }, keep: { messages: 4 } })
const agent = createAgent({ model: new Listening({ responses: ['an answer'] }), tools: [], middleware: [middleware] })
// Twenty turns of about 1,250 tokens each.
const turn = (n) => [new HumanMessage(`fact-${n} ${'word '.repeat(980)}`), new AIMessage(`noted ${n}`)]
const messages = Array.from({ length: 20 }, (_, at) => turn(at + 1)).flat()
const { messages: kept } = await agent.invoke({ messages: [...messages, new HumanMessage('what now?')] })
const facts = (text) => [...new Set(text.match(/fact-\d+/g) ?? [])].map((fact) => fact.slice(5)).join(' ')
console.log(`shown to the summariser: ${facts(summariser.heard.join('\n'))}`)
console.log(`kept as messages: ${facts(kept.map(({ content }) => content).join('\n'))}`)
SCRIPT
node_modules/.bin/node try.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
shown to the summariser: 17 18 19
kept as messages: 20
EXPECTED
