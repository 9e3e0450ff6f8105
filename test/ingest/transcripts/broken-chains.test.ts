import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mendTranscript } from '#core/ingest/transcripts/mend-transcript.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeLines } from '#test/builders/transcript-rows.ts'

type Link = { readonly id: string; readonly parent: string | null; readonly side?: string }

const timeAt = (hour: number): string => new Date(Date.UTC(2026, 4, 1) + hour * 3_600_000).toISOString()

/** A record an hour after the one before it, which is too long for Claude Code to join them without a parent. */
const record = ({ id, parent, side }: Link, at: number) => ({
  parentUuid: parent,
  isSidechain: side !== undefined,
  ...(side === undefined ? {} : { agentId: side }),
  sessionId: 's',
  type: at % 2 === 0 ? 'user' : 'assistant',
  // The same words as those of the field that is changed.
  note: { parentUuid: parent },
  message:
    at % 2 === 0
      ? { role: 'user', content: `"parentUuid":"${parent}" said by ${id}` }
      : { id: `api-${id}`, role: 'assistant', content: [{ type: 'text', text: `answer ${id}` }] },
  uuid: id,
  timestamp: timeAt(at),
})

const written = (links: readonly Link[]): string => writeLines(links.map(record))

/** The ids that Claude Code loads: from the newest record of the main chain back until a parent cannot be followed. */
function loadedBy(path: string, side?: string): string[] {
  const records = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ReturnType<typeof record>)
  const byId = new Map(records.map((one) => [one.uuid, one]))
  const parents = new Set(records.map(({ parentUuid }) => parentUuid))
  const isLeaf = ({ uuid, isSidechain, agentId }: (typeof records)[number] & { agentId?: string }): boolean =>
    !parents.has(uuid) && (side === undefined ? !isSidechain : agentId === side)
  const path_: string[] = []
  for (let one = records.findLast(isLeaf); one && !path_.includes(one.uuid); one = byId.get(one.parentUuid ?? ''))
    path_.push(one.uuid)
  return path_.reverse()
}

async function imported(path: string): Promise<TestMemory> {
  const memory = buildMemory()
  await importOne(memory.db, path)
  return memory
}

const chainOf = (count: number, side?: string): Link[] =>
  Array.from({ length: count }, (_, at) => {
    const name = (number: number): string => `${side ?? 'r'}${number}`
    return { id: name(at), parent: at === 0 ? null : name(at - 1), ...(side === undefined ? {} : { side }) }
  })

const without = (links: readonly Link[], id: string): Link[] => links.filter((link) => link.id !== id)

const mendedCopy = async (path: string): Promise<string> => {
  const to = join(temporaryFolder(), 'mended.jsonl')
  await mendTranscript(path, to)
  return to
}

describe('a record whose parent was never written', () => {
  it('is said with what a resume loads, and the messages before it are imported all the same', async () => {
    const path = written(without(chainOf(9), 'r4'))
    using memory = await imported(path)
    expect(told(memory)).toHaveLength(8)
    const { context } = sentWindow(memory)
    expect(context.resume).toMatchObject({ line: 5, parentId: 'r4', messages: 8, loaded: 4, breaks: 1, path })
    expect(context.resume?.text).toBe(
      'the parent of line 5 is not in the file: whoever resumes this session sees 4 of 8 messages (from ""parentUuid":"r4" said by r5")',
    )
    expect(context.items).toHaveLength(8)
  })

  it('lets the window be seen that a resume would load', async () => {
    using memory = await imported(written(without(chainOf(9), 'r4')))
    const { context } = sentWindow(memory, undefined, { resumed: true })
    expect(context.items.map(({ excerpt }) => excerpt.replace(/.*said by /, ''))).toEqual([
      'r5',
      'answer r6',
      'r7',
      'answer r8',
    ])
    expect(context.resume?.loaded).toBe(4)
  })

  it('is nothing when it is the first record, as in a file whose beginning was cut off', async () => {
    using memory = await imported(written(chainOf(4).slice(1)))
    expect(sentWindow(memory).context.resume).toBeUndefined()
  })

  it('is nothing to Claude Code when the record before it is less than five seconds older', async () => {
    const story = new TranscriptBuilder()
    story.user('one')
    story.user('two', { parentUuid: 'nowhere' })
    using memory = await imported(story.write())
    expect(sentWindow(memory).context.resume).toBeUndefined()
  })

  it('is nothing when a compaction came after it', async () => {
    const story = new TranscriptBuilder()
    story.user('old words')
    story.user('more', { parentUuid: 'nowhere', timestamp: '2026-03-02T12:00:00.000Z' })
    const logicalParentUuid = story.lastUuid
    const boundary = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }
    story.record({ ...boundary, parentUuid: null, logicalParentUuid, compactMetadata: { trigger: 'auto' } })
    story.user('a summary', { isCompactSummary: true })
    story.answer('msg_1', [text('on')])
    using memory = await imported(story.write())
    expect(sentWindow(memory).context).toMatchObject({ items: [{ kind: 'leaf' }, { kind: 'message' }] })
    expect(sentWindow(memory).context.resume).toBeUndefined()
  })

  it('is forgotten when the transcript was mended', async () => {
    const path = written(without(chainOf(9), 'r4'))
    using memory = await imported(path)
    expect((await findings(memory.path)).map((found) => found.replace(': 1', ''))).toEqual(['broken_chain'])
    await importOne(memory.db, await mendedCopy(path))
    expect(sentWindow(memory).context.resume).toBeUndefined()
    expect(await findings(memory.path)).toEqual([])
  })

  it.each([
    ['Pi', (links: readonly Link[]) => links.map(({ id, parent }, at) => entry(id, parent, at)), 'id'],
    ['Qwen Code', (links: readonly Link[]) => links.map(({ id, parent }, at) => turn(id, parent, at)), 'uuid'],
  ])('is said and mended in a session of %s', async (_, lines, id) => {
    const header = { type: 'session', version: 3, id: 'p', timestamp: timeAt(0), cwd: '/' }
    const rows = [...(id === 'id' ? [header] : []), ...lines(without(chainOf(7), 'r3'))]
    const path = writeLines(rows)
    using memory = await imported(path)
    expect(sentWindow(memory).context.resume).toMatchObject({ messages: 6, loaded: 3, parentId: 'r3' })
    using whole = await imported(await mendedCopy(path))
    expect(sentWindow(whole).context.resume).toBeUndefined()
    expect(told(whole)).toEqual(told(memory))
  })
})

const entry = (id: string, parentId: string | null, at: number) => ({
  type: 'message',
  id,
  parentId,
  timestamp: timeAt(at),
  message: { role: at % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text: id }] },
})

const turn = (uuid: string, parentUuid: string | null, at: number) => ({
  uuid,
  parentUuid,
  sessionId: 'q',
  timestamp: timeAt(at),
  type: at % 2 === 0 ? 'user' : 'assistant',
  message: { role: at % 2 === 0 ? 'user' : 'model', parts: [{ text: `words of ${uuid}` }] },
})

describe('a mended copy of a transcript', () => {
  it('is refused for one that is whole, and never written over something', async () => {
    const path = written(chainOf(3))
    await expect(mendedCopy(path)).rejects.toThrow(/is whole/)
    const broken = written(without(chainOf(5), 'r2'))
    await expect(mendTranscript(broken, path)).rejects.toThrow(path)
    await expect(mendTranscript(broken, broken)).rejects.toThrow(broken)
  })

  it('keeps line ends, a mark at the beginning, and a last line without an end', async () => {
    const lines = without(chainOf(5), 'r2').map((link, at) => JSON.stringify(record(link, at)))
    const path = writeLines([])
    const { writeFileSync } = await import('node:fs')
    writeFileSync(path, `\uFEFF${lines.join('\r\n')}`)
    const after = readFileSync(await mendedCopy(path), 'utf8')
    expect(after.replace('"parentUuid":"r1","isSidechain":false,"sessionId":"s","type":"user"', '')).toHaveLength(
      readFileSync(path, 'utf8').replace('"parentUuid":"r2","isSidechain":false,"sessionId":"s","type":"user"', '')
        .length,
    )
    expect(after.split('\r\n')).toHaveLength(4)
  })

  it('cuts a circle at its first record', async () => {
    const links = chainOf(6).map((link) => (link.id === 'r2' ? { ...link, parent: 'r4' } : link))
    const path = written(links)
    expect(loadedBy(path)).not.toContain('r0')
    using memory = await imported(path)
    expect(sentWindow(memory).context.resume?.text).toMatch(/^line 3 names a record as its parent that hangs on it/)
    expect(loadedBy(await mendedCopy(path))).toEqual(chainOf(6).map(({ id }) => id))
  })

  // The copy loads all messages by the agent's own rule, and importing it gives the same messages as the original.
  it('loads everything, differs in single lines only, and leaves sub-agents to themselves', async () => {
    const asked = fc.record({
      main: fc.integer({ min: 4, max: 10 }),
      side: fc.integer({ min: 0, max: 5 }),
      lost: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
      lostAside: fc.option(fc.integer({ min: 1, max: 4 }), { nil: -1 }),
      /** A pair of records that were written in the other order. */
      early: fc.option(fc.integer({ min: 1, max: 8 }), { nil: -1 }),
      order: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ main, side, lost, lostAside, early, order }) => {
        const chain = chainOf(main)
        if (early > 0 && early + 1 < main) chain.splice(early, 2, chain[early + 1] as Link, chain[early] as Link)
        const kept = chain.filter(({ id }) => !lost.some((at) => id === `r${at}`))
        const aside = without(chainOf(side, 'a'), `a${lostAside}`)
        const links: Link[] = []
        const [left, right] = [[...kept], [...aside]]
        for (const isMain of order) links.push(...(isMain ? left.splice(0, 1) : right.splice(0, 1)))
        links.push(...right, ...left)
        const path = written(links)
        using memory = await imported(path)
        const isBroken = loadedBy(path).length < kept.length || loadedBy(path, 'a').length < aside.length
        if (!isBroken) {
          await expect(mendedCopy(path)).rejects.toThrow(/is whole/)
          return
        }
        const copy = await mendedCopy(path)
        expect(loadedBy(copy).toSorted()).toEqual(kept.map(({ id }) => id).toSorted())
        if (aside.length > 0) expect(loadedBy(copy, 'a').toSorted()).toEqual(aside.map(({ id }) => id).toSorted())
        const [before, after] = [path, copy].map((file) => readFileSync(file, 'utf8').split('\n'))
        for (const [at, line] of (before ?? []).entries()) {
          if (line === after?.[at]) continue
          const { parentUuid: _, ...rest } = JSON.parse(line)
          expect(JSON.parse(after?.[at] ?? '')).toMatchObject(rest)
        }
        using whole = await imported(copy)
        expect(told(whole).toSorted()).toEqual(told(memory).toSorted())
        expect(sentWindow(whole).texts).toEqual(sentWindow(memory).texts)
      }),
      { numRuns: runs(60) },
    )
  })
})

it('the sub-agent of a compaction, whose records hang on those of its session, is not resumed', async () => {
  const side = 'acompact-1'
  using memory = await imported(
    written([
      { id: 'a', parent: 'elsewhere-1', side },
      { id: 'b', parent: 'elsewhere-2', side },
      { id: 'c', parent: 'b', side },
    ]),
  )
  expect(await findings(memory.path)).toEqual([])
})
