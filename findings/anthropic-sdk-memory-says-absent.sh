#!/usr/bin/env bash
# The memory tool of the Anthropic SDK for TypeScript (@anthropic-ai/sdk 1.14.0, `BetaLocalFilesystemMemoryTool`), by which
# a model keeps notes: it says of text over several lines that it is not there, changes the first of two places as if there
# were one, and does not show all notes that it says were created.
#
# Expected: `str_replace` finds the text that the model gives as the file has it, refuses one that is there twice, as its
# message says, and `view` of the folder leads to every note. Seen: the text is looked for in each line alone. Text of two
# lines "did not appear verbatim", and a model that believes it writes the note once more. Text that is twice in a line
# counts as once, and only the first place changes. A note in a folder with a dot, or below the second level, is created and
# can be read, and no view of the memory names it, so that the next session does not know of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @anthropic-ai/sdk@1.14.0
cat > look.mjs <<'SCRIPT'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
const memory = await BetaLocalFilesystemMemoryTool.init('./notes')
const path = '/memories/servers.md'
const file_text = 'port 80 for people, port 80 for programs\nhost: one\nuser: two\n'
await memory.create({ path, file_text })
const replace = async (old_str, new_str) => {
  const said = await memory.str_replace({ path, old_str, new_str }).catch(({ message }) => message)
  const [first] = said.split(/[.,`]/)
  console.log(`${JSON.stringify(old_str)}, ${file_text.split(old_str).length - 1} in the file: ${first.trim()}${
    said.includes('did not appear verbatim') ? ', it did not appear verbatim' : ''}`)
}
await replace('host: one\nuser: two', 'host: three\nuser: four')
await replace('port 80', 'port 81')
console.log((await memory.view({ path })).split('\n').slice(1, 4).map((line) => line.trim().split('\t')[1]).join(' | '))
const others = ['/memories/.plans/next.md', '/memories/projects/shop/plans/next.md']
for (const other of others) console.log(await memory.create({ path: other, file_text: 'a plan' }))
const views = await Promise.all(['/memories', '/memories/projects'].map((at) => memory.view({ path: at })))
console.log(`named in the view of the memory: ${[path, ...others].filter((one) => views[0].includes(one)).join(', ')}`)
const read = await Promise.all(others.map((other) => memory.view({ path: other })))
console.log(`can be read by who knows the path: ${read.filter((text) => text.includes('a plan')).length} of ${others.length}`)
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
"host: one\nuser: two", 1 in the file: No replacement was performed, it did not appear verbatim
"port 80", 2 in the file: The memory file has been edited
port 81 for people, port 80 for programs | host: one | user: two
File created successfully at: /memories/.plans/next.md
File created successfully at: /memories/projects/shop/plans/next.md
named in the view of the memory: /memories/servers.md
can be read by who knows the path: 2 of 2
EXPECTED
echo 'As when it was found.'
