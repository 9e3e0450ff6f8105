#!/usr/bin/env bash
# Agent Development Kit for TypeScript (@google/adk 2.0.0): what tools were called with and what they returned is in no
# summary, because the model that writes it is not shown either.
#
# Expected: `TokenBasedContextCompactor` with `LlmSummarizer` replaces events by a summary of them.
# Seen: the summariser is sent the texts of the events alone. An event with a call, and one with the response to it,
# stand there as a line with the author and nothing under it. Both are out of the window from then on, so what a tool
# found out is lost to the model unless it had said it in words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @google/adk@2.0.0 zod@4.6.4
cat > try.mjs <<'SCRIPT'
import { setTimeout } from 'node:timers/promises'
import { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent, LlmSummarizer, TokenBasedContextCompactor } from '@google/adk'
import { z } from 'zod'

class Scripted extends BaseLlm {
  heard = []
  constructor(model, answer) {
    super({ model })
    this.answer = answer
  }
  async *generateContentAsync({ contents }) {
    this.heard.push(JSON.stringify(contents))
    await setTimeout(20)
    yield { content: { role: 'model', parts: [this.answer(contents)] }, usageMetadata: { promptTokenCount: 1000 } }
  }
}
const summariser = new Scripted('summariser', () => ({ text: 'a summary' }))
const model = new Scripted('model', (contents) => {
  const isAsked = contents.at(-1).parts.at(-1).text?.includes('look up')
  return isAsked ? { functionCall: { id: 'call', name: 'look', args: { what: 'the port' } } } : { text: 'done' }
})
const look = new FunctionTool({
  name: 'look',
  description: 'looks',
  parameters: z.object({ what: z.string() }),
  execute: async () => ({ found: 'port 4711' }),
})
const summarizer = new LlmSummarizer({ llm: summariser })
const compactor = new TokenBasedContextCompactor({ tokenThreshold: 500, eventRetentionSize: 2, summarizer })
const agent = new LlmAgent({ name: 'agent', model, tools: [look], contextCompactors: [compactor] })
const runner = new InMemoryRunner({ agent, appName: 'app' })
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'person' })
for (const text of ['look up the port', 'and now?', 'which port was it?', 'say it']) {
  const newMessage = { role: 'user', parts: [{ text }] }
  for await (const event of runner.runAsync({ userId: 'person', sessionId, newMessage })) void event
}
const has = (texts) => texts.map((text) => (text.includes('4711') ? 'with' : 'without')).join(', ')
console.log(`requests of the summariser: ${has(summariser.heard)}`)
console.log(`requests of the agent: ${has(model.heard)}`)
const lines = summariser.heard.flatMap((text) => JSON.parse(text)[0].parts[0].text.match(/\[Event \d+ - Author: agent\]\n(?=\n)/g) ?? [])
console.log(`events of the agent without a word: ${lines.length}`)
process.exit(0)
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
requests of the summariser: without, without, without, without
requests of the agent: without, with, without, without, without
events of the agent without a word: 2
EXPECTED
