#!/usr/bin/env bash
# LlamaIndex for TypeScript (llamaindex 0.12.1, @llamaindex/workflow 1.1.24), a memory with a block that keeps facts: the
# prompt with which the messages reach the limit leaves the window in the middle of its own turn.
#
# Expected: when the short-term memory is full, its oldest messages leave it, and the newest stay. Seen: all messages leave
# it, the prompt that was just given with them, while the agent works. The model is asked first with the whole history,
# and after the tool that it called with the facts, its call and the result, but without what it was asked to do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 llamaindex@0.12.1 @llamaindex/core@0.6.22 \
  @llamaindex/workflow@1.1.24 zod@4.6.4
cat > try.mjs <<'SCRIPT'
import { setTimeout } from 'node:timers/promises'
import { ToolCallLLM } from '@llamaindex/core/llms'
import { agent } from '@llamaindex/workflow'
import { createMemory, factExtractionBlock, tool } from 'llamaindex'
import { z } from 'zod'

class Scripted extends ToolCallLLM {
  supportToolCall = true
  metadata = { model: 'm', temperature: 0, topP: 1, contextWindow: 100_000, structuredOutput: false }
  sent = []
  async chat({ messages, stream }) {
    await setTimeout(100)
    if (!stream) return { raw: {}, message: { role: 'assistant', content: '{"facts": ["a fact"]}' } }
    this.sent.push(messages)
    const last = messages.at(-1)
    const isAsked = !last.options?.toolResult && last.content.includes('look up')
    const toolCall = [{ id: 'call', name: 'look', input: { what: 'the port' } }]
    return (async function* () {
      yield isAsked ? { delta: '', raw: {}, options: { toolCall } } : { delta: 'done', raw: {} }
    })()
  }
}
const llm = new Scripted()
const facts = factExtractionBlock({ id: 'facts', llm, maxFacts: 10, priority: 1 })
const memory = createMemory([], { llm, tokenLimit: 1000, memoryBlocks: [facts] })
const look = tool({
  name: 'look',
  description: 'looks',
  parameters: z.object({ what: z.string() }),
  execute: async () => {
    await setTimeout(500)
    return 'port 8123'
  },
})
const worker = agent({ llm, tools: [look], memory, systemPrompt: 'help' })
for (const number of [1, 2, 3]) await worker.run(`note ${number}. ${'and more '.repeat(100)}`)
await worker.run(`look up the port. ${'and more '.repeat(100)}`)
const kinds = (messages) =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, options }) => {
      if (options?.toolCall) return 'call'
      if (options?.toolResult) return 'result'
      return role === 'user' ? content.split('. ')[0] : role
    })
    .join(' | ')
console.log(`before the tool: ${kinds(llm.sent.at(-2))}`)
console.log(`after the tool: ${kinds(llm.sent.at(-1))}`)
console.log(`messages in the memory: ${(await memory.get()).length}`)
process.exit(0)
SCRIPT
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
before the tool: memory | note 1 | assistant | note 2 | assistant | note 3 | assistant | look up the port
after the tool: memory | call | result
messages in the memory: 10
EXPECTED
