#!/usr/bin/env bash
# mcp-memory-keeper 0.14.1, a server that keeps what an agent must not forget over compactions: its tool to compress deletes
# what was kept, also what is newer than the time that it is given.
#
# Expected: `context_compress` with `olderThan` makes the items from before that time smaller, and they can be had again.
# Seen: of each category it keeps the keys, and the first 100 characters of three values, in a table that no tool reads, and
# deletes all items. Times are compared as texts, and those of the items have a space where an ISO time has a "T", so that
# everything of the same day is older than any time of that day: what was saved just now is compressed by "older than
# midnight". The answer says that the compression is completed, and the search finds nothing afterwards.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund mcp-memory-keeper@0.14.1
export HOME="$folder/home" DATA_DIR="$folder/data"
mkdir home data
cat > look.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
const server = spawn('node', ['node_modules/mcp-memory-keeper/dist/index.js'], { stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
createInterface(server.stdout).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  waiting.get(id)?.(result)
})
let newest = 0
const ask = (method, params) => new Promise((done) => {
  waiting.set((newest += 1), done)
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: newest, method, params })}\n`)
})
const call = async (name, given) => (await ask('tools/call', { name, arguments: given })).content[0].text
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'look', version: '1' } })
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
await call('context_session_start', { name: 'one' })
for (const number of [1, 2, 3, 4]) {
  const value = `${'words before it '.repeat(10)}SECRET-${number}`
  await call('context_save', { key: `decision-${number}`, value, category: 'decision', priority: 'high' })
}
const found = async () => {
  const answer = await call('context_search', { query: 'SECRET', searchIn: ['value'] })
  return [1, 2, 3, 4].filter((number) => answer.includes(`decision-${number}`)).length
}
console.log(`found before: ${await found()} of 4`)
const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`
const [said, count] = (await call('context_compress', { olderThan: midnight })).split('\n')
console.log(`compressed what is older than the last midnight: ${said} ${count}`)
console.log(`found afterwards: ${await found()} of 4`)
server.kill()
SCRIPT
node look.mjs | tee seen.txt
cat > rows.mjs <<'SCRIPT'
import { createRequire } from 'node:module'
import { readdirSync } from 'node:fs'
const Database = createRequire(`${process.cwd()}/node_modules/mcp-memory-keeper/dist/index.js`)('better-sqlite3')
const path = ['data', 'home', '.'].flatMap((place) => readdirSync(place, { recursive: true }).map((name) => `${place}/${name}`))
  .find((name) => name.endsWith('context.db'))
const db = new Database(path, { readonly: true })
const [{ compressed_data: kept }] = db.prepare('SELECT compressed_data FROM compressed_context').all()
console.log(`items that are left: ${db.prepare('SELECT count(*) AS count FROM context_items').get().count}`)
console.log(`ends of the values in what was kept: ${(kept.match(/SECRET/g) ?? []).length}`)
SCRIPT
node rows.mjs | tee -a seen.txt
diff seen.txt - <<'EXPECTED'
found before: 4 of 4
compressed what is older than the last midnight: Compression completed! Items compressed: 4
found afterwards: 0 of 4
items that are left: 0
ends of the values in what was kept: 0
EXPECTED
echo 'As when it was found.'
