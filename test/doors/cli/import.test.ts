import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'
import { transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'
import { lcmHere } from './lcm.ts'

it('lcm import names every conversation of a file by what was said in it', async () => {
  const sample = transcriptSamples.find(({ format }) => format === 'aider')
  if (!sample) throw new Error('there is no sample of aider')
  const path = writeSample(sample)
  const db = join(temporaryFolder(), 'lcm.db')
  const { stdout } = await lcmHere(['import', path, '--db', db])
  expect(stdout).toContain('conversation 1: The words of the first question. (')
  expect(stdout).toContain('conversation 2: The words of a question in a second session. (2 added)')
  expect(stdout).toMatch(/\b1 and 1 more\s+aider/)
  const again = await lcmHere(['import', path, '--db', db, '--json'])
  const { files } = JSON.parse(again.stdout) as {
    files: { conversationCount: number; conversations: { title: string }[] }[]
  }
  expect(files[0]?.conversationCount).toBe(2)
  expect(files[0]?.conversations.map(({ title }) => title)).toEqual([
    'The words of the first question.',
    'The words of a question in a second session.',
  ])
})

it('lcm import says in a line that a later version wrote a file than was tried, and succeeds', async () => {
  const message = { role: 'user', content: 'hello' }
  const path = writeLines([{ uuid: 'u', sessionId: 's', version: '99.0.0', type: 'user', message }])
  const { stdout, code } = await lcmHere(['import', path, '--db', join(temporaryFolder(), 'lcm.db')])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /session\.jsonl: version 99\.0\.0 of claude-code wrote it, and the newest that was tried is [\d.]+: lcm coverage says/,
  )
})
