import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSpoken } from '#core/ingest/transcripts/formats/pi/entries.ts'
import { openLcm } from '#core/lcm.ts'
import type { ModelServer, Script } from '#test/real-agents/model-server.ts'
import { factsFound } from '../checked.ts'
import { FACTS, factsAnswer, factsIn, tellFacts } from '../facts.ts'
import { type Finding, median } from '../finding.ts'
import { entriesOf, type PiHome, RunningPi, sessionFiles, writeExtension, writeHome } from './running-pi.ts'

type Tried = {
  readonly program: string
  readonly folder: string
  readonly adapter: string
  readonly server: ModelServer
}

const PADDING = 'The harbour is open until nine and the key lies under the blue stone. '.repeat(4)
/** Requests to summarise offer no tools. */
export const script: Script = ({ messages, hasTools }) => {
  const last = messages.at(-1)
  if (!hasTools || last === undefined) return { text: 'A summary by the model itself.', call: null }
  const answer = factsAnswer(last.text)
  if (answer !== null) return answer
  const [, word] = /(WORD\d+)/.exec(last.text) ?? []
  if (last.role === 'user' && last.text.includes('run')) {
    return { text: `I run it for ${word}.`, call: { name: 'bash', input: { command: `echo output of ${word}` } } }
  }
  if (last.role === 'user' && last.text.includes('recall')) {
    return { text: 'I look it up.', call: { name: 'lcm_grep', input: { query: 'WORD1' } } }
  }
  return { text: `Answer to ${word ?? 'the result'}. ${PADDING}`, call: null }
}

const prompt = (n: number): string =>
  n % 7 === 3 ? `Please run the command of WORD${n}.` : `What of WORD${n} in the harbour?`

const homeOf = ({ program, folder, adapter, server }: Tried, name: string, more: Partial<PiHome> = {}): PiHome => ({
  ...{ program, adapter, url: server.url },
  ...{ home: join(folder, name, 'home'), work: join(folder, name, 'work') },
  // A request costs 1,200 tokens and 10 for each message: a compaction is due at 100 messages.
  ...{ contextWindow: 20_000, reserveTokens: 17_800, keepRecentTokens: 500 },
  lcm: { leafChunkTokens: 2_000, dbDir: join(folder, name, 'memory') },
  ...more,
})

/** The memory of the one project that was worked on. */
function memoryFile({ lcm }: PiHome): string {
  const folder = String(lcm?.dbDir)
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.db')) ?? '')
}

/** Compares the memory with every session file: each entry with words has to be there once, and nothing else. */
async function coverage(home: PiHome): Promise<string> {
  const lcm = await openLcm(memoryFile(home), { readOnly: true })
  try {
    const stored = new Map<string, number>()
    for (const file of sessionFiles(home))
      for (const entry of entriesOf(file)) if (isSpoken(entry)) stored.set(entry.id, 0)
    // An import also stores a compaction that Pi made by itself, and the system prompt that it repeats.
    const compactions = new Set<string>()
    for (const { id, type, fromHook } of sessionFiles(home).flatMap(entriesOf))
      if (type === 'compaction' && fromHook !== true) compactions.add(id)
    const strange: string[] = []
    for (const id of lcm.read.column<string>('SELECT external_id FROM messages')) {
      const times = stored.get(id)
      if (times === undefined && !compactions.has(id.split('#')[0] ?? '')) strange.push(id)
      else if (times !== undefined) stored.set(id, times + 1)
    }
    const lost = [...stored].filter(([, times]) => times === 0).length
    const doubled = [...stored].filter(([, times]) => times > 1).length
    return `${stored.size} entries: ${lost} lost, ${doubled} doubled, ${strange.length} of no session`
  } finally {
    await lcm.close()
  }
}

const isWhole = (found: string): boolean => /^[1-9]\d* entries: 0 lost, 0 doubled, 0 of no session$/.test(found)
const checked = async (what: string, home: PiHome): Promise<Finding> => {
  const found = await coverage(home)
  return { what, found, isGood: isWhole(found) }
}

/** How often a request to the model did not begin with all of the one before, and how many compactions there were. */
function cacheBreaks(bodies: readonly string[]): number {
  const requests = bodies
    .map((body) => JSON.parse(body) as { messages: unknown; tools?: unknown })
    .filter(({ tools }) => tools)
  const texts = requests.map(({ messages, tools }) => JSON.stringify([tools, messages]).slice(0, -2))
  return texts.filter((text, at) => at > 0 && !text.startsWith(texts[at - 1] ?? '')).length
}

/** A session of many turns, with compactions. */
async function longSession(tried: Tried, turns: number): Promise<Finding[]> {
  const home = homeOf(tried, 'long')
  writeHome(home)
  const from = tried.server.asked.length
  const pi = new RunningPi(home)
  const times: number[] = []
  for (let n = 0; n < turns; n += 1) {
    const startedMs = performance.now()
    await pi.prompt(n === turns - 1 ? 'recall it' : prompt(n))
    times.push(performance.now() - startedMs)
  }
  await pi.close()
  const asked = tried.server.asked.slice(from)
  const breaks = cacheBreaks(asked.map(({ body }) => body))
  const compactions = entriesOf(sessionFiles(home)[0] ?? '').filter(({ type }) => type === 'compaction')
  const ours = compactions.filter(({ fromHook }) => fromHook === true).length
  const recalled = asked.at(-1)?.messages.at(-1)?.text ?? ''
  return [
    await checked(`a session of ${turns} turns`, home),
    {
      what: 'compactions',
      found: `${compactions.length}, ${ours} by the memory`,
      isGood: ours === compactions.length && ours >= 3,
    },
    {
      what: 'prompts that do not begin with the one before',
      found: `${breaks} in ${asked.length} requests, ${breaks - compactions.length} between compactions`,
      isGood: breaks <= compactions.length,
    },
    {
      what: 'what lcm_grep finds after the compactions',
      found: recalled.slice(0, 80),
      isGood: recalled.includes('What of WORD1 '),
    },
    { what: 'a turn', found: `${median(times).toFixed(1)} ms at the median`, isGood: true },
    { what: 'what was said of failures', found: pi.stderr.trim() || 'nothing', isGood: pi.stderr.trim() === '' },
  ]
}

/** Turns with and without the adapter, alternately, of a model that takes its time. */
async function turnTimes(tried: Tried, turns: number): Promise<Finding[]> {
  const homes = [homeOf(tried, 'timed-with'), homeOf(tried, 'timed-without', { adapter: null })]
  const times: [number[], number[]] = [[], []]
  const running = homes.map((home) => {
    writeHome(home)
    return new RunningPi(home)
  })
  for (let n = 0; n < turns; n += 1) {
    for (const [at, pi] of running.entries()) {
      const startedMs = performance.now()
      await pi.prompt(prompt(n))
      times[at]?.push(performance.now() - startedMs)
    }
  }
  for (const pi of running) await pi.close()
  const [on, off] = times.map(median) as [number, number]
  const found = `${on.toFixed(1)} ms with, ${off.toFixed(1)} ms without: ${(on - off).toFixed(1)} ms, ${(on / off).toFixed(3)} times, ${((2_000 + on) / (2_000 + off)).toFixed(4)} times with a model that takes 2 s`
  return [{ what: 'the time of a turn', found, isGood: (2_000 + on) / (2_000 + off) <= 1.02 }]
}

/** A window in which Pi compacts at 24,000 tokens. Each round fills more than that. */
const FACTS_HOME = { contextWindow: 40_000, reserveTokens: 16_000, keepRecentTokens: 4_000 }
const FILLERS = 24

/** Sixty facts in three rounds, after each of which the window is filled; a summary by the model says none. */
async function facts(tried: Tried, name: string, more: Partial<PiHome>): Promise<{ home: PiHome; sent: number }> {
  const home = homeOf(tried, name, { ...FACTS_HOME, ...more })
  writeHome(home)
  const pi = new RunningPi(home)
  await tellFacts((text) => pi.prompt(text), FILLERS)
  await pi.close()
  return { home, sent: factsIn(tried.server.asked.findLast(({ hasTools }) => hasTools)?.messages) }
}

async function sixtyFacts(tried: Tried): Promise<Finding[]> {
  const alone = await facts(tried, 'facts-alone', { adapter: null })
  const { home, sent } = await facts(tried, 'facts', {})
  const compactions = sessionFiles(home)
    .flatMap(entriesOf)
    .filter(({ type }) => type === 'compaction').length
  const found = await factsFound(memoryFile(home))
  const told =
    `${sent} of ${FACTS.length} sent after ${compactions} compactions, ${found} found by one search each; ` +
    `alone ${alone.sent} sent`
  return [{ what: 'sixty facts', found: told, isGood: found === FACTS.length && sent > alone.sent }]
}

/** Pi is killed at different moments of a turn, and resumed. */
async function kills(tried: Tried, moments: number): Promise<Finding[]> {
  const home = homeOf(tried, 'killed')
  writeHome(home)
  for (let n = 0; n < moments; n += 1) {
    const pi = new RunningPi(home, n === 0 ? [] : ['-c'])
    await pi.prompt(prompt(n * 10))
    const last = pi.prompt(prompt(n * 10 + 3)).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, n))
    await pi.kill()
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 100))])
  }
  const pi = new RunningPi(home, ['-c'])
  await pi.prompt('What remains?')
  await pi.close()
  return [await checked(`kill -9 at ${moments} moments, resumed each time`, home)]
}

/** A branch that was given up is noted as such. */
async function abandoned(home: PiHome): Promise<Finding> {
  const lcm = await openLcm(memoryFile(home), { readOnly: true })
  try {
    const given = lcm.read.column<string>("SELECT configuration FROM compaction_runs WHERE mode = 'prune'")
    return { what: 'branches that were given up', found: `${given.length} are noted`, isGood: given.length > 0 }
  } finally {
    await lcm.close()
  }
}

/** A session that is forked, rewound, and goes on while the adapter is out, and in again. */
async function branches(tried: Tried): Promise<Finding[]> {
  const home = homeOf(tried, 'branches')
  writeHome(home)
  const first = new RunningPi(home)
  for (let n = 0; n < 6; n += 1) await first.prompt(prompt(n))
  const { messages } = (await first.ask({ type: 'get_fork_messages' })) as { messages: { entryId: string }[] }
  await first.ask({ type: 'fork', entryId: messages[3]?.entryId ?? '' })
  for (let n = 20; n < 24; n += 1) await first.prompt(prompt(n))
  await first.close()
  const findings = [await checked('a fork', home)]
  const rewound = new RunningPi(home, ['-c'])
  const { entries } = (await rewound.ask({ type: 'get_entries' })) as { entries: { id: string; type: string }[] }
  await rewound.ask({
    type: 'prompt',
    message: `/rewind ${entries.filter(({ type }) => type === 'message').at(-4)?.id}`,
  })
  for (let n = 50; n < 53; n += 1) await rewound.prompt(prompt(n))
  await rewound.close()
  findings.push(await checked('a rewind', home), await abandoned(home))
  writeExtension({ ...home, adapter: null })
  const [file = ''] = sessionFiles(home)
  const without = new RunningPi(home, ['--session', file])
  for (let n = 30; n < 33; n += 1) await without.prompt(prompt(n))
  await without.ask({ type: 'compact' }).catch(() => undefined)
  await without.close()
  writeExtension(home)
  const again = new RunningPi(home, ['--session', file])
  for (let n = 40; n < 43; n += 1) await again.prompt(prompt(n))
  await again.close()
  findings.push(await checked('the extension out for a while and in again', home))
  return findings
}

/** Tells each finding when it is known. */
export async function* tryPi(tried: Tried): AsyncGenerator<Finding> {
  if (!existsSync(tried.program)) throw new Error(`There is no Pi at ${tried.program}`)
  yield* await branches(tried)
  yield* await kills(tried, 100)
  yield* await sixtyFacts(tried)
  yield* await longSession(tried, 300)
  yield* await turnTimes(tried, 60)
}
