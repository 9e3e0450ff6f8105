import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { ModelServer, Script } from '#test/real-agents/model-server.ts'
import { checked, count, factsFound, OUR_RUNS } from '../checked.ts'
import { FACTS, factsAnswer, factsIn, QUESTION, tellFacts } from '../facts.ts'
import { cacheBreaks, type Finding, median } from '../finding.ts'
import { databaseOf, lcm, memoryOf, type OpenClawHome, RunningOpenClaw, writeHome } from './running-openclaw.ts'

type Tried = { readonly program: string; readonly folder: string; readonly server: ModelServer }

const PADDING = 'The harbour is open until nine and the key lies under the blue stone. '.repeat(120)
const SESSION = 'harbour'

/** OpenClaw puts messages of its own behind that of the person. */
const isOfOpenClaw = (text: string): boolean => text.includes('BEGIN_OPENCLAW_INTERNAL_CONTEXT')

/** A summary by the model itself. OpenClaw refuses one without these headings. */
const SUMMARY = ['Decisions', 'Open TODOs', 'Constraints/Rules', 'Pending user asks', 'Exact identifiers']
  .map((heading) => `## ${heading}\nThe person named services and their ports, and asked what else there is to see.`)
  .join('\n\n')

export const script: Script = ({ messages, hasTools }) => {
  if (!hasTools) return { text: SUMMARY, call: null }
  const last = messages.findLast(({ text }) => !isOfOpenClaw(text))
  const text = last?.role === 'user' ? last.text : ''
  const answer = factsAnswer(text)
  if (answer !== null) return answer
  const [, word] = /(WORD\d+)/.exec(text) ?? []
  if (text.includes('Please run the command'))
    return { text: `I run it for ${word}.`, call: { name: 'exec', input: { command: `echo output of ${word}` } } }
  if (text.includes('Please recall'))
    return { text: 'I look it up.', call: { name: 'lcm_grep', input: { query: 'WORD1' } } }
  return { text: `Answer to ${word ?? 'the result'}. ${PADDING}`, call: null }
}

const prompt = (n: number): string =>
  n % 7 === 3 ? `Please run the command of WORD${n}.` : `What of WORD${n} in the harbour?`

const homeOf = ({ program, folder, server }: Tried, name: string, contextTokens: number): OpenClawHome => ({
  ...{ program, folder: `${folder}/${name}`, url: server.url, contextTokens },
})

/** A home that is connected as docs/hosts/openclaw.md says. */
function connected(home: OpenClawHome): OpenClawHome {
  writeHome(home)
  lcm(home, ['install', 'openclaw', '--db', memoryOf(home), '--yes'])
  return home
}

const checkedIn = (what: string, home: OpenClawHome): Promise<Finding> =>
  checked(what, { memory: memoryOf(home), database: databaseOf(home), format: 'openclaw' })

const saidOf = ({ log }: RunningOpenClaw): Finding[] => {
  const lines = log
    .split('\n')
    .filter((line) => line.includes('LCM memory:') || /quarantin|context engine .*fail/i.test(line))
  return [
    { what: 'what was said of failures', found: lines[0]?.slice(0, 300) ?? 'nothing', isGood: lines.length === 0 },
  ]
}

/** A session of many turns in a small window, with compactions. */
async function longSession(tried: Tried, turns: number): Promise<Finding[]> {
  const home = connected(homeOf(tried, 'long', 120_000))
  const from = tried.server.asked.length
  const openclaw = await RunningOpenClaw.start(home)
  const times: number[] = []
  for (let n = 0; n < turns; n += 1) {
    const startedMs = performance.now()
    await openclaw.prompt(SESSION, n === turns - 1 ? 'Please recall it.' : prompt(n))
    times.push(performance.now() - startedMs)
  }
  await openclaw.close()
  const requests = tried.server.asked.slice(from)
  const ours = await count(memoryOf(home), OUR_RUNS)
  // What OpenClaw adds to the newest words is not sent again.
  const breaks = cacheBreaks(
    requests.map(({ messages, hasTools }) => ({
      hasTools,
      messages: messages.filter(({ text }) => !isOfOpenClaw(text)),
    })),
  )
  const recalled = requests.at(-1)?.messages.findLast(({ text }) => !isOfOpenClaw(text))?.text ?? ''
  return [
    await checkedIn(`a session of ${turns} turns`, home),
    { what: 'compactions', found: `${ours} by the memory`, isGood: ours >= 3 },
    {
      what: 'requests that do not begin with the one before',
      found: `${breaks} of ${requests.length}`,
      isGood: breaks <= ours,
    },
    {
      what: 'what lcm_grep finds after the compactions',
      found: recalled.slice(0, 80).replaceAll('\n', ' '),
      isGood: recalled.includes('What of WORD1 '),
    },
    { what: 'a turn', found: `${median(times).toFixed(0)} ms at the median`, isGood: true },
    ...saidOf(openclaw),
  ]
}

/** The gateway is killed at different moments of a turn, and started again; then the plugin is out for a while. */
async function kills(tried: Tried, moments: number): Promise<Finding[]> {
  const home = connected(homeOf(tried, 'killed', 200_000))
  for (let n = 0; n < moments; n += 1) {
    const openclaw = await RunningOpenClaw.start(home)
    await openclaw.prompt(SESSION, prompt(n * 10))
    const last = openclaw.prompt(SESSION, prompt(n * 10 + 3)).catch(() => undefined)
    await setTimeout(n * 100)
    await openclaw.kill()
    await Promise.race([last, setTimeout(100)])
  }
  let openclaw = await RunningOpenClaw.start(home)
  await openclaw.prompt(SESSION, 'What remains?')
  await openclaw.close()
  const findings = [await checkedIn(`kill -9 at ${moments} moments`, home), ...saidOf(openclaw)]
  lcm(home, ['uninstall', 'openclaw', '--yes'])
  openclaw = await RunningOpenClaw.start(home)
  await openclaw.prompt(SESSION, prompt(500))
  await openclaw.close()
  lcm(home, ['install', 'openclaw', '--db', memoryOf(home), '--yes'])
  openclaw = await RunningOpenClaw.start(home)
  await openclaw.prompt(SESSION, prompt(501))
  await openclaw.close()
  return [...findings, await checkedIn('the plugin out for a while and in again', home), ...saidOf(openclaw)]
}

/** The answers of a round are more than its window holds beside the tools. */
const FACTS_WINDOW = 120_000
const FILLERS = 60

/** Sixty facts in three rounds, after each of which the window is filled. */
async function facts(tried: Tried, isConnected: boolean): Promise<{ sent: number; found: number; ours: number }> {
  const home = homeOf(tried, `facts-${isConnected ? 'connected' : 'alone'}`, FACTS_WINDOW)
  if (isConnected) connected(home)
  else writeHome(home)
  const openclaw = await RunningOpenClaw.start(home)
  await tellFacts((text) => openclaw.prompt(SESSION, text), FILLERS)
  await openclaw.close()
  const asked = tried.server.asked.findLast(({ messages }) => messages.some(({ text }) => text.includes(QUESTION)))
  const sent = factsIn(asked?.messages)
  if (!isConnected) return { sent, found: 0, ours: 0 }
  return { sent, found: await factsFound(memoryOf(home)), ours: await count(memoryOf(home), OUR_RUNS) }
}

async function sixtyFacts(tried: Tried): Promise<Finding[]> {
  const alone = await facts(tried, false)
  const connectedTo = await facts(tried, true)
  const found =
    `${connectedTo.sent} of ${FACTS.length} sent after ${connectedTo.ours} compactions, ` +
    `${connectedTo.found} found by one search each; alone ${alone.sent} sent`
  return [{ what: 'sixty facts', found, isGood: connectedTo.found === FACTS.length && connectedTo.sent > alone.sent }]
}

/** Tells each finding when it is known. */
export async function* tryOpenClaw(tried: Tried): AsyncGenerator<Finding> {
  if (!existsSync(tried.program)) throw new Error(`There is no OpenClaw at ${tried.program}`)
  yield* await longSession(tried, 45)
  yield* await kills(tried, 24)
  yield* await sixtyFacts(tried)
}
