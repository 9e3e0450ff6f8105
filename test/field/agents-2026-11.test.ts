import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Families } from '#core/browse/stats/families.ts'
import type { FamilyMember } from '#core/contract/family.ts'
import { discoverTranscripts } from '#core/machine/known-transcripts.ts'
import { compare } from '../builders/coverage.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { rawRecords } from '../builders/raw-records.ts'
import { sentWindow } from '../builders/sent-window.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIELD_DATA } from './field-data.ts'

const FOLDER = join(FIELD_DATA, 'data', 'agents-2026-11')
const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'agents.md')

/** Where an agent keeps the folder of its samples in a home, and its name in the documentation. */
const AGENTS: Readonly<Record<string, { readonly name: string; readonly place: string }>> = {
  claude: { name: 'Claude Code', place: '.claude' },
  cline: { name: 'Cline', place: '.cline/data' },
  codex: { name: 'Codex', place: '.codex' },
  copilot: { name: 'Copilot CLI', place: '.copilot' },
  gemini: { name: 'Gemini CLI', place: '.gemini' },
  openclaw: { name: 'OpenClaw', place: '.openclaw' },
  opencode: { name: 'opencode', place: '.local/share/opencode' },
  pi: { name: 'Pi', place: '.pi/agent' },
  qwen: { name: 'Qwen Code', place: '.qwen' },
}

type Usage = { readonly inputWithCached: number; readonly cached: number; readonly output: number }
/** Naive counts of a session. */
type Truth = {
  readonly what: string
  readonly messagesByRole: Readonly<Record<string, number>>
  readonly toolResults: number
  readonly compactions: number
  readonly usageSum?: Usage
}
type Counts = { readonly answers: number; readonly results: number; readonly compactions: number }

const queries = {
  sessions: /* sql */ `
    SELECT conversation_id AS id, session_id AS name FROM conversations
    WHERE parent_conversation_id IS NOT NULL
      OR EXISTS (SELECT 1 FROM messages AS m WHERE m.conversation_id = conversations.conversation_id)`,
  counts: /* sql */ `
    SELECT
      (SELECT count(*) FROM messages AS m WHERE m.conversation_id = :id AND role = 'assistant'
        AND (:isOfItems = 0 OR content <> '')
        AND NOT EXISTS (SELECT 1 FROM message_parts AS p WHERE p.message_id = m.message_id AND p.metadata ->> 'harness')
      ) AS answers,
      (SELECT count(*) FROM message_parts JOIN messages USING (message_id)
        WHERE conversation_id = :id AND role = 'tool' AND part_type = 'tool') AS results,
      (SELECT count(*) FROM compaction_runs WHERE conversation_id = :id AND mode = 'full') AS compactions`,
  usage: /* sql */ `
    SELECT coalesce(sum(step_tokens_in), 0) AS inputWithCached,
      coalesce(sum(p.metadata ->> 'cacheReadTokens'), 0) AS cached, coalesce(sum(step_tokens_out), 0) AS output
    FROM message_parts AS p JOIN messages USING (message_id) WHERE conversation_id = :id`,
  answers: /* sql */ `
    SELECT 'msg_' || message_id AS id, external_id AS externalId, step_tokens_in AS input
    FROM message_parts JOIN messages USING (message_id)
    WHERE conversation_id = :id AND step_tokens_in BETWEEN 1200 AND 2000 ORDER BY seq`,
  newestCovered: /* sql */ `SELECT max(message_id) FROM summary_messages`,
  isReasoning: /* sql */ `
    SELECT count(*) = sum(part_type IN ('reasoning', 'step_finish')) FROM message_parts WHERE message_id = :id`,
}

type Answer = { readonly id: string; readonly externalId: string; readonly input: number }
type Window = { readonly counted: number; readonly told: number }

/** A scripted model told 1,200 tokens and 10 for each message that it was sent, without the system prompt. */
const toldMessages = ({ input }: Answer): number => (input - 1200) / 10

/** How many messages of the window an agent sent before its last answer, by what it joins and what it divides. */
function sentBefore(memory: TestMemory, agent: string, session: string, answer: string): number {
  const { items } = sentWindow(memory, session).context
  const at = items.findIndex(({ id }) => id === answer)
  // A turn that was taken back afterwards was sent then.
  const before = items.slice(0, at).filter(({ included }) => included || !items[at]?.included)
  const isOwn = (from: number): boolean => before.slice(from).every(({ role }) => role === 'assistant')
  const newestCovered = memory.db.value<number | null>(queries.newestCovered) ?? 0
  const sent = before.filter(({ id, role }, index) => {
    const isReasoning = memory.db.value(queries.isReasoning, { id: Number(id.replace('msg_', '')) }) === 1
    // Text and call of one answer are two records in files of Codex and Qwen Code.
    const isJoined = agent === 'qwen' && role === 'assistant' && before[index - 1]?.role === 'assistant'
    // The Copilot CLI repeats the prompts that it keeps in the message with the summary.
    const isRepeated = agent === 'copilot' && Number(id.replace('msg_', '')) < newestCovered
    return role !== 'system' && !isReasoning && !isJoined && !isRepeated && !(agent === 'codex' && isOwn(index))
  })
  const summaries = before.filter(({ kind }) => kind !== 'message').length
  // opencode sends a question before its summary, and OpenClaw a message of its own that it does not store.
  return sent.length + (agent === 'opencode' ? summaries : 0) + (agent === 'openclaw' ? 1 : 0)
}

/**
 * Claude Code joins what the program says into fewer messages than it writes, so that only the growth of the window
 * from one answer to the next is told by both, where the program said nothing between them.
 */
function grownBy(memory: TestMemory, session: string, answers: readonly Answer[]): Window[] {
  const items = sentWindow(memory, session).context.items.filter(({ included }) => included)
  return answers.slice(1).flatMap((answer, index) => {
    const last = answers[index] as Answer
    const [from, to] = [last, answer].map(({ id }) => items.findIndex((item) => item.id === id)) as [number, number]
    const between = items.slice(from, to)
    // An answer that used more than is asked for here stands between the two.
    const isOne = from >= 0 && between.filter(({ role }) => role === 'assistant').length === 1
    if (!isOne || between.some(({ role }) => role === 'system')) return []
    return { counted: between.length, told: toldMessages(answer) - toldMessages(last) }
  })
}

/**
 * Gemini CLI sends results again, once for each copy that the history has with which it resumed, and joins the context
 * of the session to the first prompt. The memory has each result once, and says beside the window what is sent again.
 * The last history is not in the sample.
 */
function geminiWindow(memory: TestMemory, session: string, answers: readonly Answer[], path: string): Window[] {
  type Content = { readonly functionResponse?: { readonly id: string } }
  type Message = { readonly type: string; readonly content: string | readonly Content[] }
  const records = rawRecords(path) as readonly { readonly id?: string; readonly $set?: { messages?: Message[] } }[]
  const last = records.findLastIndex(({ $set }) => $set?.messages !== undefined)
  return answers.flatMap((answer) => {
    const at = records.findLastIndex(({ id }) => id === answer.externalId)
    if (at > last) return []
    const history = records.slice(0, at).findLast(({ $set }) => $set?.messages !== undefined)?.$set?.messages ?? []
    const results = history
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      .flatMap(({ functionResponse }) => functionResponse?.id ?? [])
    const again = results.length - new Set(results).size
    return { counted: sentBefore(memory, 'gemini', session, answer.id) - 1 + again, told: toldMessages(answer) }
  })
}

/** What a fork repeats of its parent, counted in the two raw files: it is not counted again. */
function copiesIn(agent: string, fork: string, parent: string): Counts & { readonly usage: Usage } {
  type Message = { readonly id?: string; readonly role?: string; readonly usage?: Record<string, number> }
  type Entry = { readonly type?: string; readonly id?: string; readonly message?: Message }
  const idOf = ({ id, message }: Entry): string | undefined => (agent === 'claude' ? message?.id : id)
  const known = new Set((rawRecords(parent) as readonly Entry[]).map(idOf))
  const copies = (rawRecords(fork) as readonly Entry[]).filter((entry) => known.has(idOf(entry) ?? 'none'))
  const of = (is: (entry: Entry) => boolean): Entry[] => copies.filter(is)
  const answers = of(({ message }) => message?.role === 'assistant')
  const sum = (...names: string[]): number =>
    answers.flatMap(({ message }) => names.map((name) => message?.usage?.[name] ?? 0)).reduce((a, b) => a + b, 0)
  return {
    answers: answers.length,
    results: of(({ message }) => message?.role === 'toolResult').length,
    // The one compaction that the fork of Claude Code begins with has no id of a message.
    compactions: agent === 'claude' ? 1 : of(({ type }) => type === 'compaction').length,
    usage: {
      inputWithCached: sum(
        'input',
        'cacheRead',
        'cacheWrite',
        'input_tokens',
        'cache_read_input_tokens',
        'cache_creation_input_tokens',
      ),
      cached: sum('cacheRead', 'cache_read_input_tokens'),
      output: sum('output', 'output_tokens'),
    },
  }
}

/** What the summaries of a session of Pi took, without those of its parent. The naive counts have answers alone. */
function usageOfSummaries(path: string, parent: string): Usage {
  type Entry = { readonly id?: string; readonly type?: string; readonly usage?: Readonly<Record<string, number>> }
  const entriesOf = (file: string): readonly Entry[] => (file === '' ? [] : (rawRecords(file) as readonly Entry[]))
  const known = new Set(entriesOf(parent).map(({ id }) => id))
  const usages = entriesOf(path).flatMap(({ id, type, usage }) =>
    /^(?:compaction|branch_summary)$/.test(type ?? '') && usage && !known.has(id) ? [usage] : [],
  )
  const total = (...names: string[]): number =>
    usages.flatMap((usage) => names.map((name) => usage[name] ?? 0)).reduce((a, b) => a + b, 0)
  const inputWithCached = total('input', 'cacheRead', 'cacheWrite')
  return { inputWithCached, cached: total('cacheRead'), output: total('output') }
}

/** What the files hold by their naive counts, in the words of the table. */
function counted(agent: string, truth: Truth): Counts {
  const { messagesByRole, toolResults, compactions } = truth
  return {
    answers: messagesByRole.assistant ?? messagesByRole.gemini ?? 0,
    // The line with the call of one result was left out of the file, because it was long.
    results: toolResults + (agent === 'gemini' ? 1 : 0),
    // A branch of Pi that was left is summarised like what a compaction replaced.
    compactions: compactions + (messagesByRole.branch_summary ?? 0),
  }
}

const number = (value: number): string => value.toLocaleString('en-US')
const of = (some: number, all: number): string => `${some} of ${all}`
const sum = <T>(list: readonly T[], value: (item: T) => number): number =>
  list.reduce((all, one) => all + value(one), 0)

const COLUMNS = [
  ...['agent', 'discovered', 'opened', 'answers', 'results', 'texts lost', 'window', 'compactions'],
  ...['forks', 'sub-agents', 'input tokens', 'read again'],
]
const table: string[][] = []

describe.each(readdirSync(FOLDER))('the sessions of %s', (agent) => {
  const { name: called, place } = AGENTS[agent] ?? { name: agent, place: '' }
  const truths: Readonly<Record<string, Truth>> = JSON.parse(
    readFileSync(join(FOLDER, agent, 'truth.json'), 'utf8'),
  ).sessions
  const isStore = (path: string): boolean => path.endsWith('.db')
  const fileOf = (session: string): string | undefined => {
    const names = Object.keys(truths)
    const own = session.split(/\/|__/).at(-1) ?? ''
    return names.find((name) => name.includes(own)) ?? (names.length === 1 ? names[0] : undefined)
  }

  it('are found, opened and stored as they were counted, with the window that the model told, and are not read again', async () => {
    using memory = buildMemory()
    const { db } = memory
    const home = temporaryFolder()
    mkdirSync(dirname(join(home, place)), { recursive: true })
    symlinkSync(join(FOLDER, agent), join(home, place))
    const found = discoverTranscripts({ home, env: {}, cwd: join(home, 'elsewhere') })
    expect(found.every(({ agent: one }) => one === called)).toBe(true)
    const paths = found.flatMap((place) => place.paths)
    // The files were changed in the past, so that they count as settled.
    const nowMs = Date.now()
    const { files } = await runImport(db, paths, { nowMs })
    const opened = files.filter(({ error, skippedCount }) => error === null && skippedCount === 0)

    const sessions = db.all<{ id: number; name: string }>(queries.sessions)
    const families = new Families(db)
    const members = new Map<number, FamilyMember>()
    for (const { id } of sessions)
      for (const member of (await families.of(id)).members) members.set(member.conversationId, member)
    const rows = sessions.map(({ id, name }) => {
      const file = fileOf(name)
      const truth = file === undefined ? undefined : truths[file]
      const relation = members.get(id)?.relation ?? null
      const answers = db.all<Answer>(queries.answers, { id })
      const path = join(FOLDER, agent, file ?? '')
      const last = answers.at(-1)
      const windows =
        agent === 'claude'
          ? grownBy(memory, name, answers)
          : agent === 'gemini'
            ? geminiWindow(memory, name, answers, path)
            : last
              ? [{ counted: sentBefore(memory, agent, name, last.id), told: toldMessages(last) }]
              : []
      const counts = db.get<Counts>(queries.counts, { id, isOfItems: agent === 'codex' ? 1 : 0 })
      return { id, name, relation, truth, path, windows, counts, usage: db.get<Usage>(queries.usage, { id }) }
    })

    // The naive counts have what a fork repeats in both files.
    const pathOf = (id: number | null | undefined): string => rows.find((row) => row.id === id)?.path ?? ''
    for (const { id, name, relation, truth, path, windows, counts, usage } of rows) {
      for (const { counted: own, told } of windows) expect([name, own]).toEqual([name, told])
      if (!truth || isStore(path)) continue
      const whole = counted(agent, truth)
      // The fork of opencode has nothing but copies, and those of Codex have none.
      const isWhole = relation === 'fork' && agent === 'opencode'
      if (isWhole) {
        expect([name, counts]).toEqual([name, { answers: 0, results: 0, compactions: 0 }])
        continue
      }
      const hasCopies = relation === 'fork' && agent !== 'codex'
      const copies = hasCopies ? copiesIn(agent, path, pathOf(members.get(id)?.parentConversationId)) : null
      expect([name, counts]).toEqual([
        name,
        {
          answers: whole.answers - (copies?.answers ?? 0),
          results: whole.results - (copies?.results ?? 0),
          compactions: whole.compactions - (copies?.compactions ?? 0),
        },
      ])
      if (!truth.usageSum) continue
      const { inputWithCached, cached, output } = truth.usageSum
      const parent = hasCopies ? pathOf(members.get(id)?.parentConversationId) : ''
      const more = agent === 'pi' ? usageOfSummaries(path, parent) : null
      expect([name, usage]).toEqual([
        name,
        {
          inputWithCached: inputWithCached - (copies?.usage.inputWithCached ?? 0) + (more?.inputWithCached ?? 0),
          cached: cached - (copies?.usage.cached ?? 0) + (more?.cached ?? 0),
          output: output - (copies?.usage.output ?? 0) + (more?.output ?? 0),
        },
      ])
    }
    const told = Object.values(truths).filter(({ what }) => what !== undefined)
    const forks = told.filter(({ what }) => /\bfork(?: of| \(|$)/.test(what)).length
    const subAgents = told.filter(({ what }) => /(?:^|; )sub-agent(?: of| \(child\)|$)/.test(what)).length

    let lost = 0
    for (const { path, conversations } of files) {
      for (const { conversationId, sessionId } of conversations) {
        const report = await compare(memory.path, path, { conversationId })
        if (report.sessionId === sessionId) lost += report.lostTexts.length
      }
    }
    const read = new Set<string>()
    const onProgress = ({ note }: { note?: string | undefined }): void => {
      if (note?.startsWith('Importing ')) read.add(note)
    }
    const again = await runImport(db, paths, { onProgress, nowMs })
    expect(again.added).toBe(0)
    const windows = rows.flatMap((row) => row.windows)
    const related = (relation: string): number => rows.filter((row) => row.relation === relation).length
    table.push([
      ...[
        called,
        of(
          sum(found, (one) => one.files),
          files.length,
        ),
        of(opened.length, files.length),
      ],
      ...[
        number(sum(rows, ({ counts }) => counts?.answers ?? 0)),
        number(sum(rows, ({ counts }) => counts?.results ?? 0)),
      ],
      ...[
        String(lost),
        of(windows.length, windows.length),
        String(sum(rows, ({ counts }) => counts?.compactions ?? 0)),
      ],
      ...[of(related('fork'), forks), of(related('sub-agent'), subAgents)],
      ...[number(sum(rows, ({ usage }) => usage?.inputWithCached ?? 0)), of(read.size, files.length)],
    ])
  })
})

it('are told in the table of the documentation', () => {
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...table].map((cells) => `| ${cells.join(' | ')} |`)
  expect(readFileSync(DOCUMENT, 'utf8')).toContain(`\n${lines.join('\n')}\n`)
})
