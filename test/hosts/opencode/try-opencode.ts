import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ModelServer, Script } from '#test/real-agents/model-server.ts'
import { checked, count, factsFound, OUR_RUNS } from '../checked.ts'
import { FACTS, factsAnswer, factsIn, tellFacts } from '../facts.ts'
import { cacheBreaks, type Finding, median } from '../finding.ts'
import { databaseOf, lcm, memoryOf, type OpenCodeHome, RunningOpenCode, writeHome } from './running-opencode.ts'

type Tried = { readonly program: string; readonly folder: string; readonly server: ModelServer }

const PADDING = 'The harbour is open until nine and the key lies under the blue stone. '.repeat(4)
const SUMMARY = 'The person named services and their ports.'

/** Requests for titles and summaries offer no tools. */
export const script: Script = ({ messages, hasTools }) => {
  const last = messages.at(-1)
  if (!hasTools || last === undefined) return { text: SUMMARY, call: null }
  const [, word] = /(WORD\d+)/.exec(last.text) ?? []
  const answer = factsAnswer(last.text)
  if (answer !== null) return answer
  if (last.role === 'user' && last.text.includes('run')) {
    const input = { command: `echo output of ${word}`, description: 'says a word' }
    return { text: `I run it for ${word}.`, call: { name: 'bash', input } }
  }
  if (last.role === 'user' && last.text.includes('recall'))
    return { text: 'I look it up.', call: { name: 'lcm_grep', input: { query: 'WORD1' } } }
  return { text: `Answer to ${word ?? 'the result'}. ${PADDING}`, call: null }
}

const prompt = (n: number): string =>
  n % 7 === 3 ? `Please run the command of WORD${n}.` : `What of WORD${n} in the harbour?`

/** A request costs 1,200 tokens and 10 for each message: ours is due at 80 % of 2,000, at 40 messages. */
const homeOf = ({ program, folder, server }: Tried, name: string, contextTokens = 2_500): OpenCodeHome => ({
  ...{ program, folder: join(folder, name), url: server.url, contextTokens },
})

/** A home that is connected as docs/hosts/opencode.md says. */
function connected(home: OpenCodeHome): OpenCodeHome {
  writeHome(home)
  lcm(home, ['install', 'opencode', '--db', memoryOf(home), '--yes'])
  return home
}

const checkedIn = (what: string, home: OpenCodeHome): Promise<Finding> =>
  checked(what, { memory: memoryOf(home), database: databaseOf(home), format: 'opencode' })

/** The requests of a turn: those that offer tools. */
const requestsSince = (server: ModelServer, from: number) => server.asked.slice(from).filter(({ hasTools }) => hasTools)

/** A session of many turns, with compactions. */
async function longSession(tried: Tried, turns: number): Promise<Finding[]> {
  const home = connected(homeOf(tried, 'long'))
  const from = tried.server.asked.length
  const opencode = await RunningOpenCode.start(home)
  const session = await opencode.newSession()
  const times: number[] = []
  for (let n = 0; n < turns; n += 1) {
    const startedMs = performance.now()
    await opencode.prompt(session, n === turns - 1 ? 'recall it' : prompt(n))
    times.push(performance.now() - startedMs)
  }
  const messages = await opencode.messages(session)
  await opencode.close()
  const requests = requestsSince(tried.server, from)
  const ours = await count(memoryOf(home), OUR_RUNS)
  const theirs = messages.filter(({ info }) => info.summary === true).length
  const breaks = cacheBreaks(requests)
  const recalled = requests.at(-1)?.messages.at(-1)?.text ?? ''
  return [
    await checkedIn(`a session of ${turns} turns`, home),
    { what: 'compactions', found: `${ours} by the memory, ${theirs} by opencode`, isGood: ours >= 3 && theirs === 0 },
    {
      what: 'requests that do not begin with the one before',
      found: `${breaks} of ${requests.length}, with ${ours} compactions`,
      isGood: breaks <= ours,
    },
    {
      what: 'what lcm_grep finds after the compactions',
      found: recalled.slice(0, 80).replaceAll('\n', ' '),
      isGood: recalled.includes('What of WORD1 '),
    },
    { what: 'a turn', found: `${median(times).toFixed(1)} ms at the median`, isGood: true },
    ...saidOf(opencode),
  ]
}

const saidOf = ({ log }: RunningOpenCode): Finding[] => {
  const lines = log.split('\n').filter((line) => line.includes('LCM memory:'))
  return [
    { what: 'what was said of failures', found: lines[0]?.slice(0, 200) ?? 'nothing', isGood: lines.length === 0 },
  ]
}

/** A session that is forked, taken back before and behind a compaction, resumed, compacted by opencode, and left alone. */
async function branches(tried: Tried): Promise<Finding[]> {
  const home = connected(homeOf(tried, 'branches'))
  const findings: Finding[] = []
  let opencode = await RunningOpenCode.start(home)
  const session = await opencode.newSession()
  const say = async (from: number, to: number, id = session): Promise<void> => {
    for (let n = from; n < to; n += 1) await opencode.prompt(id, prompt(n))
  }
  const check = async (what: string): Promise<void> => {
    await opencode.close()
    findings.push(await checkedIn(what, home), ...saidOf(opencode).filter(({ isGood }) => !isGood))
    opencode = await RunningOpenCode.start(home)
  }
  const userMessage = async (at: number): Promise<string> =>
    (await opencode.messages(session)).filter(({ info }) => info.role === 'user').at(at)?.info.id ?? ''
  await say(0, 6)
  const fork = await opencode.fork(session, await userMessage(3))
  await say(100, 104, fork)
  await check('a fork')
  await say(6, 30)
  await check('a resumed session that was compacted')
  await opencode.revert(session, await userMessage(-2))
  await say(200, 203)
  const kept = await count(memoryOf(home), OUR_RUNS)
  await check('what was taken back behind a compaction')
  await opencode.revert(session, await userMessage(2))
  const from = tried.server.asked.length
  await say(300, 303)
  const sent = requestsSince(tried.server, from).at(-1)?.messages ?? []
  findings.push({
    what: 'what the model is sent after a compaction was taken back with what it stood for',
    found: `${sent.length} messages, ${(await count(memoryOf(home), OUR_RUNS)) - kept} compactions more`,
    isGood:
      sent.every(({ text }) => !/WORD(?:[3-9]|2\d)\b/.test(text)) && sent.some(({ text }) => text.includes('WORD0')),
  })
  await check('what was taken back with the compaction that stood for it')
  await say(303, 305)
  await opencode.compact(session)
  await say(305, 308)
  await check('a compaction by opencode itself')
  lcm(home, ['uninstall', 'opencode', '--yes'])
  await opencode.close()
  opencode = await RunningOpenCode.start(home)
  await say(308, 311)
  await opencode.close()
  lcm(home, ['install', 'opencode', '--db', memoryOf(home), '--yes'])
  opencode = await RunningOpenCode.start(home)
  await say(311, 313)
  await check('the plugin out for a while and in again')
  await opencode.close()
  return findings
}

/** opencode is killed at different moments of a turn, and started again. */
async function kills(tried: Tried, moments: number): Promise<Finding[]> {
  const home = connected(homeOf(tried, 'killed'))
  let session = ''
  for (let n = 0; n < moments; n += 1) {
    const opencode = await RunningOpenCode.start(home)
    session ||= await opencode.newSession()
    await opencode.prompt(session, prompt(n * 10))
    const last = opencode.prompt(session, prompt(n * 10 + 3)).catch(() => undefined)
    await setTimeout(n * 12)
    await opencode.kill()
    await Promise.race([last, setTimeout(100)])
  }
  const opencode = await RunningOpenCode.start(home)
  await opencode.prompt(session, 'What remains?')
  await opencode.close()
  return [await checkedIn(`kill -9 at ${moments} moments`, home), ...saidOf(opencode)]
}

/** A window in which a request takes about half with its tools. Each round fills more than the rest. */
const FACTS_WINDOW = 24_000
const FILLERS = 24

/** Sixty facts in three rounds. After each so much is said that the window is full; a summary by the model says none. */
async function facts(
  tried: Tried,
  isConnected: boolean,
): Promise<{ sent: number; found: number; compactions: number }> {
  const home = homeOf(tried, `facts-${isConnected ? 'connected' : 'alone'}`, FACTS_WINDOW)
  if (isConnected) connected(home)
  else writeHome(home)
  const opencode = await RunningOpenCode.start(home)
  const session = await opencode.newSession()
  await tellFacts((text) => opencode.prompt(session, text), FILLERS)
  const asked = tried.server.asked.findLast(({ hasTools }) => hasTools)
  const theirs = (await opencode.messages(session)).filter(({ info }) => info.summary === true).length
  await opencode.close()
  const sent = factsIn(asked?.messages)
  if (!isConnected) return { sent, compactions: theirs, found: 0 }
  const compactions = theirs + (await count(memoryOf(home), OUR_RUNS))
  return { sent, compactions, found: await factsFound(memoryOf(home)) }
}

async function sixtyFacts(tried: Tried): Promise<Finding[]> {
  const alone = await facts(tried, false)
  const connectedTo = await facts(tried, true)
  const found =
    `${connectedTo.sent} of ${FACTS.length} sent after ${connectedTo.compactions} compactions, ${connectedTo.found} found by one search each;` +
    ` alone ${alone.sent} sent after ${alone.compactions}`
  return [{ what: 'sixty facts', found, isGood: connectedTo.sent > alone.sent && connectedTo.found === FACTS.length }]
}

/** Turns with and without the plugin, alternately. */
async function turnTimes(tried: Tried, turns: number): Promise<Finding[]> {
  const homes = [connected(homeOf(tried, 'timed-with', 200_000)), homeOf(tried, 'timed-without', 200_000)]
  const times: [number[], number[]] = [[], []]
  const running = []
  for (const [at, home] of homes.entries()) {
    if (at === 1) writeHome(home)
    const opencode = await RunningOpenCode.start(home)
    running.push({ opencode, session: await opencode.newSession() })
  }
  for (let n = 0; n < turns; n += 1) {
    for (const [at, { opencode, session }] of running.entries()) {
      const startedMs = performance.now()
      await opencode.prompt(session, prompt(n))
      times[at]?.push(performance.now() - startedMs)
    }
  }
  for (const { opencode } of running) await opencode.close()
  const [on, off] = times.map(median) as [number, number]
  const slower = (2_000 + on) / (2_000 + off)
  const found = `${on.toFixed(1)} ms with, ${off.toFixed(1)} ms without: ${slower.toFixed(4)} times with a model that takes 2 s`
  return [{ what: 'the time of a turn', found, isGood: slower <= 1.02 }]
}

/** Tells each finding when it is known. */
export async function* tryOpenCode(tried: Tried): AsyncGenerator<Finding> {
  if (!existsSync(tried.program)) throw new Error(`There is no opencode at ${tried.program}`)
  yield* await sixtyFacts(tried)
  yield* await kills(tried, 30)
  yield* await longSession(tried, 150)
  yield* await branches(tried)
  yield* await turnTimes(tried, 60)
}
