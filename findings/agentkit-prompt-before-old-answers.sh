#!/usr/bin/env bash
# Inngest AgentKit 0.13.2: a network that goes on with the state of an earlier run sends the new prompt before the earlier
# answers, and the earlier prompt not at all.
#
# Expected: a second run with `state` of the first sends the first prompt, its answer, and then the second prompt.
# Seen: the state keeps results of agents, and no prompts. The second prompt stands where the first one stood, the answers to
# the first one follow it as if they were answers to it, and the request ends with an answer of the assistant. What the
# first prompt said is known to the model only as far as an answer repeats it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @inngest/agent-kit@0.13.2 inngest@4.24.0 zod@4.6.7
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { createAgent, createNetwork, openai } from '@inngest/agent-kit'
const sent = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    sent.push(JSON.parse(body).messages.map(({ role, content }) => `${role}: ${content}`))
    const message = { role: 'assistant', content: `answer ${sent.length}` }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
  })
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const model = openai({ model: 'm', apiKey: 'none', baseUrl: `http://127.0.0.1:${server.address().port}/v1/` })
const agent = createAgent({ name: 'one', system: 'Be brief.' })
const router = ({ callCount }) => (callCount === 0 ? agent : undefined)
const network = createNetwork({ name: 'all', agents: [agent], defaultModel: model, router })
const { state } = await network.run('My name is Ada.')
await network.run('What is my name?', { state })
for (const [at, messages] of sent.entries()) console.log(`request ${at + 1}: ${messages.join(' | ')}`)
server.close()
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
request 1: system: Be brief. | user: My name is Ada.
request 2: system: Be brief. | user: What is my name? | assistant: answer 1
EXPECTED
echo 'As when it was found.'
