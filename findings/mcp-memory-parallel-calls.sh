#!/usr/bin/env bash
# The memory server of the Model Context Protocol (@modelcontextprotocol/server-memory 2026.8.31): when a model asks for
# several things to be remembered in one answer, one of them is.
#
# Expected: calls of one answer, which clients send side by side, are each kept, or say that they were not. Seen: each call
# answers with what it made. Every call reads the whole graph, adds to it and writes the whole graph, without waiting for
# the others, so what the last one wrote is all that stands in the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0 @modelcontextprotocol/server-memory@2026.8.31 \
  @modelcontextprotocol/sdk@1.32.0
cat > try.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const file = `${process.cwd()}/memory.jsonl`
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ['node_modules/@modelcontextprotocol/server-memory/dist/index.js'],
    env: { ...process.env, MEMORY_FILE_PATH: file },
  }),
)
const remember = (name) =>
  client.callTool({
    name: 'create_entities',
    arguments: { entities: [{ name, entityType: 'fact', observations: ['said'] }] },
  })
const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
const answers = await Promise.all(names.map(remember))
const made = answers.filter(({ isError, content }, place) => !isError && content[0].text.includes(`"${names[place]}"`))
const kept = readFileSync(file, 'utf8').split('\n').length
console.log(`side by side: ${made.length} said to be made, ${kept < made.length ? 'fewer' : 'all'} in the file`)
for (const name of names) await remember(`${name} again`)
const inTurn = readFileSync(file, 'utf8').split('\n').length - kept
console.log(`one after the other: ${inTurn} in the file`)
await client.close()
SCRIPT
npm ls @modelcontextprotocol/sdk | tail -2
node_modules/.bin/node try.mjs 2> errors.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
side by side: 8 said to be made, fewer in the file
one after the other: 8 in the file
EXPECTED
