#!/usr/bin/env bash
# Gemini CLI 0.61.0: a prompt that begins with a question mark is not sent any more once the session was resumed.
#
# Expected: a resumed session sends the model what was said before, each prompt with its answer.
# Seen: the model answers the prompt "? what is here", which is recorded as a message of the user. After a resume the
# answer is sent without its prompt, behind whatever was said before it, and the file is written anew without the prompt.
# Texts of a person that begin with "?" or "/" count as commands when a history is read, and are left out.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @google/gemini-cli@0.61.0
cat > model.mjs <<'SCRIPT'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
let requests = 0
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const isStream = request.url.includes('stream')
  if (isStream) {
    requests += 1
    const texts = JSON.parse(Buffer.concat(chunks)).contents.flatMap(({ role, parts }) =>
      parts.flatMap(({ text }) => (text === undefined || /^\s*<session_context>/.test(text) ? [] : [`${role} "${text.trim()}"`])))
    appendFileSync('seen.txt', `request ${requests}: ${texts.join(', ')}\n`)
  }
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 5, totalTokenCount: 1005 }
  const parts = [{ text: `answer ${requests}` }]
  const answer = JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata, totalTokens: 1000 })
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? `data: ${answer}\n\n` : answer)
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
ask -p '? what is here'
ask --resume latest -p 'and now'
cat seen.txt
diff seen.txt - <<'EXPECTED'
request 1: user "? what is here"
request 2: model "answer 1", user "and now"
EXPECTED
echo 'As when it was found.'
