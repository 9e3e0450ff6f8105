import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { told, writeJson } from '../builders/transcript-rows.ts'
import { plainWords, type TranscriptSample, transcriptSamples } from '../builders/transcript-samples.ts'

// Proves that a transcript with names that every JavaScript object inherits, endless depth or values of any other kind
// costs its own records alone: the other files of the command are imported, and no empty conversation is left.

/** Names that every object has, though no file gave them. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
const DEEP = 100_000
const nested = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`

const sound = JSON.stringify([{ role: 'user', content: 'A sound file.' }])

/** Every text that a program may look something up by. */
const NAMES =
  /"(?:role|type|subtype|operation|action|observation|source|subject|name|tool|status|event|field|id|callID)": ?"([^"]*)"/g

describe('the import of a hostile transcript', () => {
  it.each(INHERITED)(
    'skips only records with the role or type "%s": no inherited name is taken for a known one',
    async (name) => {
      using memory = buildMemory()
      const folder = temporaryFolder()
      writeJson(sound, 'z-sound.json', folder)
      for (const [index, sample] of transcriptSamples.entries()) {
        const text = sample.write(plainWords)
        let seen = 0
        // Every third of them, so that the file is still known for what it is.
        const hostile = text.replace(NAMES, (whole, value: string) => {
          seen += 1
          return seen % 3 === 0 ? whole.replace(`"${value}"`, `"${name}"`) : whole
        })
        writeJson(hostile, `${index}-${sample.fileName.replaceAll('/', '-')}`, folder)
      }
      const result = await runImport(memory.db, [folder])
      expect(told(memory)).toContain('user: A sound file.')
      expect(result.files.length).toBeGreaterThan(transcriptSamples.length / 2)
      expect(noEmptyConversation(memory.db)).toBe(true)
    },
  )

  it('reports a path that is missing, no file or no transcript, and imports the other files', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const [empty, pipe] = [join(folder, 'empty'), join(folder, 'pipe.jsonl')]
    mkdirSync(empty)
    if (process.platform !== 'win32') execFileSync('mkfifo', [pipe])
    const given = [join(folder, 'gone.jsonl'), empty, pipe, writeJson(sound, 'sound.json', folder)]
    const { files } = await runImport(memory.db, given)
    expect(files.map(({ path, error }) => [path, error === null])).toEqual(
      given.map((path, index) => [path, index === given.length - 1]),
    )
    expect(told(memory)).toEqual(['user: A sound file.'])
    const seen = await previewImport({ paths: given, db: null, clock: Date.now })
    expect(seen.files.map(({ error }) => error === null)).toEqual([false, false, false, true])
  })

  it('keeps the other messages of SWE-agent when one role is a name that objects inherit', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const history = [
      { role: 'constructor', content: 'no role' },
      { role: 'user', content: 'The task.' },
    ]
    writeJson({ environment: 'main', trajectory: [], history }, 'a.traj', folder)
    writeJson(sound, 'b.json', folder)
    const { files } = await runImport(memory.db, [folder])
    expect(files.map(({ error, skippedCount }) => [error, skippedCount])).toEqual([
      [null, 1],
      [null, 0],
    ])
    expect(told(memory)).toEqual(['user: The task.', 'user: A sound file.'])
  })

  const firstRecords: Record<string, string> = {
    'SWE-agent': `{"environment":"main","trajectory":[],"history":[{"role":"user","content":"x","extra":${nested}},{"role":"user","content":"The task."}]}`,
    'SWE-agent, steps': `{"environment":"main","trajectory":[{"action":"a","observation":"b","response":${nested}},{"action":"ls","observation":"The task.","response":"c"}]}`,
    'SWE-agent, rows': `{"trajectory":[{"role":"user","text":"x","extra":${nested}},{"role":"user","text":"The task."}]}\n{"trajectory":[{"role":"user","text":"The task."}]}`,
    'messages, lines': `{"role":"user","content":"x","extra":${nested}}\n{"role":"user","content":"The task."}`,
    'messages, a list': `[{"role":"user","content":"x","extra":${nested}},{"role":"user","content":"The task."},{"role":"user","content":"The task."}]`,
    'messages, one conversation': `{"messages":[{"role":"user","content":"x","extra":${nested}},{"role":"user","content":"The task."}]}`,
    OpenHands: `[{"action":"message","source":"user","args":{"content":"x","extra":${nested}}},{"action":"message","source":"user","args":{"content":"The task."}}]`,
    'Gemini CLI': `{"sessionId":"g","projectHash":"p","messages":[{"id":"1","type":"user","content":${nested}},{"id":"2","type":"user","content":"The task."}]}`,
    opencode: `{"info":{"id":"ses_1","directory":"/","time":{}},"messages":[{"info":{"role":"user"},"parts":[{"type":"file","x":${nested}}]},{"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":"The task."}]}]}`,
  }

  it.each(Object.entries(firstRecords))(
    'skips only the first record when it is nested 100,000 levels deep: %s',
    async (_, text) => {
      using memory = buildMemory()
      const folder = temporaryFolder()
      writeJson(text, 'a.json', folder)
      writeJson(sound, 'b.json', folder)
      const { files } = await runImport(memory.db, [folder])
      expect(files.map(({ error }) => error)).toEqual([null, null])
      expect(files[0]?.skippedCount).toBeGreaterThan(0)
      expect(told(memory).at(-1)).toBe('user: A sound file.')
      expect(told(memory).join()).toContain('The task.')
      expect(noEmptyConversation(memory.db)).toBe(true)
    },
  )

  it('makes no conversation of records that are nothing but nesting', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    for (const [index, text] of Object.values(firstRecords).entries()) {
      const only = text.replaceAll('The task.', '').replace(/,\{[^[]*\}\]/g, ']')
      writeJson(only, `${index}.json`, folder)
    }
    writeJson(nested, 'n.json', folder)
    writeJson(`{"a":${nested}}`, 'o.jsonl', folder)
    writeJson(sound, 'z.json', folder)
    await runImport(memory.db, [folder])
    expect(told(memory).at(-1)).toBe('user: A sound file.')
    expect(noEmptyConversation(memory.db)).toBe(true)
  })

  it.each(transcriptSamples)(
    'imports the other files, and makes no empty conversation, when any value of $name has another type',
    async ({ write, fileName }: TranscriptSample) => {
      const text = write(plainWords)
      const strange = ['null', '7', '[]', '{}', 'true', '[null]', '""', '[[]]', '{"__proto__":{"role":"user"}}']
      const places = [...text.matchAll(/": ?("[^"]*"|\d+|null|\{|\[)/g)].map(({ index }) => index)
      using memory = buildMemory()
      const folder = temporaryFolder()
      for (const [at, index] of places.entries()) {
        if (at % Math.ceil(places.length / 12) !== 0) continue
        const value = strange[at % strange.length] ?? ''
        const hostile = text.slice(0, index) + text.slice(index).replace(/^": ?("[^"]*"|\d+|null)/, `":${value}`)
        writeJson(hostile, `${at}-${fileName.split('/').at(-1)}`, folder)
      }
      writeJson(sound, 'z.json', folder)
      const { files } = await runImport(memory.db, [join(folder)])
      expect(files.filter(({ error }) => /shape|deep/.test(error ?? ''))).toEqual([])
      expect(told(memory).at(-1)).toBe('user: A sound file.')
      expect(noEmptyConversation(memory.db)).toBe(true)
    },
  )
})

const noEmptyConversation = (db: ReturnType<typeof buildMemory>['db']): boolean =>
  db.value('SELECT count(*) FROM conversations WHERE conversation_id NOT IN (SELECT conversation_id FROM messages)') ===
  0
