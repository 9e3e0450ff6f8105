// Several commands for each of many memories, each opened anew, take twenty seconds together.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RECORD } from '#test/recorded/recording.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { askReading, askWriting, DocumentRecorder, type Record } from './recorded-documents.ts'

const RECORDED = join(import.meta.dirname, 'recorded-documents.json')
const resources = join(import.meta.dirname, '../../../resources')
const sample = join(resources, 'sample.db')

const FILES = ['lossless-claw/corrupt/dag_cycle.db', 'hermes-lcm/small.db', 'pi-lcm/small.db']

const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as { readonly [memory: string]: Record }
const now: { [memory: string]: Record } = {}

function hold(name: string, { record }: DocumentRecorder): void {
  now[name] = record
  if (RECORD === '') expect(record, `the documents about ${name}`).toEqual(recorded[name])
}

afterAll(() => {
  if (RECORD === 'write') writeFileSync(RECORDED, `${JSON.stringify(now, null, 2)}\n`)
})

describe('the document that a command prints with --json', () => {
  it.each(FILES)('is as recorded for every command that reads %s', async (file) => {
    const recorder = new DocumentRecorder(file)
    await askReading(recorder, recorder.copy(join(FIXTURES, file), 'memory.db'))
    hold(file, recorder)
  })

  it('is as recorded for every command that reads the sample', async () => {
    const recorder = new DocumentRecorder('sample')
    await askReading(recorder, recorder.copy(sample, 'memory.db'))
    hold('sample', recorder)
  })

  it('is as recorded for every command that writes', async () => {
    const recorder = new DocumentRecorder('written')
    await askWriting(recorder, sample, recorder.copy(join(resources, 'sample.jsonl'), 'transcript.jsonl'))
    hold('written', recorder)
  })
})
