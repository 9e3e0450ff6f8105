import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogFiles } from '#core/activity/log-files.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const NOON_MS = Date.UTC(2026, 2, 2, 12)
const DAY_MS = 86_400_000
const limits = { fileBytes: 100, totalBytes: 350, days: 3 }
const line = (text: string): string => `${text.padEnd(39, '.')}\n`
const texts = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')

describe('the files of the log', () => {
  it('are private to the user, in a folder that is made for them', () => {
    const folder = join(temporaryFolder(), 'state', 'log')
    const files = new LogFiles(folder, limits)
    files.append(line('one'), NOON_MS)
    files.close()
    expect(readdirSync(folder)).toEqual(['lcm-2026-03-02-000.jsonl'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'lcm-2026-03-02-000.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('begin anew when one is full and on another day, and never hold half a line', () => {
    const folder = temporaryFolder()
    const files = new LogFiles(folder, limits)
    for (const text of ['a', 'b', 'c', 'd']) files.append(line(text), NOON_MS)
    files.append(line('e'), NOON_MS + DAY_MS)
    files.close()
    expect(readdirSync(folder).sort()).toEqual([
      'lcm-2026-03-02-000.jsonl',
      'lcm-2026-03-02-001.jsonl',
      'lcm-2026-03-03-000.jsonl',
    ])
    expect(texts(folder)).toBe(['a', 'b', 'c', 'd', 'e'].map(line).join(''))
  })

  it('hold every line of several writers at once, also where they rotate', () => {
    const folder = temporaryFolder()
    const writers = [1, 2, 3].map(() => new LogFiles(folder, { ...limits, totalBytes: 100_000 }))
    const written: string[] = []
    for (let round = 0; round < 20; round += 1) {
      for (const [index, files] of writers.entries()) {
        const text = line(`${index} ${round}`)
        files.append(text, NOON_MS)
        written.push(text)
      }
    }
    for (const files of writers) files.close()
    expect(texts(folder).split('\n').sort()).toEqual(written.join('').split('\n').sort())
    expect(readdirSync(folder).length).toBeGreaterThan(5)
  })

  it('are removed when they are too old or too many, and nothing else in the folder is', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    writeFileSync(join(folder, 'lcm-2026-02-20-000.jsonl'), line('old'))
    utimesSync(join(folder, 'lcm-2026-02-20-000.jsonl'), 1, 1)
    const files = new LogFiles(folder, limits)
    for (let count = 0; count < 20; count += 1) files.append(line(String(count)), NOON_MS)
    files.close()
    const names = readdirSync(folder)
    expect(names).toContain('notes.txt')
    expect(names).not.toContain('lcm-2026-02-20-000.jsonl')
    expect(texts(folder)).toContain(line('19'))
    expect(texts(folder)).not.toContain(line('2'))
    expect(names.length).toBeLessThan(6)
  })

  it('lose lines instead of failing while their folder cannot be written, and go on when it can', () => {
    const folder = join(temporaryFolder(), 'log')
    writeFileSync(folder, 'a file in the place of the folder')
    const files = new LogFiles(folder, limits)
    expect(() => files.append(line('lost'), NOON_MS)).not.toThrow()
    const free = new LogFiles(temporaryFolder(), limits)
    chmodSync(free.folder, 0o700)
    free.append(line('kept'), NOON_MS)
    free.close()
    expect(texts(free.folder)).toBe(line('kept'))
  })
})
