import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told } from '#test/builders/transcript-rows.ts'

type Item = Readonly<Record<string, unknown>>

const say = (role: string, content: unknown, more: Item = {}): Item => ({
  message: { role, content },
  contextItems: [],
  ...more,
})
const said = (text: string): string => `${text} ${'in many words '.repeat(20)}`.trim()
const turn = (n: number): Item[] => [say('user', said(`question ${n}`)), say('assistant', said(`answer ${n}`))]

/** Writes the file of a session anew, as Continue does after every turn. */
function sessionFile(): (items: readonly Item[]) => string {
  const path = join(temporaryFolder(), 'session.json')
  return (history) => {
    const session = { sessionId: 's-1', title: 'Untitled Session', workspaceDirectory: '/home/me/shop', history }
    writeFileSync(path, JSON.stringify(session, null, 2))
    return path
  }
}

const first = (lines: readonly string[]): string[] => lines.map((line) => line.split(' in many words')[0] ?? '')
const sent = (memory: ReturnType<typeof buildMemory>): string[] =>
  sentWindow(memory).texts.map((text) => /what was said|(?:question|answer) \d/.exec(text)?.[0] ?? text)
const titleOf = ({ db }: ReturnType<typeof buildMemory>) => db.value<string>('SELECT title FROM conversations')

it('a session of Continue that grew adds what is new, also words that were said before', async () => {
  using memory = buildMemory()
  const write = sessionFile()
  const again = say('user', 'go on')
  await importOne(memory.db, write([...turn(1), again, say('assistant', 'yes')]))
  const grown = write([...turn(1), again, say('assistant', 'yes'), again, say('assistant', 'yes')])
  expect(await importOne(memory.db, grown)).toMatchObject({ format: 'continue', added: 2, alreadyThere: 4 })
  expect(first(told(memory)).slice(2)).toEqual(['user: go on', 'assistant: yes', 'user: go on', 'assistant: yes'])
})

it('what a compaction of Continue takes out of the file stays in the memory, under its summary', async () => {
  using memory = buildMemory()
  const write = sessionFile()
  await importOne(memory.db, write([...turn(1), ...turn(2)]))
  const summary = say('assistant', 'what was said', { conversationSummary: 'what was said' })
  expect(await importOne(memory.db, write([summary, ...turn(3)]))).toMatchObject({ added: 3, compactions: 1 })
  expect(sent(memory)).toEqual(['what was said', 'question 3', 'answer 3'])
  expect(told(memory)).toHaveLength(7)
  expect(titleOf(memory)).toMatch(/^question 1/)
  expect(await findings(memory.path)).toEqual([])
})

it('a summary that an extension of an editor keeps beside the last item that it stands for replaces all until there', async () => {
  using memory = buildMemory()
  const [question, answer] = turn(2)
  const items = [...turn(1), question as Item, { ...answer, conversationSummary: 'what was said' }, ...turn(3)]
  await importOne(memory.db, sessionFile()(items))
  expect(sent(memory)).toEqual(['what was said', 'question 3', 'answer 3'])
  expect(await findings(memory.path)).toEqual([])
})

it('a prompt that was edited and given again takes the place of what followed it', async () => {
  using memory = buildMemory()
  const write = sessionFile()
  await importOne(memory.db, write([...turn(1), ...turn(2), ...turn(3)]))
  await importOne(memory.db, write([...turn(1), ...turn(4)]))
  expect(sent(memory)).toEqual(['question 1', 'answer 1', 'question 4', 'answer 4'])
  expect(told(memory)).toHaveLength(8)
})

it('the list of sessions beside a session tells its title and when it began', async () => {
  using memory = buildMemory()
  const path = sessionFile()(turn(1))
  const began = Date.UTC(2026, 2, 2, 9)
  const listed = [{ sessionId: 's-1', title: 'Ports', dateCreated: String(began), workspaceDirectory: '/home/me/shop' }]
  writeFileSync(join(path, '..', 'sessions.json'), JSON.stringify(listed))
  await importOne(memory.db, path)
  expect(titleOf(memory)).toBe('Ports')
  expect(memory.db.column('SELECT DISTINCT created_at FROM messages')).toEqual([began])
})
