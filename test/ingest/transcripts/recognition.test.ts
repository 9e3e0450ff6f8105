import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TRANSCRIPT_FORMATS } from '#core/contract/import.ts'
import { recogniseTranscript, transcriptFormats, whyNoTranscript } from '#core/ingest/transcripts/formats.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeJson, writeLines } from '#test/builders/transcript-rows.ts'

describe('the recognition of a format by its content', () => {
  it('has one reader for each name in the contract', () => {
    expect(transcriptFormats.map(({ id }) => id).toSorted()).toEqual([...TRANSCRIPT_FORMATS].toSorted())
  })

  it('accepts a first record that is longer than what is read at first', () => {
    const big = 'x'.repeat(400_000)
    const record = {
      parentUuid: null,
      uuid: 'u',
      sessionId: 's',
      type: 'user',
      message: { role: 'user', content: big },
    }
    expect(recogniseTranscript(writeLines([record]))?.format.id).toBe('claude-code')
    const late = { type: 'user', message: { role: 'user', content: big }, uuid: 'u', sessionId: 's' }
    expect(recogniseTranscript(writeLines([late]))?.format.id).toBe('claude-code')
    const session = { messages: [{ id: 'a', type: 'user', content: big }], sessionId: 's', projectHash: 'p' }
    expect(recogniseTranscript(writeJson(session))?.format.id).toBe('gemini-cli')
  })

  it('ignores broken and foreign lines before the records', () => {
    const lines = ['oops', '{"half":', '{"level":"info","msg":"started"}']
    const record = { uuid: 'u', sessionId: 's', type: 'user', message: { role: 'user', content: 'hi' } }
    expect(recogniseTranscript(writeLines([...lines, record, record]))?.format.id).toBe('claude-code')
    for (const torn of ['{"half":', '{"type":"user","message":{"role":"us', '{"uuid":"u"', '{"a":{"b":[1,2']) {
      expect(recogniseTranscript(writeLines([torn, record, record]))?.format.id, torn).toBe('claude-code')
      expect(recogniseTranscript(writeLines([torn, ...lines, record, record]))?.format.id, torn).toBe('claude-code')
    }
  })
})

describe('a file that is no transcript', () => {
  const others: Record<string, unknown> = {
    'a package': { name: 'shop', version: '1.0.0', type: 'module', dependencies: {} },
    'a lock file': { name: 'shop', lockfileVersion: 3, packages: { '': { name: 'shop' } } },
    'a list of users': [
      { id: 1, name: 'Ann', role: 'user' },
      { id: 2, name: 'Bo', role: 'admin' },
    ],
    'roles and their rights': [
      { role: 'user', content: ['read'] },
      { role: 'admin', content: ['read', 'write'] },
    ],
    'a dialogue without roles': [{ name: 'film', messages: [{ message: 'hello', attrs: [] }, { message: 'hi' }] }],
    'persona chats': [{ persona: ['I like tea.'], dialogue: [['hello', 'hi']] }],
    'questions and answers': { version: '1.1', data: [{ title: 'x', paragraphs: [{ context: 'c', qas: [] }] }] },
    'an API description': { openapi: '3.0.1', info: { title: 'Shop', version: '1' }, paths: {} },
    'messages of an app': {
      messages: [
        { id: 'greeting', text: 'Hello' },
        { id: 'bye', text: 'Bye' },
      ],
    },
    'an empty list': [],
    'an empty object': {},
    'a chart': { type: 'bar', data: { labels: ['a'], datasets: [] }, options: {} },
    'a map': { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: null, properties: {} }] },
  }

  it.each(Object.keys(others))('is not recognised as one: %s', (name) => {
    for (const path of [
      writeJson(others[name]),
      writeJson(JSON.stringify(others[name], null, 2)),
      writeLines([others[name], others[name]]),
    ]) {
      expect(recogniseTranscript(path)).toBeNull()
    }
  })

  it('is not recognised when it is a log, a table, prose, a picture or empty', () => {
    const folder = temporaryFolder()
    const put = (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    for (const path of [
      put('log.jsonl', '{"level":30,"time":1,"msg":"x","type":"message"}\n{"level":30,"type":"session","id":7}\n'),
      put('events.jsonl', '{"type":"message","timestamp":1,"text":"hi"}\n{"type":"compaction","timestamp":2}\n'),
      put('table.json', 'a,b\n1,2\n'),
      put('notes.md', '# Notes\n\n- user: none\n'),
      put('picture.json', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1])),
      put('empty.jsonl', ''),
      put('blank.json', ' \n\n'),
    ]) {
      expect([path, recogniseTranscript(path)]).toEqual([path, null])
      expect(whyNoTranscript(path)).toMatch(/not a transcript in a known format/)
    }
  })

  it('is not recognised for any JSON value', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'x.json')
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), fc.boolean(), (values, isPretty) => {
        writeFileSync(path, values.map((value) => JSON.stringify(value, null, isPretty ? 2 : 0)).join('\n'))
        expect(recogniseTranscript(path)).toBeNull()
      }),
      { numRuns: runs(100) },
    )
  })

  it('is skipped in a folder with the reason, and does not make the import fail', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    writeJson(others['a package'], 'package.json', folder)
    writeLines([{ role: 'user', content: 'hello' }], 'a.jsonl', folder)
    const result = await runImport(memory.db, [folder])
    expect(result.files).toMatchObject([{ format: 'messages', added: 1, error: null }])
    expect(result.passedOver).toEqual([
      {
        path: join(folder, 'package.json'),
        reason: expect.stringMatching(/^a JSON object without messages of a known shape/),
      },
    ])
  })

  it('is refused with the reason when the caller names a format', async () => {
    using memory = buildMemory()
    const path = writeJson(others['a package'])
    await expect(runImport(memory.db, [path], { format: 'codex' })).rejects.toMatchObject({
      code: 'transcript_unreadable',
      message: expect.stringMatching(/holds nothing that Codex writes/),
    })
  })
})
