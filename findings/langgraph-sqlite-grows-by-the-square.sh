#!/usr/bin/env bash
# LangGraph for JavaScript (@langchain/langgraph 1.7.3) with its checkpoints in SQLite (@langchain/langgraph-checkpoint-sqlite
# 1.0.4): every checkpoint of a thread holds all its messages again.
#
# Expected: a turn adds to the file what was said in it.
# Seen: a turn of a graph with one node makes three checkpoints, each with the whole list of messages as JSON. Twice as many
# turns make the file nearly four times as large: 200 kB of messages in 100 turns take 37 MB. Nothing is removed by itself, and
# taking messages out of the state makes later checkpoints smaller, not the file. Messages that every checkpoint repeats are
# one message: whoever reads all rows of a thread reads each of them hundreds of times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @langchain/langgraph@1.7.3 @langchain/core@1.4.0 \
  @langchain/langgraph-checkpoint-sqlite@1.0.4
cat > look.mjs <<'SCRIPT'
import { statSync } from 'node:fs'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
const sizes = []
for (const turns of [25, 50, 100]) {
  const checkpointer = SqliteSaver.fromConnString(`${turns}.db`)
  const app = new StateGraph(MessagesAnnotation)
    .addNode('answer', async () => ({ messages: [new AIMessage('a'.repeat(1000))] }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer })
  const config = { configurable: { thread_id: 'one' } }
  for (let at = 0; at < turns; at += 1) await app.invoke({ messages: [new HumanMessage('q'.repeat(1000))] }, config)
  checkpointer.db.pragma('wal_checkpoint(TRUNCATE)')
  sizes.push(statSync(`${turns}.db`).size)
  const newest = await checkpointer.getTuple(config)
  const rows = checkpointer.db.prepare('SELECT count(*) AS rows FROM checkpoints').get().rows
  console.log(`${turns} turns: ${rows} checkpoints, the newest holds ${
    newest.checkpoint.channel_values.messages.length} messages`)
}
for (const [at, size] of sizes.slice(1).entries()) console.log(`twice the turns: ${(size / sizes[at]).toFixed(0)} times the size`)
console.log(`the file of 200 kB that were said has more than 30 MB: ${sizes[2] > 30_000_000}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
25 turns: 75 checkpoints, the newest holds 50 messages
50 turns: 150 checkpoints, the newest holds 100 messages
100 turns: 300 checkpoints, the newest holds 200 messages
twice the turns: 4 times the size
twice the turns: 4 times the size
the file of 200 kB that were said has more than 30 MB: true
EXPECTED
echo 'As when it was found.'
