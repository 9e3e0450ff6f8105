#!/usr/bin/env bash
# Gemini CLI 0.61.0: a resumed session sends the result of a call twice, and once more with each further resume.
#
# Expected: the model gets the history of a resumed session as it got it before, each result once, behind its call.
# Seen: after the first resume the model gets two results with the same id, side by side in one content, and after the
# second one three; the call is there once. The file has the result in the answer that made the call and again as a
# message of its own. Whoever computes the window from the file, with each result once, gets fewer tokens than the
# provider counts.
set -euo pipefail
folder=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @google/gemini-cli@0.61.0
cat > model.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
let requests = 0
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const isStream = request.url.includes('stream')
  if (isStream) {
    requests += 1
    writeFileSync(`request-${requests}.json`, Buffer.concat(chunks))
  }
  const call = { functionCall: { name: 'list_directory', args: { dir_path: '.' } } }
  const parts = isStream && requests === 1 ? [call] : [{ text: 'the answer' }]
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 5, totalTokenCount: 1005 }
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP' }]
  const answer = JSON.stringify({ candidates, usageMetadata, totalTokens: 1000 })
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
# Names of files have the minute in which the program was started.
next_minute() {
  local minute
  minute=$(date +%M)
  until [ "$(date +%M)" != "$minute" ]; do sleep 1; done
}
ask -p 'list the folder'
next_minute
ask --resume latest -p 'second question'
next_minute
ask --resume latest -p 'third question'
cat > look.mjs <<'SCRIPT'
import { readdirSync, readFileSync } from 'node:fs'
const names = readdirSync('.').filter((name) => name.startsWith('request-')).sort()
for (const name of names) {
  const { contents } = JSON.parse(readFileSync(name, 'utf8'))
  const parts = contents.flatMap((content) => content.parts)
  const results = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.id] : []))
  const calls = parts.filter(({ functionCall }) => functionCall).length
  console.log(`${contents.length} contents, ${calls} calls, ${results.length} results of ${new Set(results).size}`)
}
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
1 contents, 0 calls, 0 results of 0
3 contents, 1 calls, 1 results of 1
5 contents, 1 calls, 2 results of 1
7 contents, 1 calls, 3 results of 1
EXPECTED
echo 'As when it was found.'
