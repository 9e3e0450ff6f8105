#!/usr/bin/env bash
# NeuroLink (@juspay/neurolink 9.37.0), conversations with memory: when a window is full, answers of the assistant are taken
# for files that were read again, and each is replaced by a notice that the same file stands further below.
#
# Expected: earlier readings of a file give way to its latest one, which the same window has.
# Seen: an answer with a word in it that ends in "read", such as "thread", is the reading of a file whose name is the next
# word. Answers about four reports that say "I read the report" are four readings of a file "the": the model is sent three
# times "[File the - refer to latest read below]" and the newest answer, which is about another report. `compactSession`
# does the same and says how many tokens it saved, but stores nothing: the next request has all of them again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps node@24.21.0 @juspay/neurolink@9.37.0 react@19.3.1
cat > look.mjs <<'SCRIPT'
import { createServer } from 'node:http'
const totals = { March: 412, April: 97, May: 230, June: 518, July: 60 }
const requests = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const [month, total] = Object.entries(totals)[requests.push(JSON.parse(body).input) - 1]
    const text = `${about} ${month} has a total of ${total}. ${'detail '.repeat(length / 7)}`
    const content = [{ type: 'output_text', text, annotations: [] }]
    const output = [{ type: 'message', id: `m_${month}`, role: 'assistant', status: 'completed', content }]
    const usage = { input_tokens: 10, output_tokens: 1, total_tokens: 11 }
    const described = { id: `r_${month}`, object: 'response', created_at: 1, status: 'completed', model: 'm' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...described, output, usage }))
  })
})
let length = 0
let about = ''
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
process.env.LITELLM_BASE_URL = `http://127.0.0.1:${server.address().port}`
process.env.LITELLM_API_KEY = 'none'
const { NeuroLink } = await import('@juspay/neurolink')
const textOf = ({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''))
const shown = (message) => textOf(message).replace(/( detail)+ ?$/, '').trim()
const answersIn = (messages) => messages.filter(({ role }) => role === 'assistant').map(shown)
const talk = async (months) => {
  const agent = new NeuroLink({ conversationMemory: { enabled: true, enableSummarization: false } })
  const context = { sessionId: 'one', userId: 'someone' }
  const ask = (month) =>
    agent.generate({
      input: { text: `What is the total of ${month}?` }, provider: 'litellm', model: 'm', disableTools: true, context,
    })
  for (const month of months) await ask(month)
  return { agent, ask }
}
// Answers of about 38,000 tokens each, for a window of 128,000.
length = 150_000
about = 'I read the report, and'
await talk(['March', 'April', 'May', 'June', 'July'])
console.log('sent with the prompt about July:')
for (const answer of answersIn(requests.at(-1))) console.log(`  ${answer}`)
// Smaller ones, which fit, and a compaction that is asked for.
length = 74_000
about = 'The thread on'
requests.length = 0
const { agent, ask } = await talk(['March', 'April', 'May', 'June'])
const { compacted, tokensSaved, messages } = await agent.compactSession('one')
console.log(`compacted: ${compacted}, saved: ${tokensSaved > 50_000 ? 'more' : 'less'} than 50000 tokens; said to be left:`)
for (const answer of answersIn(messages)) console.log(`  ${answer}`)
await ask('July')
console.log('sent with the prompt after it:')
for (const answer of answersIn(requests.at(-1))) console.log(`  ${answer}`)
process.exit(0)
SCRIPT
node_modules/.bin/node look.mjs 2> warnings.txt | tee seen.txt
diff seen.txt - <<'EXPECTED'
sent with the prompt about July:
  [File the - refer to latest read below]
  [File the - refer to latest read below]
  [File the - refer to latest read below]
  I read the report, and June has a total of 518.
compacted: true, saved: more than 50000 tokens; said to be left:
  [File on - refer to latest read below]
  [File on - refer to latest read below]
  [File on - refer to latest read below]
  The thread on June has a total of 518.
sent with the prompt after it:
  The thread on March has a total of 412.
  The thread on April has a total of 97.
  The thread on May has a total of 230.
  The thread on June has a total of 518.
EXPECTED
echo 'As when it was found.'
