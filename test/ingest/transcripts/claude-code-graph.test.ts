import { describe, expect, it } from 'vitest'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { told } from '#test/builders/transcript-rows.ts'

const hook = (story: TranscriptBuilder, uuid: string, parentUuid: string, content: string): string =>
  story.record({ uuid, parentUuid, type: 'attachment', attachment: { type: 'hook_success', content } })

async function imported(memory: TestMemory, story: TranscriptBuilder) {
  const path = story.write()
  const file = await importOne(memory.db, path)
  expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
  expect(await findings(memory.path)).toEqual([])
  return file
}

describe('a record of Claude Code that was written before its parent', () => {
  it('follows its parent in the history, and nothing is given up', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const first = story.user('first words')
    const answered = story.answer('msg_1', [text('first answer')])
    hook(story, 'hook', 'prompt', 'from a hook')
    story.user('second words', { uuid: 'prompt', parentUuid: answered })
    story.answer('msg_2', [text('second answer')], { parentUuid: 'hook' })
    await imported(memory, story)
    expect(first).not.toBe(answered)
    const history = ['first words', 'first answer', 'second words', 'from a hook', 'second answer']
    expect(told(memory).map((line) => line.replace(/^\w+: /, ''))).toEqual(history)
    expect(sentWindow(memory).texts).toEqual(history)
  })

  it('is taken at the end when its parent repeats an id and never comes', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    hook(story, 'a', 'b', 'one')
    hook(story, 'b', 'a', 'two')
    story.user('words', { parentUuid: null })
    await importOne(memory.db, story.write())
    expect(told(memory).toSorted()).toEqual(['user: one', 'user: two', 'user: words'])
  })
})

describe('an id that Claude Code gave twice', () => {
  const compact = (story: TranscriptBuilder, summary: string): void => {
    const logicalParentUuid = story.lastUuid
    const boundary = {
      uuid: 'boundary',
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
    }
    story.record({ ...boundary, parentUuid: null, logicalParentUuid, compactMetadata: { trigger: 'auto' } })
    story.user(summary, { isCompactSummary: true })
  }

  it('names two compactions when it is that of two boundaries', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    for (const rule of ['one', 'two', 'three']) {
      story.user(`rule ${rule}, said in words enough to be worth a summary of some length`)
      story.answer(`msg_${rule}`, [text(`rule ${rule} is kept from now on in all that follows`)])
      if (rule !== 'three') compact(story, `rules up to ${rule}`)
    }
    expect(await imported(memory, story)).toMatchObject({ compactions: 2, skippedCount: 0 })
    const { context, texts } = sentWindow(memory)
    expect(context.items.map(({ kind, messages }) => [kind, messages])).toEqual([
      ['condensed', 6],
      ['message', 1],
      ['message', 1],
    ])
    expect(texts[0]).toContain('rules up to two')
  })

  it('is one compaction where a fork repeats it before what it kept', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const boundary = {
      uuid: 'boundary',
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
    }
    const preservedMessages = { uuids: ['kept'] }
    story.record({ ...boundary, parentUuid: null, logicalParentUuid: 'kept', compactMetadata: { preservedMessages } })
    story.user('a summary of what was said before', { isCompactSummary: true })
    story.answer('msg_kept', [text('the kept answer')], { uuid: 'kept' })
    story.user('after')
    await imported(memory, story)
    expect(sentWindow(memory).texts.map((words) => words.replace(/^.*\n|\n.*$/g, ''))).toEqual([
      'a summary of what was said before',
      'the kept answer',
      'after',
    ])
  })

  it('is one record where it says the same, and a conflict where it says something else', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const uuid = story.user('kept words')
    story.answer('msg_1', [text('an answer')])
    story.record({ type: 'user', uuid, parentUuid: null, message: { role: 'user', content: 'kept words' } })
    story.record({ type: 'user', uuid, parentUuid: null, message: { role: 'user', content: 'other words' } })
    story.user('more', { parentUuid: uuid })
    const file = await importOne(memory.db, story.write())
    expect(file).toMatchObject({ added: 3, alreadyThere: 1, conflicts: 1, skippedCount: 1 })
    expect(file.skipped).toEqual([{ line: 4, reason: `another record has its id ${uuid}: the first one is kept` }])
    expect(told(memory)).toEqual(['user: kept words', 'assistant: an answer', 'user: more'])
  })
})
