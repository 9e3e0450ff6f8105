#!/usr/bin/env bash
# @itseasy21/mcp-knowledge-graph 1.0.7, a server that keeps what an agent is to know in later sessions: the memory lies in the
# folder of the package and is gone when that is installed anew, and an update forgets all that it does not name.
#
# Expected: what an agent keeps outlives its server. `update_entities`, which needs nothing but the name, changes an entity,
# and says when it was made as before (`createdAt`), beside the number of its version. Seen: without `--memory-path` the
# file stands beside the program, in the folder that npm removes (`npm ci` here; `npx` keeps a folder for each version).
# Afterwards the graph is empty, and the server says nothing of it. An update that names one observation takes the place of
# all others, without a trace of them, and sets `createdAt` to the time of the update, so that the oldest fact is the
# newest.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @itseasy21/mcp-knowledge-graph@1.0.7
cat > ask.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
const started = ['node_modules/@itseasy21/mcp-knowledge-graph/dist/index.js']
const server = spawn('node', started, { stdio: ['pipe', 'pipe', 'ignore'] })
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
const call = async (name, given) => JSON.parse((await ask('tools/call', { name, arguments: given })).content[0].text)
await ask('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'look', version: '1' } })
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
const known = async () => {
  const { entities } = await call('read_graph', {})
  return entities.map(({ name, observations, version }) => `${name} (${observations.join(', ')}; version ${version})`)
}
const [what] = process.argv.slice(2)
if (what === 'first') {
  const observations = ['runs on port 80', 'belongs to the shop', 'is restarted at night']
  const [{ createdAt }] = await call('create_entities', { entities: [{ name: 'server', entityType: 'machine', observations }] })
  await call('create_entities', { entities: [{ name: 'printer', entityType: 'machine', observations: ['is slow'] }] })
  console.log(`kept: ${(await known()).join(', ')}`)
  await setTimeout(20)
  const entities = [{ name: 'server', observations: ['runs on port 81'] }]
  await call('update_entities', { entities })
  console.log(`after an update of the server: ${(await known()).join(', ')}`)
  const order = (await call('read_graph', {})).entities.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
  console.log(`the server was made when it was: ${order.find(({ name }) => name === 'server').createdAt === createdAt}`)
  console.log(`oldest first: ${order.map(({ name }) => name).join(', ')}`)
} else console.log(`${what}: ${(await known()).join(', ') || 'nothing'}`)
server.kill()
await once(server, 'exit')
SCRIPT
{
  node ask.mjs first
  node ask.mjs 'after a new start'
  npm ci --silent --no-audit --no-fund
  node ask.mjs 'after installing anew'
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
kept: server (runs on port 80, belongs to the shop, is restarted at night; version 1), printer (is slow; version 1)
after an update of the server: server (runs on port 81; version 2), printer (is slow; version 1)
the server was made when it was: false
oldest first: printer, server
after a new start: server (runs on port 81; version 2), printer (is slow; version 1)
after installing anew: nothing
EXPECTED
echo 'As when it was found.'
