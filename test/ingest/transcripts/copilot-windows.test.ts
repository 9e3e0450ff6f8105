import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeLines } from '#test/builders/transcript-rows.ts'

const MAIN = '11111111-1111-4111-8111-111111111111'
const FORK = '22222222-2222-4222-8222-222222222222'
type Event = { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }

const at = (second: number): string => new Date(Date.UTC(2026, 10, 30, 9, 0, second)).toISOString()
const event = (id: string, type: string, data: Record<string, unknown>, more: Record<string, unknown> = {}): Event => ({
  ...{ type, data, id, timestamp: at(Number(id.replace(/\D/g, ''))), parentId: null },
  ...more,
})
const start = (id: string, sessionId: string) =>
  event(id, 'session.start', { sessionId, copilotVersion: '1.0.102', startTime: at(Number(id.replace(/\D/g, ''))) })
const asked = (id: string, content: string, more: Record<string, unknown> = {}) =>
  event(id, 'user.message', { content, transformedContent: content, ...more })
const prompt = (id: string, content: string) => event(id, 'system.message', { role: 'system', content })
const answer = (id: string, content: string, toolRequests: readonly unknown[] = []) =>
  event(id, 'assistant.message', { model: 'm', content, toolRequests })
const withAgent = (one: Event): Event => ({ ...one, agentId: 'looker' }) as Event

const sentTexts = (memory: TestMemory, session?: string): string[] =>
  sentWindow(memory, session).texts.map((text) => text.replace(/^\[system\]\n/, ''))

/** Of a summary only what it says. */
const windowTexts = (memory: TestMemory): string[] =>
  sentTexts(memory).map((text) => text.replace(/.*<content>\n(.*)\n<\/content>.*/s, '$1'))

type File = { readonly name: string; readonly events: readonly Event[] }

/** Imports versions of files one after the other, and checks the memory. */
async function imported(memory: TestMemory, ...files: readonly File[]): Promise<void> {
  const folder = temporaryFolder()
  for (const { name, events } of files) {
    const path = writeLines([...events], name, folder)
    expect(await importOne(memory.db, path)).toMatchObject({ error: null, skippedCount: 0, conflicts: 0 })
  }
  expect(await findings(memory.path)).toEqual([])
}
const main = (...events: readonly Event[]): File => ({ name: 'main.jsonl', events: [start('e0', MAIN), ...events] })
const conversation = [asked('e1', 'one'), prompt('e2', 'Rules.'), answer('e3', 'answer one')]

describe('the window of a session of the Copilot CLI', () => {
  it('has only the newest system prompt', async () => {
    using memory = buildMemory()
    await imported(memory, main(...conversation, asked('e4', 'two'), prompt('e5', 'More rules.'), answer('e6', 'done')))
    expect(sentTexts(memory)).toEqual(['one', 'answer one', 'two', 'More rules.', 'done'])
  })

  it('keeps the system prompt in a compaction', async () => {
    using memory = buildMemory()
    const compaction = { success: true, summaryContent: 'Told.', preCompactionMessagesLength: 3, messagesRemoved: 2 }
    const compacted = [event('e4', 'session.compaction_complete', compaction), asked('e5', 'two')]
    await imported(memory, main(...conversation, ...compacted))
    expect(windowTexts(memory)).toEqual(['one', 'Rules.', 'Told.', 'two'])
  })

  it('keeps what the person said in a compaction, as it was typed', async () => {
    using memory = buildMemory()
    const typed = asked('e1', 'one', { transformedContent: '<current_datetime>now</current_datetime>\n\none' })
    const compaction = { success: true, summaryContent: 'Told.', preCompactionMessagesLength: 3, messagesRemoved: 2 }
    const compacted = [event('e4', 'session.compaction_complete', compaction), asked('e5', 'two')]
    await imported(memory, main(typed, ...conversation.slice(1), ...compacted))
    expect(windowTexts(memory)).toEqual(['one', 'Rules.', 'Told.', 'two'])
    const again = event('e7', 'session.compaction_complete', { ...compaction, summaryContent: 'Told again.' })
    await imported(memory, main(typed, ...conversation.slice(1), ...compacted, answer('e6', 'done'), again))
    expect(windowTexts(memory)).toEqual(['one', 'Rules.', 'Told again.', 'two'])
  })

  it('forgets in a compaction what was said before the window was cleared', async () => {
    using memory = buildMemory()
    const cleared = event('e4', 'session.context_cleared', { messagesCleared: 3 })
    const compaction = { success: true, summaryContent: 'Told.', preCompactionMessagesLength: 3, messagesRemoved: 2 }
    const after = [asked('e5', 'two'), answer('e6', 'done'), event('e7', 'session.compaction_complete', compaction)]
    await imported(memory, main(...conversation, cleared, ...after))
    expect(windowTexts(memory)).toEqual(['Told.', 'Rules.', 'two'])
  })

  it('has after a clearing only the system prompt and the message that was set then', async () => {
    using memory = buildMemory()
    const cleared = event('e4', 'session.context_cleared', {
      messagesCleared: 3,
      initialMessage: 'Begin with the tests.',
    })
    const again = event('e7', 'session.context_cleared', { messagesCleared: 3 })
    await imported(memory, main(...conversation, cleared))
    expect(sentTexts(memory)).toEqual(['Rules.', 'Begin with the tests.'])
    await imported(memory, main(...conversation, cleared, asked('e5', 'two'), answer('e6', 'done')))
    expect(sentTexts(memory)).toEqual(['Rules.', 'Begin with the tests.', 'two', 'done'])
    await imported(memory, main(...conversation, cleared, asked('e5', 'two'), answer('e6', 'done'), again))
    expect(sentTexts(memory)).toEqual(['Rules.'])
    expect(told(memory)).toContain('assistant: answer one')
  })

  it('loses what the agent took out of its file when the person went back', async () => {
    using memory = buildMemory()
    const before = main(...conversation, asked('e4', 'two'), prompt('e5', 'More rules.'), answer('e6', 'answer two'))
    const back = event('e7', 'session.info', { infoType: 'rewind', message: 'Went back.' })
    await imported(memory, before, main(...conversation, back))
    expect(sentTexts(memory)).toEqual(['one', 'Rules.', 'answer one'])
    await imported(memory, main(...conversation, back, asked('e8', 'three')))
    expect(sentTexts(memory)).toEqual(['one', 'Rules.', 'answer one', 'three'])
    expect(told(memory)).toContain('assistant: answer two')
  })

  it('has the commands that the person ran as the model is sent them', async () => {
    using memory = buildMemory()
    const run = (id: string, callId: string, command: string, result: Record<string, unknown>) => [
      event(id, 'tool.user_requested', { toolCallId: callId, toolName: 'local_shell', arguments: { command } }),
      event(`${id}0`, 'tool.execution_complete', { toolCallId: callId, isUserRequested: true, ...result }),
    ]
    const good = run('e4', 'c1', 'date', { success: true, result: { content: 'Monday' } })
    const bad = run('e5', 'c2', 'false', { success: false, error: { message: '' } })
    await imported(memory, main(...conversation, ...good, ...bad))
    const said = 'The user executed a shell command directly in their terminal'
    const texts = [
      `<user_shell_command_output>\n${said} (exit code 0).\n\nCommand:\ndate\n\nOutput:\nMonday\n</user_shell_command_output>`,
      `<user_shell_command_output>\n${said} (non-zero exit code).\n\nCommand:\nfalse\n\nOutput:\n\n</user_shell_command_output>`,
    ]
    expect(sentTexts(memory)).toEqual(['one', 'Rules.', 'answer one', ...texts])
  })

  it('has a skill as it was delivered, once for each time', async () => {
    using memory = buildMemory()
    const contentId = 'sha256:a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e'
    const events = [
      event('e4', 'skill.invoked', { name: 'greet', content: 'Hello World', trigger: 'agent-invoked' }),
      event('e5', 'skill.context_delivered_ref', { contentId, prefix: '<skill>\n', suffix: '\n</skill>' }),
      event('e6', 'skill.invoked_ref', { name: 'greet', contentId, trigger: 'user-invoked' }),
      asked('e7', '/greet me', { transformedContent: 'Use it.\n\nHello World' }),
    ]
    await imported(memory, main(...conversation, ...events))
    const texts = ['<skill>\nHello World\n</skill>', 'Use it.\n\nHello World']
    expect(sentTexts(memory)).toEqual(['one', 'Rules.', 'answer one', ...texts])
    const written = writeLines([...main(...conversation, ...events).events])
    expect(await compare(memory.path, written)).toMatchObject({
      counts: { missing: 0, differing: 0 },
      lostTextCount: 0,
    })
  })

  it('names the files, folders and pictures that the person attached', async () => {
    using memory = buildMemory()
    const attachments = [
      { type: 'file', path: '/w/a.md', displayName: '@a.md', taggedFilesEntry: '* /w/a.md (2 lines)' },
      {
        ...{ type: 'file', path: '/w/p.png', displayName: '@p.png', mimeType: 'image/png', byteLength: 70 },
        assetId: 'sha256:00',
      },
      { type: 'directory', path: '/w/sub', displayName: '@sub/', taggedFilesEntry: '* /w/sub (1 items)' },
    ]
    await imported(memory, main(...conversation, asked('e4', 'see', { attachments })))
    const lines = sentTexts(memory).at(-1)?.split(/\n+/)
    expect(lines).toEqual([
      ...['see', '<tagged_files>', '* /w/a.md (2 lines)', '* /w/sub (1 items)', '</tagged_files>'],
      ...['Image file at path /w/p.png', '[image image/png @p.png 70 bytes]', '[file @p.png, image/png]'],
    ])
  })
})

describe('a fork of a session of the Copilot CLI', () => {
  const agent = [asked('e4', 'look'), prompt('e5', 'Look.'), answer('e6', 'seen')].map(withAgent)
  const shared = [...conversation, ...agent, asked('e7', 'two'), answer('e8', 'answer two')]
  const notice = event('e20', 'session.info', {
    infoType: 'fork',
    message: `Forked from "one" (${MAIN}) as "side (2)" (${FORK}).`,
  })
  const forked = (...events: readonly Event[]): File => ({
    name: 'fork.jsonl',
    events: [start('e20', FORK), ...events],
  })
  const parent = main(...shared, asked('e21', 'three'), answer('e22', 'answer three'))
  const fork = forked(...shared, notice, asked('e23', 'in the fork'), prompt('e24', 'New rules.'))

  it.each([
    ['the parent first', [parent, fork]],
    ['the fork first', [fork, parent]],
  ] as const)('stores everything once, with its sub-agents, %s', async (_, files) => {
    using memory = buildMemory()
    await imported(memory, ...files)
    expect(told(memory)).toHaveLength(12)
    expect(told(memory, FORK)).toEqual(['user: in the fork', 'system: New rules.'])
    expect(told(memory, `${MAIN}/agent-looker`)).toHaveLength(3)
    expect(sentTexts(memory, MAIN)).toEqual([
      ...['one', 'Rules.', 'answer one', 'two', 'answer two', 'three', 'answer three'],
    ])
    expect(sentTexts(memory, FORK)).toEqual([
      ...['one', 'answer one', 'two', 'answer two', 'in the fork', 'New rules.'],
    ])
  })

  it('recognises a fork by its messages when going back in it took the notice away', async () => {
    using memory = buildMemory()
    await imported(memory, parent, forked(...conversation, asked('e25', 'back'), prompt('e26', 'New rules.')))
    expect(told(memory, FORK)).toEqual(['user: back', 'system: New rules.'])
    expect(sentTexts(memory, FORK)).toEqual(['one', 'answer one', 'back', 'New rules.'])
    expect(sentTexts(memory, MAIN).slice(0, 3)).toEqual(['one', 'Rules.', 'answer one'])
  })

  it('shows of a fork that is imported again what it still has after somebody went back in it', async () => {
    using memory = buildMemory()
    await imported(memory, parent, fork, forked(...conversation, asked('e25', 'back'), prompt('e26', 'New rules.')))
    expect(sentTexts(memory, FORK)).toEqual(['one', 'answer one', 'back', 'New rules.'])
  })
})
