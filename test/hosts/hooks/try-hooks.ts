import { join } from 'node:path'
import { openLcm } from '#core/lcm.ts'
import type { ModelServer, Script } from '#test/real-agents/model-server.ts'
import { shellCall } from '#test/real-agents/script.ts'
import { checkedTranscripts, count, factsFound } from '../checked.ts'
import { FACTS, factsAnswer, factsIn, QUESTION, ROUNDS, told } from '../facts.ts'
import { type Finding, median } from '../finding.ts'
import { type HookedHost, HookedRun } from './hooked-hosts.ts'

/*
 * Whether hooks help the agents that are connected by "lcm install", and lose nothing. Sixty facts are told: half by a
 * scripted person, half by a scripted model. The model compacts three times, with a summary that says none of them. Then
 * the agent is asked, once alone and once connected, and what its model was sent is counted. After that comes a session
 * with six compactions, and one in which the agent is killed at many moments.
 */

type Tried = { readonly host: HookedHost; readonly folder: string; readonly server: ModelServer }

const SUMMARY = '<summary>The person named services and their ports.</summary>'
const COMPACTIONS = 6
const KILLS = 24
const TIMED_TURNS = 8

/** Both agents ask for a summary in words of their own. */
export const script: Script = ({ messages }, tools) => {
  const last = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  if (/detailed summary|checkpoint compaction/i.test(last)) return { text: SUMMARY, call: null }
  const answer = factsAnswer(last)
  if (answer !== null) return answer
  const word = /Please run the command of (WORD\d+)/.exec(last)?.[1]
  const isRun = word === undefined || messages.at(-1)?.text.includes(`output of ${word}`)
  if (isRun) return { text: 'Noted.', call: null }
  return { text: `I run it for ${word}.`, call: shellCall(tools, `echo output of ${word}`) }
}

const prompt = (n: number): string =>
  n % 3 === 1 ? `Please run the command of WORD${n}.` : `What of WORD${n} in the harbour?`

type Home = { readonly name: string; readonly isConnected?: boolean; readonly compacts?: boolean }

async function running<T>(
  { host, folder, server }: Tried,
  { name, isConnected = true, compacts = true }: Home,
  body: (run: HookedRun) => Promise<T>,
): Promise<T> {
  const run = new HookedRun(host, { server, folder: join(folder, name), programs: folder, isConnected, compacts })
  try {
    await run.begin()
    return await body(run)
  } finally {
    run.end()
  }
}

type Told = { readonly sent: number; readonly compactions: number }

/** Tells sixty facts with a compaction after each round, and counts what stands in the request of the next prompt. */
async function tellFacts(run: HookedRun, server: ModelServer): Promise<Told> {
  const from = server.asked.length
  for (let round = 0; round < ROUNDS; round += 1) {
    await run.ask(`${told(round, 0)}\nDecide part ${round}.`)
    await run.compact()
  }
  await run.ask(QUESTION)
  const asked = server.asked.findLast(({ messages }) => messages.some(({ text }) => text.includes(QUESTION)))
  return {
    sent: factsIn([asked?.messages, asked?.system]),
    compactions: compactionsSince(server, from),
  }
}

const compactionsSince = (server: ModelServer, from: number): number =>
  server.asked.slice(from).filter(({ answer }) => answer.text === SUMMARY).length

async function sixtyFacts(tried: Tried): Promise<Finding[]> {
  const alone = await running(tried, { name: 'facts-alone', isConnected: false }, (run) => tellFacts(run, tried.server))
  return running(tried, { name: 'facts' }, async (run) => {
    const connected = await tellFacts(run, tried.server)
    await run.settled()
    const found = await factsFound(run.memory)
    const of = (number: number): string => `${number} of ${FACTS.length}`
    return [
      {
        what: 'sixty facts',
        found:
          `${of(connected.sent)} sent after ${connected.compactions} compactions, ${of(found)} found by one search each; ` +
          `alone ${of(alone.sent)} sent after ${alone.compactions}`,
        isGood: found === FACTS.length && connected.sent > alone.sent,
      },
      ...(await wrongIn(run)),
    ]
  })
}

/** What `lcm doctor` says, and what was recalled and stored again. */
async function wrongIn(run: HookedRun): Promise<Finding[]> {
  const states: { problems: string[] }[] = JSON.parse(run.lcm(['doctor', '--json']).stdout).agents
  using memory = await openLcm(run.memory, { readOnly: true })
  const recalled = memory.read.all("SELECT 1 FROM messages WHERE content LIKE '%<recalled-memory%'").length
  const problems = states.flatMap((state) => state.problems)
  return [
    { what: 'what went wrong', found: problems[0] ?? 'nothing', isGood: problems.length === 0 },
    { what: 'recalled texts that were stored again', found: String(recalled), isGood: recalled === 0 },
  ]
}

const checked = async (what: string, run: HookedRun): Promise<Finding> => {
  await run.settled()
  return checkedTranscripts(what, { memory: run.memory, folder: run.sessions, format: run.format })
}

/** A session that compacts six times. */
async function longSession(tried: Tried): Promise<Finding[]> {
  return running(tried, { name: 'long' }, async (run) => {
    const from = tried.server.asked.length
    for (let n = 0; n < COMPACTIONS * 2 + 1; n += 1) {
      await run.ask(prompt(n))
      if (n % 2 === 1) await run.compact()
    }
    const theirs = compactionsSince(tried.server, from)
    const whole = await checked(`a session that compacts ${theirs} times`, run)
    const stored = await count(run.memory, "SELECT count(*) FROM compaction_runs WHERE owner = 'import'")
    const found = `${stored} of ${theirs}`
    return [
      whole,
      { what: 'compactions that are stored', found, isGood: theirs >= COMPACTIONS && stored >= theirs },
      ...(await wrongIn(run)),
    ]
  })
}

/** The agent and its hooks are killed at moments that are spread over a turn, and the session goes on. */
async function kills(tried: Tried): Promise<Finding[]> {
  return running(tried, { name: 'killed' }, async (run) => {
    const startedMs = performance.now()
    await run.ask(prompt(0))
    const turnMs = performance.now() - startedMs
    for (let n = 1; n <= KILLS; n += 1) {
      await run.askAndKill(prompt(n), (turnMs * n) / KILLS)
      if (n % 6 === 0) await run.ask(prompt(100 + n))
    }
    await run.ask('What remains?')
    return [await checked(`kill -9 at ${KILLS} moments of a turn`, run)]
  })
}

/** The same turn alone and connected, alternately. Each starts the agent and resumes its session. */
async function turnTimes(tried: Tried): Promise<Finding[]> {
  return running(tried, { name: 'timed-alone', isConnected: false, compacts: false }, (alone) =>
    running(tried, { name: 'timed', compacts: false }, async (connected) => {
      const times: [number[], number[]] = [[], []]
      for (let n = 0; n < TIMED_TURNS; n += 1) {
        for (const [at, run] of [connected, alone].entries()) {
          const startedMs = performance.now()
          await run.ask(`What of WORD${n} in the harbour?`)
          times[at]?.push(performance.now() - startedMs)
        }
      }
      await connected.settled()
      const [on, off] = times.map(median) as [number, number]
      const found = `${on.toFixed(0)} ms with, ${off.toFixed(0)} ms without, with the start of the agent: ${(on / off).toFixed(3)} times`
      return [{ what: 'the time of a turn', found, isGood: true }]
    }),
  )
}

/** Tells each finding when it is known. */
export async function* tryHooks(tried: Tried): AsyncGenerator<Finding> {
  yield* await sixtyFacts(tried)
  yield* await longSession(tried)
  yield* await kills(tried)
  yield* await turnTimes(tried)
}
