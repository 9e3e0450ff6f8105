import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogFiles } from '#core/activity/log-files.ts'
import { readLog } from '#core/activity/log-reader.ts'
import { EventLogger } from '#core/activity/logger.ts'
import { type LineLevel, LogInput, type LogLine } from '#core/contract/activity.ts'
import { LcmError } from '#core/errors.ts'
import { errorFields, type LogEvent } from '#core/log.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const MEMORY = '0123456789ab'
const NOON_MS = Date.UTC(2026, 2, 2, 12)
const event = (n: number, spec: Partial<LogEvent> = {}): LogEvent => ({
  atMs: NOON_MS + n * 1000,
  level: 'info',
  source: 'search',
  event: 'search.done',
  fields: { memory: MEMORY, hits: n },
  ...spec,
})

/** A log of these events, in files that hold a few lines each. */
function logOf(events: readonly LogEvent[], level: LineLevel = 'debug'): string {
  const folder = temporaryFolder()
  const files = new LogFiles(folder, { fileBytes: 2000, totalBytes: 10_000_000, days: 7 })
  const logger = new EventLogger(files, level)
  for (const one of events) logger.write([one], one.atMs)
  files.close()
  return folder
}
const read = async (folder: string, input: Parameters<typeof LogInput.parse>[0] = {}) =>
  readLog(folder, LogInput.parse(input), MEMORY)
const hitsOf = (lines: readonly LogLine[]): (number | undefined)[] => lines.map(({ hits }) => hits)

describe('the log', () => {
  it('is read newest first, page after page, over all its files, and every line is there once', async () => {
    const folder = logOf(Array.from({ length: 100 }, (_, n) => event(n)))
    const seen: (number | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await read(folder, { limit: 7, ...(cursor && { cursor }) })
      seen.push(...hitsOf(page.lines))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => 99 - n))
  })

  it('is filtered by memory, level, source, time and words', async () => {
    const folder = logOf([
      event(1),
      event(2, { fields: { memory: 'ffffffffffff', hits: 2 } }),
      event(3, { level: 'debug' }),
      event(4, { source: 'job', event: 'job.failed', level: 'warn' }),
      event(5, { fields: { hits: 5 } }),
    ])
    expect(hitsOf((await read(folder)).lines)).toEqual([5, undefined, 1].map((hits) => hits ?? 4))
    expect(hitsOf((await read(folder, { of: 'all', levels: ['debug', 'info'] })).lines)).toEqual([5, 3, 2, 1])
    expect(hitsOf((await read(folder, { sources: ['job'] })).lines)).toEqual([4])
    expect(hitsOf((await read(folder, { sinceMs: NOON_MS + 4000 })).lines)).toEqual([5, 4])
    expect(hitsOf((await read(folder, { untilMs: NOON_MS + 1000 })).lines)).toEqual([1])
    expect(hitsOf((await read(folder, { query: 'job.failed' })).lines)).toEqual([4])
    expect(hitsOf((await read(folder, { query: '-job' })).lines)).toEqual([5, 1])
    expect((await read(folder, { levels: ['info'] })).counts).toEqual({ debug: 1, info: 2, warn: 1, error: 0 })
  })

  it('passes over half a line, and over lines that are not its own', async () => {
    const folder = logOf([event(1)])
    writeFileSync(join(folder, 'lcm-2026-03-09-000.jsonl'), '{"level":"info"}\nnothing\n{"time":"2026-03-0')
    expect(hitsOf((await read(folder)).lines)).toEqual([1])
  })

  it('holds no line below its level', async () => {
    const folder = logOf([event(1, { level: 'debug' }), event(2), event(3, { level: 'error' })], 'warn')
    const { lines } = await read(folder, { levels: ['debug', 'info', 'warn', 'error'] })
    expect(hitsOf(lines)).toEqual([3])
  })

  it('hides whatever is no word, such as a text in the place of an id', async () => {
    const fields = { memory: MEMORY, summary_id: 'what was said to nobody', session_id: `s${'x'.repeat(500)}` }
    const { lines } = await read(logOf([event(1, { fields })]))
    expect(lines[0]).toMatchObject({ summary_id: '(23_characters)', session_id: '(501_characters)' })
  })
})

describe('an error in the log', () => {
  it('has a code and no message', () => {
    expect(errorFields(new LcmError('not_found', 'There is no "secret".'))).toEqual({ error_code: 'not_found' })
  })

  it('has its class and where it came from when it is unexpected, and no message, however that looks', () => {
    const error = new TypeError('secret\n    at secret (secret.ts:1:2)')
    const fields = errorFields(error)
    expect(fields).toMatchObject({ error_code: 'internal', error_name: 'TypeError' })
    expect(fields.stack?.length).toBeGreaterThan(1)
    expect(fields.stack?.[0]).toContain('log.test.ts:')
    expect(JSON.stringify(fields)).not.toMatch(/secret|\/test\//)
  })
})
