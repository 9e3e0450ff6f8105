import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as documents from './documents.ts'
import { document, ended, environment, lcm, lcmHere } from './lcm.ts'
import { importedMemory, type TwoConversations } from './memories.ts'

let memory: TwoConversations
let inLong: string[]
let root: string

beforeAll(async () => {
  memory = await importedMemory()
  inLong = ['--db', memory.db, '--conversation', '1']
  const settings = ['leafChunkTokens=1500', 'leafTargetTokens=200', 'condensedTargetTokens=200']
  const compacted = await document(documents.Compact, [
    'compact',
    ...inLong,
    ...settings.flatMap((setting) => ['--set', setting]),
  ])
  expect(compacted.stopReason).toBe('all_compacted')
  expect(compacted.created.some((node) => node.depth >= 1)).toBe(true)
  const tree = await document(documents.Tree, ['tree', ...inLong])
  root = tree.roots.toSorted((a, b) => b.depth - a.depth)[0]?.id ?? ''
})

const onDb = (...args: string[]): string[] => [...args, '--db', memory.db]

describe('a command with --json', () => {
  it('prints for stats the counts of the file and of each conversation', async () => {
    const stats = await document(documents.Stats, onDb('stats'))
    expect(stats).toMatchObject({ path: memory.db, system: 'native', readOnly: false, conversations: 2 })
    expect(stats.perConversation).toHaveLength(2)
    const sum = (field: 'messages' | 'summaries' | 'contextItems') =>
      stats.perConversation.reduce((total, row) => total + row[field], 0)
    expect(sum('messages')).toBe(stats.messages)
    expect(sum('summaries')).toBe(stats.summaries)
    expect(sum('contextItems')).toBe(stats.contextItems)
    expect(Object.values(stats.summariesByDepth).reduce((a, b) => a + b, 0)).toBe(stats.summaries)
  })

  it('prints for tree the roots with their number of messages', async () => {
    const { roots } = await document(documents.Tree, ['tree', ...inLong])
    expect(roots.length).toBeGreaterThan(0)
    expect(await document(documents.Tree, onDb('tree', '--conversation', '2'))).toEqual({ roots: [] })
  })

  it('prints for import one entry a file, also when nothing is added', async () => {
    const again = await document(documents.Import, onDb('import', memory.transcripts))
    expect(again).toMatchObject({ added: 0, skipped: 0 })
    expect(again.alreadyThere).toBeGreaterThan(100)
    expect(again.files.map((file) => file.conversationId)).toEqual([1, 2])
  })

  it('prints for context every item with its reason, within the budget', async () => {
    const context = await document(documents.Context, ['context', ...inLong])
    expect(context.items.every((item) => item.included)).toBe(true)
    expect(context.items.filter((item) => item.included).reduce((sum, item) => sum + item.tokens, 0)).toBe(
      context.tokens,
    )
    const tight = await document(documents.Context, ['context', ...inLong, '--budget', '1200', '--fresh-tail', '2'])
    expect(tight).toMatchObject({ budget: 1200 })
    expect(tight.tokens).toBeLessThanOrEqual(1200)
    expect(tight.items.some((item) => !item.included)).toBe(true)
    const asked = await document(documents.Context, [
      'context',
      ...inLong,
      '--budget',
      '1200',
      '--fresh-tail',
      '2',
      '--query',
      'billing lock',
    ])
    expect(asked.tokens).toBeLessThanOrEqual(1200)
  })

  it('prints for context --render what each provider accepts', async () => {
    const anthropic = await document(documents.RenderedAnthropic, ['context', ...inLong, '--render', 'anthropic'])
    anthropic.messages.forEach((message, index) => {
      expect(message.role).toBe(index % 2 === 0 ? 'user' : 'assistant')
    })
    const openai = await document(documents.RenderedOpenAi, ['context', ...inLong, '--render', 'openai'])
    const called = new Set<string>()
    for (const message of openai.messages) {
      for (const call of message.tool_calls ?? []) called.add(call.id)
      if (message.role === 'tool') expect(called).toContain(message.tool_call_id)
    }
    expect(called.size).toBeGreaterThan(0)
  })

  it('prints for compact --plan the steps, and writes nothing', async () => {
    const before = await document(documents.Stats, onDb('stats'))
    const plan = await document(documents.Plan, [
      'compact',
      ...inLong,
      '--plan',
      '--set',
      'freshTailCount=0',
      '--set',
      'minMessagesToCompact=1',
    ])
    expect(plan.steps.length).toBeGreaterThan(0)
    expect(plan.expectedTokensAfter).toBeLessThan(plan.tokensBefore)
    expect(await document(documents.Stats, onDb('stats'))).toEqual(before)
  })

  it('prints for compact that there is nothing to do, and records no run', async () => {
    const result = await document(documents.Compact, onDb('compact', '--conversation', '2'))
    expect(result).toMatchObject({ runId: null, reduction: 0, created: [], skipped: expect.stringMatching(/\w/) })
    expect(result.tokensAfter).toBe(result.tokensBefore)
  })

  it('prints for compact --auto that no threshold is reached, and writes nothing', async () => {
    const before = await document(documents.Stats, onDb('stats'))
    const result = await document(documents.Compact, [
      'compact',
      ...inLong,
      '--auto',
      '--set',
      'minMessagesToCompact=1',
    ])
    expect(result).toMatchObject({
      runId: null,
      created: [],
      skipped: expect.stringMatching(/^No threshold is reached/),
    })
    expect(await document(documents.Stats, onDb('stats'))).toEqual(before)
  })

  it('prints for describe messages and summaries, with sources and dependents', async () => {
    const summary = await document(documents.Description, onDb('describe', root))
    expect(summary.sources.length).toBeGreaterThan(0)
    const source = await document(documents.Description, onDb('describe', summary.sources[0] ?? ''))
    expect(source.dependents).toContain(root)
    const message = await document(documents.Description, onDb('describe', 'msg_1'))
    expect(message).toMatchObject({ kind: 'message', role: 'user', seq: 0, sources: [] })
    expect(message.coveredBy).toContain(root)
  })

  it('prints for lineage the sources down to the messages and the dependents up to the root', async () => {
    const lineage = await document(documents.Lineage, onDb('lineage', root))
    expect(lineage).toMatchObject({ id: root, dependents: [], inContext: true })
    const message = await document(documents.Lineage, onDb('lineage', 'msg_1'))
    expect(message).toMatchObject({ sources: [], inContext: false })
    expect(message.coveredBy).toContain(root)
  })

  it('prints for diff what both sides have and what only one has, of two files and of two moments', async () => {
    const itself = await document(documents.Diff, ['diff', memory.db, memory.db, '--conversation', '2'])
    expect(itself).toMatchObject({ onlyA: [], onlyB: [], summarisedDifferently: [] })
    const since = await document(documents.Diff, ['diff', memory.db, '--conversation', '1', '--from', 'msg_1'])
    expect(since.windows.a.messages).toBe(1)
    expect(since.onlyB.length).toBeGreaterThan(0)
  })

  it('prints for integrity every check that ran', async () => {
    const report = await document(documents.Integrity, onDb('integrity'))
    expect(report.ok).toBe(true)
    expect(report.checks.map((check) => check.id)).toEqual(
      expect.arrayContaining(['coverage_gap', 'lineage_cycle', 'dangling_edge']),
    )
    await document(documents.Integrity, onDb('integrity', '--conversation', '2'))
  })
})

describe('the program itself', () => {
  it('prints the same documents as a process of its own', async () => {
    const commands = [
      ['stats'],
      ['tree', '--conversation', '1'],
      ['context', '--conversation', '1'],
      ['context', '--conversation', '1', '--render', 'openai'],
      ['compact', '--conversation', '1', '--plan'],
      ['describe', root],
      ['expand', root, '--messages'],
      ['lineage', 'msg_1'],
    ].map((command) => onDb(...command, '--json'))
    const ran = await Promise.all(commands.map((command) => lcm(command)))
    for (const [index, command] of commands.entries()) {
      expect(ran[index], command.join(' ')).toEqual(await lcmHere(command))
      expect(ran[index]?.stdout).toMatch(/^\{.*\}\n$/s)
    }
  })

  it('is started by npm run lcm', async () => {
    const started = spawn('npm', ['run', '--silent', 'lcm', '--', ...onDb('stats', '--json')], {
      cwd: join(import.meta.dirname, '../../..'),
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { code, stdout } = await ended(started)
    expect(code).toBe(0)
    expect(documents.Stats.parse(JSON.parse(stdout))).toEqual(await document(documents.Stats, onDb('stats')))
  })
})

describe('lcm grep', () => {
  const grep = (...args: string[]) => document(documents.Grep, onDb('grep', ...args))

  it('finds words, phrases and prefixes in messages and summaries', async () => {
    const words = await grep('hostile')
    expect(words).toMatchObject({ total: 3, totalIsExact: true, nextCursor: null })
    expect((await grep('"hostile answer"')).hits).toHaveLength(1)
    expect((await grep('hosti*')).total).toBe(3)
    for (const hit of words.hits) {
      const [start = 0, end = 0] = hit.matches[0] ?? []
      expect(hit.snippet.slice(start, end).toLowerCase()).toBe('hostile')
    }
  })

  it('finds substrings and regular expressions', async () => {
    expect((await grep('ostile que', '--mode', 'literal')).total).toBe(1)
    expect((await grep('Hostile (question|answer)', '--mode', 'regex')).total).toBe(2)
    expect((await grep('no such words anywhere', '--mode', 'literal')).hits).toEqual([])
  })

  it('accepts any input without failing', async () => {
    for (const odd of [
      '"',
      'a AND',
      'NOT',
      '()',
      '*',
      '-',
      'x:y',
      "'; DROP TABLE messages",
      '\u{1f642}',
      'NEAR(a b)',
    ]) {
      const ran = await lcmHere(['grep', '--db', memory.db, '--json', '--', odd])
      expect([ran.code, ran.stderr], odd).toEqual([0, ''])
      documents.Grep.parse(JSON.parse(ran.stdout))
    }
  })

  it('filters by scope, conversation, role, depth, time and summary', async () => {
    const every = await grep('a', '--mode', 'literal', '--limit', '1000')
    const only = async (...args: string[]) => (await grep('a', '--mode', 'literal', '--limit', '1000', ...args)).hits
    expect((await only('--scope', 'messages')).every((hit) => hit.kind === 'message')).toBe(true)
    expect((await only('--scope', 'summaries')).every((hit) => hit.depth !== null)).toBe(true)
    expect((await only('--conversation', '2')).every((hit) => hit.conversationId === 2)).toBe(true)
    const roles = (await only('--scope', 'messages', '--role', 'user', '--role', 'tool')).map((hit) => hit.role)
    expect(new Set(roles)).toEqual(new Set(['user', 'tool']))
    expect((await only('--scope', 'summaries', '--depth', '0')).every((hit) => hit.depth === 0)).toBe(true)
    const middle = every.hits.filter((hit) => hit.kind === 'message')[20]?.createdAt ?? ''
    const after = await only('--scope', 'messages', '--after', middle)
    expect(after.length).toBeGreaterThan(0)
    expect(after.every((hit) => (hit.createdAt ?? '') >= middle)).toBe(true)
    const before = await only('--scope', 'messages', '--before', middle)
    expect(before.every((hit) => (hit.createdAt ?? '') <= middle)).toBe(true)
    const within = await only('--scope', 'messages', '--within', root)
    expect(within.length).toBeGreaterThan(0)
    expect(within.every((hit) => hit.coveredBy.includes(root))).toBe(true)
  })

  it('sorts, groups by the covering summary, and prints whole texts when asked', async () => {
    const times = async (sort: string) =>
      (await grep('a', '--mode', 'literal', '--scope', 'messages', '--sort', sort, '--limit', '30')).hits.map(
        (hit) => hit.createdAt ?? '',
      )
    const newest = await times('newest')
    expect(newest).toEqual(newest.toSorted().toReversed())
    const oldest = await times('oldest')
    expect(oldest).toEqual(oldest.toSorted())
    await grep('billing', '--sort', 'relevance')
    const grouped = await grep(
      'a',
      '--mode',
      'literal',
      '--conversation',
      '1',
      '--group-by',
      'covering',
      '--limit',
      '1000',
    )
    expect(grouped.groups).toEqual(expect.arrayContaining([expect.objectContaining({ summaryId: root })]))
    const [whole] = (await grep('"hostile answer"', '--full')).hits
    const described = await document(documents.Description, onDb('describe', whole?.id ?? ''))
    expect(whole?.content).toBe(described.content)
    for (const match of ['auto', 'all', 'any']) await grep('hostile question', '--match', match)
    await grep('anything', '--scope', 'files')
  })

  it('lists only hits of which this became in the window, and says it of each', async () => {
    const messages = ['a', '--mode', 'literal', '--scope', 'messages', '--limit', '40']
    const every = await grep(...messages)
    const states = ['kept', 'partly', 'dropped', 'changed', 'unknown']
    const found: string[] = []
    for (const state of states) {
      const { hits } = await grep(...messages, '--state', state)
      expect(hits.every((hit) => hit.state === state)).toBe(true)
      if (hits.length > 0) found.push(state)
    }
    expect(found.length).toBeGreaterThan(1)
    const all = await grep(...messages, ...states.flatMap((state) => ['--state', state]))
    expect(all.hits.map(({ id }) => id)).toEqual(every.hits.map(({ id }) => id))
    const files = await lcmHere(['grep', 'a', '--scope', 'files', '--state', 'kept', '--db', memory.db])
    expect(files.code).toBe(2)
    expect(files.stderr).toContain('A large file has no state in the window')
  })

  it('returns every hit exactly once over all pages', async () => {
    const whole = (await grep('a', '--mode', 'literal', '--limit', '1000')).hits.map((hit) => hit.id)
    const paged: string[] = []
    let cursor: string[] = []
    for (;;) {
      const page = await grep('a', '--mode', 'literal', '--limit', '37', ...cursor)
      paged.push(...page.hits.map((hit) => hit.id))
      if (page.nextCursor === null) break
      cursor = ['--cursor', page.nextCursor]
    }
    expect(paged).toEqual(whole)
  })
})

describe('lcm expand', () => {
  it('prints the direct sources, within the token cap', async () => {
    const expansion = await document(documents.Expansion, onDb('expand', root, '--token-cap', '100000'))
    expect(expansion.truncated).toBe(false)
    expect(expansion.nodes.length).toBeGreaterThan(1)
    expect(expansion.messages).toEqual([])
  })

  it('reaches every message that the summary covers, page by page', async () => {
    const seqs: number[] = []
    let cursor: string[] = []
    for (;;) {
      const page = await document(
        documents.Expansion,
        onDb('expand', root, '--depth', '10', '--messages', '--token-cap', '2500', ...cursor),
      )
      expect(page.tokens).toBeLessThanOrEqual(2500)
      seqs.push(...page.messages.map((message) => message.seq))
      expect(page.truncated).toBe(page.next.length > 0)
      const [next] = page.next
      if (next === undefined) break
      cursor = ['--cursor', next]
    }
    const { sourceRange } = await document(documents.Description, onDb('describe', root))
    const { firstSeq = 0, lastSeq = 0 } = sourceRange ?? {}
    expect(seqs.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: lastSeq - firstSeq + 1 }, (_, n) => firstSeq + n),
    )
  })
})
