#!/usr/bin/env bash
# Cipher (@byterover/cipher 0.3.0), the context manager of an agent with OpenAI's models: a compression that has to take out
# little takes out everything between the first and the last six messages, and says that it took out nothing.
#
# Expected: messages are taken out, the oldest of the middle first, until the rest has four fifths of the window's size, and
# `removedMessages` lists them.
# Seen: the messages of the middle are not in the list from which they are then to be taken one by one, so all of them are
# gone before the first, and as the rest is small enough none is noted as removed. Of 87 messages, in a window that is full
# to nine tenths, twelve are left, an eighth of the window, with nothing in the place of the others that tells of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps --ignore-scripts @byterover/cipher@0.3.0
export HOME="$folder/home" CIPHER_LOG_LEVEL=error
mkdir home
cat > look.mjs <<'SCRIPT'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
const { ContextManager } = createRequire(import.meta.url)('@byterover/cipher/core')
const formatter = { format: (message) => message, parseResponse: () => [] }
const manager = new ContextManager(formatter, { generateSystemPrompt: async () => ({ content: 'help' }) })
await manager.configureCompression('openai', 'gpt-4o', 8000)
const words = 'and these are some more words of it '.repeat(10)
let count = 0
const utilisation = () => manager.getTokenStats().utilization
for (; utilisation() < 0.9; count += 2) {
  await manager.addUserMessage(`question ${count + 1}. ${words}`)
  await manager.addAssistantMessage(`answer ${count + 2}. ${words}`)
}
const percent = () => `${Math.round(utilisation() * 100)} %`
console.log(`messages: ${count}, ${percent()} of the window`)
// It looks at the size every five seconds at most.
await setTimeout(5500)
await manager.addUserMessage(`question ${count + 1}. ${words}`)
const { removedMessages, strategy } = manager.compressionHistory[0]
const sent = JSON.stringify(await manager.getAllFormattedMessages()).match(/(?<=question |answer )\d+/g)
console.log(`compression: ${strategy}; messages that it says it removed: ${removedMessages.length}`)
console.log(`messages that are left: ${sent.length}, ${percent()} of the window: ${sent.join(', ')}`)
process.exit(0)
SCRIPT
node look.mjs > out.txt 2>&1 || { cat out.txt; exit 1; }
grep -E '^(messages|compression)' out.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
messages: 86, 91 % of the window
compression: hybrid; messages that it says it removed: 0
messages that are left: 12, 13 % of the window: 1, 2, 3, 4, 5, 6, 82, 83, 84, 85, 86, 87
EXPECTED
echo 'As when it was found.'
