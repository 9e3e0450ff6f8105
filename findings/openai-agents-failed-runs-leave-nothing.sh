#!/usr/bin/env bash
# OpenAI Agents SDK for JavaScript (@openai/agents 0.20.0) with a session: what an agent did in a run that ends with an error
# is not in its memory, though its tools were run, and whether the prompt is depends on streaming.
#
# Expected: a session has the prompt, and the calls that were made with their results, also when a later request of the same
# run fails or the run reaches `maxTurns`. The next run knows what has been done. Seen: items are stored when a run ends
# well. Otherwise a run that is not streamed leaves nothing, and one that is streamed leaves the prompt alone. The next
# prompt is sent without the calls that were made: a model that sent a mail, and is asked whether it was sent, is told of no
# mail. Nothing in the session tells that something is missing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @openai/agents@0.20.0 zod@4.6.4
cat > look.mjs <<'SCRIPT'
import { Agent, MemorySession, Usage, run, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
setTracingDisabled(true)
const counted = { inputTokens: 10, outputTokens: 1, totalTokens: 11 }
const kindOf = ({ type, role }) => ({ function_call: 'call', function_call_result: 'result' })[type] ?? role
const shown = (items) => (Array.isArray(items) ? items.map(kindOf).join(' ') || 'nothing' : 'user')
/** A model that calls the tool in its first `calls` answers, and whose request number `failing` fails. */
const scripted = (sent, calls, failing) => {
  const answer = ({ input }) => {
    sent.push(shown(input))
    if (sent.length === failing) throw new Error('the model is not there')
    const id = `item_${sent.length}`
    return sent.length <= calls
      ? [{ type: 'function_call', id, callId: id, name: 'send_mail', arguments: '{}', status: 'completed' }]
      : [{ type: 'message', role: 'assistant', id, status: 'completed', content: [{ type: 'output_text', text: 'done' }] }]
  }
  return {
    async getResponse(request) {
      return { usage: new Usage(counted), output: answer(request), responseId: `r${sent.length}` }
    },
    async *getStreamedResponse(request) {
      const output = answer(request)
      yield { type: 'response_done', response: { id: `r${sent.length}`, usage: counted, output } }
    },
  }
}
for (const [name, calls, failing] of [['the second request fails', 1, 2], ['the limit of turns is reached', 2, 0]])
  for (const stream of [false, true]) {
    let mails = 0
    const sent = []
    const session = new MemorySession()
    const parameters = z.object({})
    const execute = async () => `mail ${(mails += 1)} was sent`
    const agent = new Agent({
      name: 'agent',
      instructions: 'help',
      model: scripted(sent, calls, failing),
      tools: [tool({ name: 'send_mail', description: 'Sends the mail.', parameters, execute })],
    })
    const ask = async (prompt, maxTurns) => {
      const result = await run(agent, prompt, { session, stream, maxTurns })
      if (stream) await result.completed
    }
    const error = await ask('Send the mail.', 2).catch(({ constructor }) => constructor.name)
    console.log(`${name}${stream ? ', streamed' : ''}: ${error}; mails sent: ${mails}`)
    console.log(`  sent last: ${sent.at(-1)}; in the session: ${shown(await session.getItems())}`)
    await ask('Was it sent?', 5)
    console.log(`  sent with the next prompt: ${sent.at(-1)}`)
  }
SCRIPT
node look.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
the second request fails: Error; mails sent: 1
  sent last: user call result; in the session: nothing
  sent with the next prompt: user
the second request fails, streamed: Error; mails sent: 1
  sent last: user call result; in the session: user
  sent with the next prompt: user user
the limit of turns is reached: MaxTurnsExceededError; mails sent: 2
  sent last: user call result; in the session: nothing
  sent with the next prompt: user
the limit of turns is reached, streamed: MaxTurnsExceededError; mails sent: 2
  sent last: user call result; in the session: user
  sent with the next prompt: user user
EXPECTED
echo 'As when it was found.'
