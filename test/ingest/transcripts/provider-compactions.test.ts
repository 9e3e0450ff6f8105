import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

function messagesFile(messages: readonly unknown[]): string {
  const path = join(temporaryFolder(), 'messages.json')
  writeFileSync(path, JSON.stringify(messages))
  return path
}

const compaction = (content: string | null) => ({ type: 'compaction', content, encrypted_content: null })
const said = [
  { role: 'system', content: 'You are helpful.' },
  { role: 'user', content: 'The port is 4711.' },
  { role: 'assistant', content: 'Noted.' },
  { role: 'user', content: 'Go on.' },
]
const after = [
  { role: 'user', content: 'What now?' },
  { role: 'assistant', content: 'Done.' },
]

it('shows what a provider made of a conversation that it compacted in the place of what it compacted', async () => {
  using memory = buildMemory()
  const answer = {
    role: 'assistant',
    content: [compaction('In short: port 4711.'), { type: 'text', text: 'Going on.' }],
  }
  const path = messagesFile([...said, answer, ...after])
  expect(await importOne(memory.db, path)).toMatchObject({ format: 'messages', added: 8, compactions: 1 })
  const [system, summary, ...rest] = sentWindow(memory).texts
  expect(system).toBe('You are helpful.')
  expect(summary).toContain('In short: port 4711.')
  expect(rest).toEqual(['Going on.', 'What now?', 'Done.'])
  expect(await compare(memory.path, path)).toMatchObject({ ok: true, isEverything: true })
  expect(await findings(memory.path)).toEqual([])
})

it('takes a second compaction of a provider for the first and what was said since', async () => {
  using memory = buildMemory()
  const once = { role: 'assistant', content: [compaction('In short: port 4711.')] }
  const twice = { role: 'assistant', content: [compaction('Shorter: 4711.'), { type: 'text', text: 'Well.' }] }
  await importOne(memory.db, messagesFile([...said, once, ...after, twice]))
  const [, summary, ...rest] = sentWindow(memory).texts
  expect(summary).toContain('Shorter: 4711.')
  expect(rest).toEqual(['Well.'])
})

it('changes nothing where a provider says that its compaction failed', async () => {
  using memory = buildMemory()
  const failed = { role: 'assistant', content: [compaction(null), { type: 'text', text: 'Going on.' }] }
  expect(await importOne(memory.db, messagesFile([...said, failed]))).toMatchObject({ compactions: 0 })
  const { texts } = sentWindow(memory)
  expect(texts.slice(0, 4)).toEqual(['You are helpful.', 'The port is 4711.', 'Noted.', 'Go on.'])
  expect(texts.at(-1)).toContain('Going on.')
})
