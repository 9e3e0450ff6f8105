import { appendFileSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import { call, SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { contents } from '#test/builders/contents.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { plainWords, transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

async function importGrown({ db }: TestMemory, path: string, goesOn = true): Promise<ImportedFile | undefined> {
  try {
    return (await runImport(db, [path], { goesOn })).files[0]
  } catch (error) {
    // Nothing can be recognised yet.
    expect(error).toMatchObject({ code: 'transcript_unreadable' })
    return undefined
  }
}

/** A reading of the whole finds what is stored already. */
const hasGoneOn = (file: ImportedFile | undefined): boolean =>
  file !== undefined && file.added > 0 && file.alreadyThere === 0

/** A conversation, and what is noted of its session. Where its file was read to is another matter. */
const remembered = (memory: TestMemory): unknown => ({
  contents: contents(memory),
  notes: memory.db.all("SELECT key, value FROM lcm_meta WHERE key NOT GLOB 'transcript_*' ORDER BY key"),
})

/**
 * Lets a file grow piece by piece, and imports it after each into two memories: going on, and as a whole. Both have to be
 * the same each time. Returns how often the reading went on.
 */
async function grow(path: string, pieces: readonly string[]): Promise<number> {
  using going = buildMemory()
  using whole = buildMemory()
  writeFileSync(path, '')
  let times = 0
  for (const [at, piece] of pieces.entries()) {
    appendFileSync(path, piece)
    const file = await importGrown(going, path)
    await importGrown(whole, path, false)
    if (at > 0 && hasGoneOn(file)) times += 1
    expect(remembered(going), `after piece ${at}: ${piece.slice(0, 300)}`).toEqual(remembered(whole))
  }
  return times
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => (line === '' ? [] : [`${line}\n`]))

const samples = transcriptSamples.filter(({ format }) => format === 'claude-code' || format === 'codex')

// Invariant: going on where the last reading ended gives the same memory as reading the whole, at every cut of every line.
describe.each(samples)('a transcript of $name', (sample) => {
  const lines = linesOf(sample.write(plainWords))
  const path = writeSample(sample)

  it('gives the same memory going on as read as a whole, cut at the end of every line', async () => {
    for (let cut = 1; cut < lines.length; cut += 1)
      await grow(path, [lines.slice(0, cut).join(''), lines.slice(cut).join('')])
  })

  it('gives the same memory going on line by line, and within a line', async () => {
    expect(await grow(path, lines)).toBeGreaterThan(0)
    const halves = lines.flatMap((line) => [line.slice(0, line.length >> 1), line.slice(line.length >> 1)])
    await grow(path, halves)
  })
})

const words = ['quay', 'ferry', 'tide', 'continue'] as const
const word = fc.constantFrom(...words)
const step = fc.tuple(
  fc.constantFrom(
    'turn',
    'turn',
    'turn',
    'call',
    'late',
    'parallel',
    'back',
    'far',
    'title',
    'prompt',
    'queue',
    'cost',
    'compact',
  ),
  word,
  fc.nat(9),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A session of Claude Code in pieces, one for each step. */
function claudeCode(steps: readonly Step[]): string[] {
  const story = new TranscriptBuilder()
  const pieces: string[] = []
  let written = 0
  let open: string | null = null
  const uuids: string[] = []
  for (const [n, [kind, said, number]] of steps.entries()) {
    const id = `call_${n}`
    if (open !== null && kind !== 'late') {
      story.result(open, `The late output before ${n}.`)
      open = null
    }
    if (kind === 'back') story.lastUuid = uuids.at(-2) ?? story.lastUuid
    if (kind === 'far') story.lastUuid = uuids[number % Math.max(1, uuids.length)] ?? story.lastUuid
    if (kind === 'title') story.raw({ type: 'custom-title', customTitle: `Named ${n}`, sessionId: 'any' })
    // The account comes after what it is of, and may be read with what follows.
    if (kind === 'cost') story.raw({ type: 'cost-state', sessionId: SESSION, totalCostUSD: n + number / 10 })
    if (kind === 'queue') {
      story.raw({ type: 'queue-operation', operation: 'enqueue', content: said, timestamp: '2026-03-02T09:00:00.000Z' })
      if (number > 2)
        story.raw({ type: 'queue-operation', operation: number > 6 ? 'remove' : 'dequeue', content: said })
    }
    if (kind === 'prompt')
      story.record({
        type: 'attachment',
        attachment: { type: 'prompt_snapshot', systemPrompt: [`Prompt ${number % 3}.`] },
      })
    if (kind === 'compact') {
      const compactMetadata = { trigger: 'auto', preTokens: 1000 }
      const parents = { parentUuid: null, logicalParentUuid: story.lastUuid }
      story.record({ type: 'system', subtype: 'compact_boundary', content: 'Compacted', ...parents, compactMetadata })
      if (number > 3) story.user(`The summary before ${n}.`, { isCompactSummary: true })
    }
    uuids.push(story.user(said))
    if (kind === 'call' || kind === 'late') {
      story.answer(`msg_${n}`, [text('I look.'), call(id)])
      if (kind === 'call') story.result(id, `The output of ${n}.`)
      else open = id
    } else if (kind === 'parallel') {
      const before = story.answer(`msg_${n}`, [call(`${id}a`)])
      story.answer(`msg_${n}`, [call(`${id}b`)])
      story.result(`${id}a`, `One output of ${n}.`, { parentUuid: before })
      story.result(`${id}b`, `The other output of ${n}.`)
    }
    story.answer(number === 9 && n > 0 ? `msg_${n - 1}` : `msg_${n}`, [text(`${said} ${n}.`)])
    pieces.push(
      story.lines
        .slice(written)
        .map((line) => `${line}\n`)
        .join(''),
    )
    written = story.lines.length
  }
  return pieces
}

/** A session of Codex in pieces, one for each step. */
function codex(steps: readonly Step[]): string[] {
  let second = 0
  const line = (type: string, payload: object): string => {
    second += 1
    return `${JSON.stringify({ timestamp: new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString(), type, payload })}\n`
  }
  const said = (role: string, words: string): string =>
    line('response_item', { type: 'message', role, content: [{ type: 'text', text: words }] })
  const output = (id: string): string =>
    line('response_item', { type: 'function_call_output', call_id: id, output: id })
  const used = (total: number): string => {
    const usage = { input_tokens: total, output_tokens: 1 }
    return line('event_msg', {
      type: 'token_count',
      info: { total_token_usage: { total_tokens: total }, last_token_usage: usage },
    })
  }
  let open: string | null = null
  const pieces = steps.map(([kind, words, number], n) => {
    let piece = open === null ? '' : output(open)
    open = null
    if (kind === 'title') piece += line('event_msg', { type: 'thread_name_updated', thread_name: `Named ${n}` })
    if (kind === 'back') piece += line('event_msg', { type: 'thread_rolled_back', num_turns: 1 + (number % 2) })
    if (kind === 'prompt') piece += line('turn_context', { model: `model-${number % 2}` })
    if (kind === 'parallel') piece += used(number)
    if (kind === 'compact') piece += line('compacted', { message: `Summary ${n}`, replacement_history: [] })
    const asked = `${words} ${number}`
    piece += said('user', asked)
    if (kind !== 'queue') piece += line('event_msg', { type: 'user_message', message: asked })
    if (kind === 'call' || kind === 'late') {
      piece += line('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: `call_${n}` })
      if (kind === 'call') piece += output(`call_${n}`)
      else open = `call_${n}`
    }
    return piece + said('assistant', `Answer to ${words}.`) + used(100 + number)
  })
  return [line('session_meta', { id: '00000000-0000-7000-8000-000000000001', cwd: '/work' }), ...pieces]
}

it.each([
  ['Claude Code', 's.jsonl', claudeCode],
  ['Codex', 'rollout.jsonl', codex],
] as const)(
  'gives the same memory going on as read as a whole, whatever happens in a session of %s',
  async (_, name, tell) => {
    const path = join(temporaryFolder(), name)
    let times = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), fc.boolean(), async (steps, isByLine) => {
        const pieces = tell(steps)
        times += await grow(path, isByLine ? pieces.flatMap(linesOf) : pieces)
      }),
      { numRuns: runs(40) },
    )
    expect(times).toBeGreaterThan(0)
  },
)

const turns = (count: number): Step[] => Array.from({ length: count }, (_, n) => ['call', 'quay', n % 9])

it('goes on after every turn of a session of Claude Code in which nothing is changed', async () => {
  const steps = turns(6)
  expect(await grow(join(temporaryFolder(), 's.jsonl'), claudeCode(steps))).toBe(steps.length - 1)
})

it.each([
  ['Claude Code', 's.jsonl', claudeCode],
  ['Codex', 'rollout.jsonl', codex],
] as const)(
  'reads nothing again of a session of %s to which nothing was added, and goes on from there later',
  async (_, name, tell) => {
    using going = buildMemory()
    using whole = buildMemory()
    const path = join(temporaryFolder(), name)
    const pieces = tell(words.map((said, n): Step => ['call', said, n]))
    const last = pieces.pop() ?? ''
    for (const piece of pieces) {
      appendFileSync(path, piece)
      await importGrown(going, path)
    }
    await importGrown(whole, path, false)
    expect(await importGrown(going, path)).toMatchObject({ error: null, added: 0, alreadyThere: 0 })
    expect(remembered(going)).toEqual(remembered(whole))
    appendFileSync(path, last)
    expect(hasGoneOn(await importGrown(going, path))).toBe(true)
    await importGrown(whole, path, false)
    expect(remembered(going)).toEqual(remembered(whole))
  },
)

it('reads a file as a whole that was shortened, changed near its end, or replaced by another one', async () => {
  const pieces = claudeCode(turns(5))
  const [first, last] = [pieces.slice(0, 4).join(''), pieces.at(-1) ?? '']
  const path = join(temporaryFolder(), 's.jsonl')
  const changes: (() => void)[] = [
    () => writeFileSync(path, pieces.slice(0, 3).join('')),
    () => writeFileSync(path, first.replaceAll('The output of 3', 'The outset of 3') + last),
    () => {
      writeFileSync(path, first + last)
      copyFileSync(path, `${path}.other`)
      renameSync(`${path}.other`, path)
    },
  ]
  for (const change of changes) {
    using memory = buildMemory()
    writeFileSync(path, first)
    await importGrown(memory, path)
    change()
    expect(await importGrown(memory, path), readFileSync(path, 'utf8').slice(-200)).toMatchObject({
      alreadyThere: expect.toSatisfy((count: number) => count > 0),
    })
  }
})

const forkedFrom = (messageUuid: string) => ({ forkedFrom: { sessionId: SESSION, messageUuid } })

it.each([
  ['named by its answers alone', () => ({}), 6],
  ['named by every record', (uuid: string) => forkedFrom(uuid), 6],
  // The first message of the fork hangs on a copy, whose id only a reading of the whole knows.
  [
    'named by every record under an id of its own',
    (uuid: string) => ({ uuid: `copy of ${uuid}`, ...forkedFrom(uuid) }),
    5,
  ],
] as const)('gives the same memory going on in a fork whose parent is %s', async (_, marks, goingOn) => {
  const parent = claudeCode(turns(2))
  const fork = new TranscriptBuilder('fork')
  for (const line of parent.flatMap(linesOf)) {
    const record = JSON.parse(line)
    const named = record.type === 'assistant' ? { requestSessionId: SESSION } : {}
    fork.raw({ ...record, ...named, ...marks(record.uuid), sessionId: 'fork' })
  }
  const copied = fork.lines.length
  fork.lastUuid = String(JSON.parse(fork.lines.at(-1) ?? '{}').uuid)
  for (let n = 0; n < 3; n += 1) {
    fork.user(`In the fork ${n}.`)
    fork.answer(`fork_${n}`, [text(`Answer ${n}.`)])
    fork.raw({ type: 'cost-state', sessionId: 'fork', totalCostUSD: n })
  }
  const path = join(temporaryFolder(), 'fork.jsonl')
  const own = fork.lines.slice(copied).map((line) => `${line}\n`)
  const pieces = [
    fork.lines
      .slice(0, copied)
      .map((line) => `${line}\n`)
      .join(''),
    ...own,
  ]
  expect(await grow(path, pieces)).toBe(goingOn)
})
