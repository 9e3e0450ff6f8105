import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { type Story, tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'

// Proves that no path, key, token or e-mail address leaves the machine in a sanitized export, in whatever field and in
// whatever way it is written.
const WHO = 'canaryada'
const FORMATS = ['markdown', 'json', 'html', 'mermaid', 'dot', 'ledger']
const PATHS = [
  `/home/${WHO}/notes/x.json`,
  `/Users/${WHO}/${WHO}.txt`,
  `file:/home/${WHO}/x`,
  `file:///home/${WHO}/x`,
  `file://localhost/home/${WHO}/x`,
  `file:///C:/Users/${WHO}/x`,
  `file%3A%2F%2F%2Fhome%2F${WHO}%2Fx`,
  `%2Fhome%2F${WHO}%2Fx`,
  `C:\\Users\\${WHO}\\x`,
  `C:/Users/${WHO}/x`,
  `\\\\server\\${WHO}\\x`,
  `\\\\?\\C:\\Users\\${WHO}`,
  `//server/${WHO}/x`,
  `~/${WHO}/x`,
  `~${WHO}/x`,
  `"/Users/${WHO}/My ${WHO}/x"`,
  `PATH=/usr/bin:/home/${WHO}/bin`,
  `-I/home/${WHO}/include`,
  `host:/home/${WHO}/x`,
  `sqlite:////home/${WHO}/lcm.db`,
  `vscode://file/home/${WHO}/x.ts:12`,
  `-home-${WHO}-project`,
]
const SECRETS = [`sk-${WHO}0123456789abcdef`, `Bearer ${WHO}0123456789`, `${WHO}@example.org`, `password=${WHO}`]

/** A memory in which every text holds some of what must not leave. */
function planted(writer: SystemWriter, texts: readonly string[]): string {
  const path = join(temporaryFolder(), writer.name === 'decapod' ? 'lcm.db' : 'memory.db')
  let next = 0
  const secret = (): string => texts[next++ % texts.length] ?? ''
  const about = (text: string): string =>
    `${text}\nSee ${secret()} and ${JSON.stringify({ in: secret() })}, ${secret()}.`
  const story = tellStory({ seed: 3, sessions: 2, turns: 4, leafMessages: 3, fanIn: 2, tail: 1 })
  const spoilt: Story = {
    sessions: story.sessions.map((session, i) => ({
      ...session,
      id: `/home/${WHO}/my sessions/${i}.json`,
      messages: session.messages.map((message) => ({
        ...message,
        content: about(message.content),
        call: message.call && { ...message.call, input: JSON.stringify({ [secret()]: secret() }) },
      })),
      summaries: session.summaries.map((one) => ({
        ...one,
        content: about(one.content),
        model: one.model && secret(),
      })),
      files: session.files.map((one) => ({
        ...one,
        name: `${WHO} report.txt`.replace(WHO, 'the'),
        uri: `/home/${WHO}/my files/x.txt`,
        about: about(one.about),
      })),
    })),
  }
  writeStory(writer, path, writer.tell(spoilt))
  if (writer.name !== 'native') return path
  const db = new Database(path)
  db.prepare(`UPDATE conversations SET title = ?, logical_key = ?, importer = ?`).run(
    `/home/${WHO}/my project`,
    `/home/${WHO}/my project`,
    secret(),
  )
  db.close()
  return path
}

async function exportedAll(path: string): Promise<void> {
  const folder = temporaryFolder()
  for (const format of FORMATS) {
    const out = join(folder, format)
    const { code, stderr } = await lcmHere(['export', '--db', path, '--format', format, '--sanitize', '-o', out])
    expect([format, code, stderr]).toEqual([format, 0, ''])
    const lines = readFileSync(out, 'utf8').split('\n')
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.filter((line) => line.includes(WHO)).map((line) => `${format}: ${line.slice(0, 400)}`)).toEqual([])
  }
}

describe('a sanitized export', () => {
  it.each([nativeWriter, ...WRITERS].map((writer) => [writer.name, writer] as const))(
    'contains nothing of the secrets planted in all fields of %s',
    async (_name, writer) => exportedAll(planted(writer, [...PATHS, ...SECRETS])),
  )

  it('contains no secret in any order and between any characters (property)', async () => {
    const around = fc.constantFrom('', ' ', '(', '"', "'", '`', '=', ',', '[', '<', '\t')
    const text = fc.tuple(around, fc.constantFrom(...PATHS, ...SECRETS), around).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 9 }), async (texts) =>
        exportedAll(planted(nativeWriter, texts)),
      ),
      { numRuns: 6 },
    )
  })

  it('does not contain the path that an import uses as the name of a session', async () => {
    const folder = temporaryFolder()
    const transcript = join(folder, `${WHO} chat.json`)
    writeFileSync(
      transcript,
      JSON.stringify([
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
      ]),
    )
    const db = join(folder, 'memory.db')
    expect((await lcmHere(['import', transcript, '--db', db])).code).toBe(0)
    await exportedAll(db)
  })
})
