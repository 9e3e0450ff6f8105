#!/usr/bin/env bash
# deepagents 1.14.1 (TypeScript): after a summary the model is told in which file the whole conversation was saved, and
# that file is not there.
#
# Expected: with the default backend, which keeps files in the state of the agent, the file can be read like others.
# Seen: the middleware that summarises writes the file while it wraps the call of the model, and the write does not reach
# the state: `files` is empty afterwards, and `read_file` of the path that the summary names says that there is no such
# file. What the summary does not say is out of reach for the model. Nothing is reported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 deepagents@1.14.1 langchain@1.5.14 @langchain/core@1.4.0 \
  @langchain/langgraph@1.7.3
cat > try.mjs <<'SCRIPT'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { MemorySaver } from '@langchain/langgraph'
import { createDeepAgent } from 'deepagents'

class Scripted extends FakeListChatModel {
  bindTools() {
    return this
  }
  async _generate(messages) {
    const last = messages.at(-1)
    const [path] = JSON.stringify(messages.map(({ content }) => content)).match(/\/conversation_history\/\w+\.md/) ?? []
    const name = String(last.content).startsWith('read') ? 'read_file' : 'write_file'
    const call = { id: `call_${messages.length}`, name }
    const args = { file_path: name === 'read_file' ? path : '/notes.txt', content: 'a note' }
    const isAsked = last.getType() === 'human' && /^(?:read|write)/.test(last.content)
    const message = isAsked
      ? new AIMessage({ content: '', tool_calls: [{ ...call, args }] })
      : new AIMessage('an answer')
    return { generations: [{ message, text: message.text }] }
  }
}
const agent = createDeepAgent({ model: new Scripted({ responses: ['-'] }), checkpointer: new MemorySaver() })
const about = { configurable: { thread_id: 'one' } }
// Sixty turns of about 3,000 tokens each; the default is to summarise at 170,000.
const turn = (n) => [new HumanMessage(`prompt ${n} ${'word '.repeat(2400)}`), new AIMessage(`answer ${n}`)]
const messages = Array.from({ length: 60 }, (_, at) => turn(at + 1)).flat()
await agent.invoke({ messages: [...messages, new HumanMessage('write a note')] }, about)
await agent.invoke({ messages: [new HumanMessage('read the conversation')] }, about)
const { values } = await agent.getState(about)
const named = /saved to (\S+\.md)/.exec(values._summarizationEvent?.summaryMessage.content)
console.log(`the summary names a file: ${named !== null}`)
console.log(`files in the state: ${Object.keys(values.files).join(' ')}`)
const result = values.messages.findLast((message) => message.getType() === 'tool').content
console.log(`read_file: ${JSON.stringify(result).replaceAll(named[1], 'FILE').slice(0, 200)}`)
SCRIPT
node_modules/.bin/node try.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
the summary names a file: true
files in the state: /notes.txt
read_file: [{"type":"text","text":"Error: File 'FILE' not found"}]
EXPECTED
