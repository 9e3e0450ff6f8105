import { describe, expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { dump, told, writeLines } from '#test/builders/transcript-rows.ts'

type Line = Record<string, unknown> & { readonly uuid: string }

const at = (second: number): string => new Date(Date.UTC(2026, 10, 30, 9, 0, second)).toISOString()
const envelope = (uuid: string, parentUuid: string | null) => ({
  ...{
    uuid,
    parentUuid,
    sessionId: 'main',
    timestamp: at(Number(uuid.replace(/\D/g, ''))),
    cwd: '/',
    version: '0.24.4',
  },
})
const said = (uuid: string, parentUuid: string | null, text: string): Line => ({
  ...envelope(uuid, parentUuid),
  type: 'user',
  provenance: 'real_user',
  message: { role: 'user', parts: [{ text }] },
})
const answer = (uuid: string, parentUuid: string | null, text: string): Line => ({
  ...envelope(uuid, parentUuid),
  type: 'assistant',
  provenance: 'assistant_output',
  model: 'm',
  message: { role: 'model', parts: [{ text }] },
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 5, totalTokenCount: 105 },
})
const turn = (number: number, parentUuid: string | null, word: string): Line[] => [
  said(`q${number}`, parentUuid, word),
  answer(`a${number}`, `q${number}`, `answer ${word}`),
]

/** What Qwen Code writes for a fork: the records that are not given up, in one chain, and each names its origin. */
const forked = (lines: readonly Line[], sessionId: string, from: string): Line[] =>
  lines.map((line, index) => ({
    ...line,
    sessionId,
    parentUuid: lines[index - 1]?.uuid ?? null,
    forkedFrom: { sessionId: from, messageUuid: line.uuid },
  }))
const own = (lines: readonly Line[], sessionId: string): Line[] => lines.map((line) => ({ ...line, sessionId }))

/** Imports files one after the other, twice, and checks the memory. */
async function imported(files: readonly (readonly Line[])[]): Promise<TestMemory> {
  const memory = buildMemory()
  const folder = temporaryFolder()
  const paths = files.map((lines, index) => writeLines(lines, `${index}.jsonl`, folder))
  for (const path of paths) expect(await importOne(memory.db, path)).toMatchObject({ error: null, skippedCount: 0 })
  const before = dump(memory)
  for (const path of paths) expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
  expect(dump(memory)).toEqual(before)
  expect(await findings(memory.path)).toEqual([])
  return memory
}

const inOrders = <T>(...files: readonly T[]): readonly (readonly [string, readonly T[]])[] => [
  ['oldest first', files],
  ['newest first', [...files].reverse()],
]

describe('a fork of a session of Qwen Code', () => {
  const main = [
    ...turn(1, null, 'one'),
    ...turn(2, 'a1', 'left'),
    { ...envelope('s3', 'a1'), type: 'system', subtype: 'rewind', systemPayload: { truncatedCount: 2 } },
    ...turn(4, 's3', 'two'),
    ...turn(5, 'a4', 'three'),
  ]
  const live = main.filter(({ uuid }) => !['q2', 'a2'].includes(uuid))
  const back = (uuid: string, parentUuid: string): Line => ({
    ...envelope(uuid, parentUuid),
    type: 'system',
    subtype: 'rewind',
    systemPayload: { truncatedCount: 2 },
  })
  const fork = [...forked(live, 'fork', 'main'), ...own(turn(6, 'a5', 'in the fork'), 'fork')]

  it.each(inOrders(main, fork))('stores each message once, the files being imported %s', async (_, files) => {
    using memory = await imported(files)
    expect(told(memory, 'fork')).toEqual(['user: in the fork', 'assistant: answer in the fork'])
    expect(told(memory)).toHaveLength(10)
    const links = memory.db.all(
      `SELECT f.session_id AS fork, p.session_id AS parent FROM conversations AS f
       JOIN conversations AS p ON p.conversation_id = f.parent_conversation_id`,
    )
    expect(links).toEqual([{ fork: 'fork', parent: 'main' }])
  })

  it.each(inOrders(main, fork))('sees what it copied and not what had been given up, %s', async (_, files) => {
    using memory = await imported(files)
    const texts = ['one', 'answer one', 'two', 'answer two', 'three', 'answer three']
    expect(sentWindow(memory, 'main').texts).toEqual(texts)
    expect(sentWindow(memory, 'fork').texts).toEqual([...texts, 'in the fork', 'answer in the fork'])
  })

  const further = [...fork, ...own([back('s7', 'a4'), ...turn(8, 's7', 'another')], 'fork')]

  it.each(inOrders(main, further))('goes back behind the fork in its own window alone, %s', async (_, files) => {
    using memory = await imported(files)
    const texts = ['one', 'answer one', 'two', 'answer two']
    expect(sentWindow(memory, 'main').texts).toEqual([...texts, 'three', 'answer three'])
    expect(sentWindow(memory, 'fork').texts).toEqual([...texts, 'another', 'answer another'])
  })

  const mainWentBack = [...main, back('s7', 'a1'), ...turn(8, 's7', 'elsewhere')]

  it.each(inOrders(mainWentBack, fork))('keeps what its parent took back later, %s', async (_, files) => {
    using memory = await imported(files)
    expect(sentWindow(memory, 'main').texts).toEqual(['one', 'answer one', 'elsewhere', 'answer elsewhere'])
    expect(sentWindow(memory, 'fork').texts).toEqual([
      ...['one', 'answer one', 'two', 'answer two', 'three', 'answer three'],
      ...['in the fork', 'answer in the fork'],
    ])
  })

  const newest = [
    ...forked([...live.slice(0, 5), ...further.slice(-3)], 'newest', 'fork'),
    ...own(turn(9, 'a8', 'last'), 'newest'),
  ]

  it('may be forked itself', async () => {
    using memory = await imported([main, further, newest])
    expect(sentWindow(memory, 'newest').texts).toEqual([
      ...['one', 'answer one', 'two', 'answer two', 'another', 'answer another', 'last', 'answer last'],
    ])
    expect(told(memory)).toHaveLength(14)
  })
})

describe('a session of Qwen Code', () => {
  it.each([
    ...['turn_result', 'user_text_elements', 'background_task_completed'],
    ...['agent_session_ready', 'agent_launch_prompt', 'agent_retry'],
  ])('passes over what the program notes for itself as %s', async (subtype) => {
    const note = { ...envelope('s3', 'a1'), type: 'system', subtype, systemPayload: {} }
    using memory = await imported([[...turn(1, null, 'one'), note, ...turn(4, 's3', 'two')]])
    expect(sentWindow(memory).texts).toEqual(['one', 'answer one', 'two', 'answer two'])
  })
})

describe('a compression of Qwen Code in the middle of a turn', () => {
  const callOf = (id: string) => ({ functionCall: { id, name: 'run', args: { command: `command of ${id}` } } })
  const resultOf = (id: string) => ({ functionResponse: { id, name: 'run', response: { output: `output of ${id}` } } })
  const calls = (number: number, parentUuid: string, id: string): Line[] => [
    { ...answer(`a${number}`, parentUuid, ''), message: { role: 'model', parts: [callOf(id)] } },
    {
      ...envelope(`r${number + 1}`, `a${number}`),
      type: 'tool_result',
      message: { role: 'user', parts: [resultOf(id)] },
      toolCallResult: { callId: id, status: 'success' },
    },
  ]
  /** The acknowledgement of the summary makes the call again whose result was not sent yet. */
  const compressed = (number: number, parentUuid: string, summary: string, id: string): Line => ({
    ...envelope(`s${number}`, parentUuid),
    type: 'system',
    subtype: 'chat_compression',
    systemPayload: {
      info: { originalTokenCount: 1000, newTokenCount: 100 },
      compressedHistory: [
        { role: 'user', parts: [{ text: summary }] },
        { role: 'model', parts: [{ text: 'Got it.' }, callOf(id)] },
        { role: 'user', parts: [resultOf(id)] },
      ],
    },
  })
  const lines = [
    ...turn(1, null, 'an earlier question in words enough to be worth a summary'),
    ...calls(3, 'a1', 'call-1'),
    compressed(5, 'r4', 'the first summary', 'call-1'),
    ...calls(6, 's5', 'call-2'),
    compressed(8, 'r7', 'the second summary', 'call-2'),
    answer('a9', 's8', 'Done.'),
  ]

  it.each([1, 2, 100])(
    'leaves in the window the last summary, and the open call with its result behind it, when %i lines are imported at a time',
    async (size) => {
      using memory = buildMemory()
      const folder = temporaryFolder()
      for (let until = size; until < lines.length + size; until += size)
        expect(await importOne(memory.db, writeLines(lines.slice(0, until), 'main.jsonl', folder))).toMatchObject({
          error: null,
          conflicts: 0,
        })
      const texts = sentWindow(memory).texts.map((words) => /the (?:first|second) summary/.exec(words)?.[0] ?? words)
      expect(texts).toEqual(['the second summary', 'Got it.', 'call run', 'output of call-2', 'Done.'])
      expect(await findings(memory.path)).toEqual([])
    },
  )
})
