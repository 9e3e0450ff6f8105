#!/usr/bin/env bash
# Gemini CLI 0.61.0: what a resumed session looks like on disk.
#
# Expected: `gemini --resume latest` appends the new prompt and answer to the file of the session.
# Seen: it does, and in the same moment it makes a second file with the same session id and a newer name, in which
# nothing is but the context that the program itself puts first. Whoever takes the newest file of a project, or one file
# a session, reads a session in which nobody said anything.
#
# The old file lists all earlier messages again, with their ids. An answer is a string when it is written first and a
# list of parts when it is listed again, so the same id stands there with two contents that are not equal as JSON.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @google/gemini-cli@0.61.0
cat > model.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const content = { role: 'model', parts: [{ text: 'the answer' }] }
    const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 5, totalTokenCount: 1005 }
    const answer = JSON.stringify({ candidates: [{ content, finishReason: 'STOP' }], usageMetadata, totalTokens: 1000 })
    const isStream = request.url.includes('stream')
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? `data: ${answer}\n\n` : answer)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SCRIPT
node model.mjs > port.txt &
model=$!
until [ -s port.txt ]; do sleep 0.1; done
mkdir -p home/.gemini work
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > home/.gemini/settings.json
ask() {
  (cd work && HOME="$folder/home" GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_API_KEY=none \
    GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat ../port.txt)" \
    "$folder/node_modules/.bin/gemini" -m gemini-2.5-pro "$@" < /dev/null > /dev/null 2>&1)
}
ask -p 'first question'
# Names of files have the minute in which the program was started.
minute=$(date +%M)
until [ "$(date +%M)" != "$minute" ]; do sleep 1; done
ask --resume latest -p 'second question'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const chats = 'home/.gemini/tmp/work/chats'
const ids = new Set()
for (const name of readdirSync(chats).sort()) {
  const records = readFileSync(`${chats}/${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  const messages = records.flatMap((record) => record.$set?.messages ?? (record.type ? [record] : []))
  const said = messages.filter(({ content }) => !JSON.stringify(content).includes('<session_context>'))
  ids.add(records[0].sessionId)
  console.log(`a file with ${said.length} messages:`)
  for (const { id, type, content } of said)
    console.log(`  ${type} ${said.findIndex((one) => one.id === id) + 1} ${JSON.stringify(content)}`)
}
console.log(`session ids: ${ids.size}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
a file with 6 messages:
  user 1 [{"text":"first question"}]
  gemini 2 "the answer"
  user 1 [{"text":"first question"}]
  gemini 2 [{"text":"the answer"}]
  user 5 [{"text":"second question"}]
  gemini 6 "the answer"
a file with 0 messages:
session ids: 1
EXPECTED
echo 'As when it was found.'
