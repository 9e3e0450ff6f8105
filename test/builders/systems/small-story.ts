import { createHash } from 'node:crypto'
import { Random } from '../random.ts'
import { type Session, type Story, type StoryFile, type StoryMessage, type StorySummary, storyTokens } from './story.ts'

/**
 * One conversation of 68 messages with everything that lossless-claw knows: 22 calls and their results, answers that only
 * call, reasoning, two large files, 15 leaves under 4 nodes of depth 1 and one of depth 2, and a window of two summaries
 * and the last ten messages.
 *
 * u: the user; a: an answer; c: an answer with a call; e: a call without a word; r: reasoning, answer and call; q: reasoning
 * and a call; t: a result; f: the user names a large file; T: a result that is kept as a large file.
 */
const TURNS = 'uauctrtctuctauetctafuetctaurtctauctuctcTauctuqtetauctctetauctaetctau'
const LEAVES = [4, 1, 6, 7, 4, 3, 7, 3, 1, 4, 2, 4, 2, 4, 6]
/** The number of leaves in each node of depth 1. All but the last node are sources of the one above them. */
const CONDENSED = [4, 4, 3, 4]

const BEGIN_MS = Date.UTC(2025, 8, 1, 8, 9, 9)
const WORDS =
  'the lease of a cursor and its ledger was retried because the tenant lost every webhook so we moved the payload to another beacon while an error in the harbour log showed stale copper tokens'.split(
    ' ',
  )
const TOOLS = ['read', 'bash', 'edit', 'web_fetch']

const idOf = (kind: string, name: string): string =>
  `${kind}_${createHash('sha256').update(name).digest('hex').slice(0, 16)}`

export const SERVER_LOG = {
  id: idOf('file', 'server.log'),
  name: 'server.log',
  text: Array.from({ length: 160 }, (_, n) => `2025-09-01 INFO request ${n} took ${(n * 37) % 900} ms\n`).join(''),
}
export const BASH_OUTPUT = {
  id: idOf('file', 'bash.txt'),
  name: 'bash.txt',
  text: Array.from({ length: 300 }, (_, n) => `{ "tenant": ${n}, "quota": ${(n * 91) % 1000} }\n`).join(''),
}

const fileOf = ({ id, name, text }: typeof SERVER_LOG): StoryFile => ({
  id,
  name,
  mime: 'text/plain',
  bytes: Buffer.byteLength(text),
  lines: text.split('\n').length - 1,
  uri: `/home/agent/.openclaw/lcm-files/1/${id}${name.slice(name.indexOf('.'))}`,
  about: `Text of ${text.length} characters, which begins: ${text.slice(0, 60).trim()}`,
  atMs: BEGIN_MS,
})

/** The small story of lossless-claw. It is the same each time. */
export function smallStory(): Story {
  const random = new Random(68)
  const messages = messagesOf(random)
  const summaries = summariesOf(messages, random)
  const covered = LEAVES.reduce((sum, size) => sum + size, 0)
  const tops = summaries.filter(({ id }) => !summaries.some(({ sources }) => sources.includes(id)))
  const session: Session = {
    id: 'session-small-0',
    key: 'agent:main:main',
    number: 1,
    messages,
    summaries,
    window: [...tops.map(({ id }) => id), ...messages.slice(covered).map(({ number }) => number)],
    files: [fileOf(SERVER_LOG), fileOf(BASH_OUTPUT)],
  }
  return { sessions: [session] }
}

const sentence = (random: Random): string =>
  Array.from({ length: random.int(8, 30) }, () => random.pick(WORDS)).join(' ')

function messagesOf(random: Random): StoryMessage[] {
  const messages: StoryMessage[] = []
  let atMs = BEGIN_MS
  let called: { id: string; name: string; input: string } | null = null
  for (const turn of TURNS) {
    const number = messages.length + 1
    atMs += random.int(1, 180) * 1000
    const isResult = turn === 't' || turn === 'T'
    const result = isResult && called ? { callId: called.id, name: called.name } : null
    const call = /[cerq]/.test(turn)
      ? {
          id: `call_${number}_${createHash('sha256').update(String(number)).digest('hex').slice(0, 8)}`,
          name: random.pick(TOOLS),
          input: JSON.stringify({ path: `src/${random.pick(WORDS)}.ts`, limit: random.int(1, 400) }),
        }
      : null
    if (call) called = call
    const content = contentOf(turn, number, random)
    messages.push({
      number,
      seq: number - 1,
      role: isResult ? 'tool' : turn === 'u' || turn === 'f' ? 'user' : 'assistant',
      content,
      tokens: storyTokens(content + (call?.input ?? '')),
      atMs,
      entry: null,
      call,
      result,
      hasParts: true,
      ...(/[rq]/.test(turn) ? { reasoning: `First I have to know: ${sentence(random)}?` } : {}),
    })
  }
  return messages
}

function contentOf(turn: string, number: number, random: Random): string {
  if (turn === 'e' || turn === 'q') return ''
  if (turn === 'f')
    return `Here is the server log:\n${reference('LCM File', SERVER_LOG, 'text/plain')}\nWhat went wrong?`
  if (turn === 'T') return reference('LCM Tool Output', BASH_OUTPUT, 'tool=bash')
  const lines = Array.from({ length: turn === 't' ? random.int(3, 9) : random.int(2, 4) }, () => sentence(random))
  return `[${number}] ${lines.join('\n')}`
}

const reference = (what: string, file: typeof SERVER_LOG, kind: string): string =>
  `[${what}: ${file.id} | ${kind} | ${Buffer.byteLength(file.text)} bytes]\n\nExploration Summary:\n${fileOf(file).about}`

function summariesOf(messages: readonly StoryMessage[], random: Random): StorySummary[] {
  const leaves: StorySummary[] = []
  let from = 0
  for (const size of LEAVES) {
    const own = messages.slice(from, from + size)
    const fileIds = [SERVER_LOG.id, BASH_OUTPUT.id].filter((id) => own.some(({ content }) => content.includes(id)))
    leaves.push(
      summary(
        `leaf ${leaves.length}`,
        0,
        own.map(({ number }) => number),
        [],
        fileIds,
        random,
      ),
    )
    from += size
  }
  const condensed: StorySummary[] = []
  let taken = 0
  for (const size of CONDENSED) {
    condensed.push(above(`node ${condensed.length}`, 1, leaves.slice(taken, taken + size), random))
    taken += size
  }
  const newer = condensed.at(-1)
  const older = condensed.slice(0, -1)
  return [...leaves, ...older, above('root', 2, older, random), ...(newer ? [newer] : [])]
}

const above = (name: string, depth: number, sources: readonly StorySummary[], random: Random): StorySummary =>
  summary(
    name,
    depth,
    [],
    sources.map(({ id }) => id),
    sources.flatMap(({ fileIds = [] }) => fileIds),
    random,
  )

function summary(
  name: string,
  depth: number,
  messages: readonly number[],
  sources: readonly string[],
  fileIds: readonly string[],
  random: Random,
): StorySummary {
  const content = `Of ${name}: ${sentence(random).slice(0, 30)}.`
  return {
    id: idOf('sum', name),
    depth,
    content,
    tokens: storyTokens(content),
    atMs: Date.UTC(2025, 8, 2) + depth * 1000,
    messages,
    sources,
    model: null,
    fileIds,
  }
}
