#!/usr/bin/env bash
# mem0 for JavaScript (mem0ai 3.3.1, `mem0ai/oss`): what a person had deleted is sent to the model again with the next words
# that are added, and of many messages that are added at once the newest are left out.
#
# Expected: after `deleteAll` for a person nothing of that person's words is used. The last messages, which the model is
# given to understand new ones, are the last ones.
# Seen: beside the memories a table `messages` keeps ten messages of each person, and only `reset`, which is for all persons,
# clears it. `getAll` says that nothing is left, and the next `add` sends the old message once more as one of the "Last k
# Messages", so that its fact can be taken from it again. The messages of one `add` have the same time, and are sorted by
# their time alone: of fourteen the first ten are kept, and the last four are deleted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps mem0ai@3.3.1 better-sqlite3@12.11.1
export HOME="$folder/home" MEM0_TELEMETRY=false
mkdir home
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { Memory } from 'mem0ai/oss'
const asked = []
let facts = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { messages, input } = JSON.parse(body)
    const embedding = [1, 0, 0]
    response.writeHead(200, { 'content-type': 'application/json' })
    if (input) return response.end(JSON.stringify({ data: [input].flat().map((text, index) => ({ index, embedding })) }))
    asked.push(messages.at(-1).content)
    const content = JSON.stringify({ memory: facts.map((text) => ({ text })) })
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }))
  })
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const baseURL = `http://127.0.0.1:${server.address().port}/v1`
const memory = new Memory({
  llm: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'm' } },
  embedder: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'e', embeddingDims: 3 } },
  vectorStore: { provider: 'memory', config: { collectionName: 'c', dimension: 3, dbPath: 'vectors.db' } },
  historyDbPath: 'history.db',
})
const person = { userId: 'person' }
const add = (...contents) => memory.add(contents.map((content) => ({ role: 'user', content })), person)
const count = async () => (await memory.getAll({ filters: { user_id: 'person' } })).results.length
/** What the newest request has as the messages before the new ones. */
const lastMessages = () =>
  asked.at(-1).match(/## Last k Messages\n([^]*?)\n\n/)[1].split('\n').map((line) => line.replace('user: ', '')).join(', ')
facts = ['The person is afraid of flying']
await add('I am afraid of flying.')
console.log(`memories: ${await count()}`)
await memory.deleteAll(person)
console.log(`memories after all were deleted: ${await count()}`)
facts = []
await add('Good morning.')
console.log(`last messages in the next request: ${lastMessages()}`)
await add(...Array.from({ length: 14 }, (_, index) => `m${index + 1}`))
await add('What do I do next?')
console.log(`last messages after fourteen more: ${lastMessages()}`)
server.close()
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
memories: 1
memories after all were deleted: 0
last messages in the next request: I am afraid of flying.
last messages after fourteen more: m1, m2, m3, m4, m5, m6, m7, m8, m9, m10
EXPECTED
echo 'As when it was found.'
