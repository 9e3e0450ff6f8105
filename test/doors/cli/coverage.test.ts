import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TranscriptBuilder } from '#test/builders/claude-code.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere } from './lcm.ts'

function transcript(session: string): string {
  const story = new TranscriptBuilder(session)
  for (const text of ['What is a lease?', 'And who holds it?']) story.user(text)
  return story.write()
}

describe('lcm coverage', () => {
  it('takes the only conversation by itself, and asks for one when there are several', async () => {
    const db = join(temporaryFolder(), 'lcm.db')
    const path = transcript('aaaaaaaa-0000-4000-8000-000000000001')
    await lcmHere(['import', path, '--db', db])
    const compare = () => lcmHere(['coverage', '--db', db, '--transcript', path, '--json'])
    const only = await compare()
    expect(only.code).toBe(0)
    expect(JSON.parse(only.stdout)).toMatchObject({ ok: true, inTranscript: 2, inDatabase: 2 })
    await lcmHere(['import', transcript('aaaaaaaa-0000-4000-8000-000000000002'), '--db', db])
    const several = await compare()
    expect(several.code).toBe(2)
    expect(JSON.parse(several.stdout)).toMatchObject({ error: { code: 'conversation_required' } })
  })
})
