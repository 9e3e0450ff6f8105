import { join } from 'node:path'
import type { WriteStream } from 'node:tty'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { flagsOf } from '#core/doors/cli/input/flags.ts'
import { time } from '#core/doors/cli/input/parse.ts'
import { ProgressLine } from '#core/doors/cli/interruptible.ts'
import { toCliJson } from '#core/doors/cli/output/cli-json.ts'
import { printable } from '#core/doors/cli/output/printable.ts'
import { oneLine, percent, table } from '#core/doors/cli/output/text.ts'
import { sizeText } from '#core/text.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeJson } from '#test/builders/transcript-rows.ts'
import * as documents from './documents.ts'
import { document, lcm, lcmHere, onTerminal } from './lcm.ts'
import { importedMemory, type TwoConversations } from './memories.ts'

/** What moves a cursor, rings, recolours or turns text around; line breaks and tabs are ours. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u

describe('the text output of a command', () => {
  let memory: TwoConversations
  let summary: string
  beforeAll(async () => {
    memory = await importedMemory()
    const settings = ['leafChunkTokens=50', 'freshTailCount=0', 'minMessagesToCompact=1'].flatMap((one) => [
      '--set',
      one,
    ])
    const { created } = await document(documents.Compact, [
      'compact',
      '--db',
      memory.db,
      '--conversation',
      '2',
      ...settings,
    ])
    summary = created[0]?.id ?? ''
  })

  const commands = (): string[][] => [
    ['stats'],
    ['tree', '--conversation', '2'],
    ['context', '--conversation', '2'],
    ['context', '--conversation', '2', '--render', 'openai'],
    ['grep', 'hostile'],
    ['grep', 'hostile', '--full'],
    ['describe', 'msg_161'],
    ['describe', 'msg_162'],
    ['describe', summary],
    ['expand', summary, '--messages', '--token-cap', '100000'],
    ['lineage', 'msg_161'],
    ['integrity'],
    ['compact', '--conversation', '1', '--plan'],
  ]

  it('contains no control characters of a conversation on a terminal', async () => {
    onTerminal()
    for (const command of commands()) {
      const { stdout, stderr, code } = await lcmHere([...command, '--db', memory.db])
      // A compaction without a fresh tail prints a warning.
      expect([code, stderr], command.join(' ')).toEqual([command[0] === 'integrity' ? 3 : 0, ''])
      expect(stdout.length).toBeGreaterThan(0)
      expect(OBEYED.exec(stdout)?.index, command.join(' ')).toBeUndefined()
    }
  })

  it('names in an import the messages that differ from what is stored', async () => {
    const said = (content: string): string => writeJson([{ id: 'm-1', role: 'user', content }], 'talk.json', home)
    const home = temporaryFolder()
    const db = join(home, 'lcm.db')
    expect((await lcmHere(['import', said('yes'), '--db', db])).stdout).not.toContain('differ')
    const { stdout, code } = await lcmHere(['import', said('no'), '--db', db])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 message differs from what is stored')])
    expect(stdout).toContain('"lcm coverage" names it, and an import into a new file has what the transcript says now')
  })

  it('says in an import how many messages are complete now that an earlier one found half written', async () => {
    const home = temporaryFolder()
    const story = new TranscriptBuilder()
    story.user('go')
    story.answer('msg_1', [text('first')])
    const imported = async () => (await lcmHere(['import', story.write(), '--db', join(home, 'lcm.db')])).stdout
    expect(await imported()).not.toContain('complete')
    story.answer('msg_1', [text('second')])
    expect(await imported()).toContain('0 messages added, 2 already there (1 of them complete now), 0 lines skipped')
  })

  it('contains no control characters as JSON either, and parses to the original text', async () => {
    const ran = await lcm(['describe', 'msg_161', '--db', memory.db, '--json'])
    expect(OBEYED.test(ran.stdout)).toBe(false)
    const { content } = documents.Description.parse(JSON.parse(ran.stdout))
    expect(content).toContain('\u001b[31mred\u001b[0m')
    expect(content).toContain('\u009b31m')
    expect(content).toContain('\u202eesrever\u202c')
  })

  it('shows control characters as escapes on a terminal', async () => {
    onTerminal()
    const { stdout } = await lcmHere(['describe', 'msg_161', '--db', memory.db])
    expect(stdout).toContain('\\u001b[31mred\\u001b[0m')
    expect(stdout).toContain('<script>alert(1)</script>')
  })

  it('ends with a line break, and --help lists every command', async () => {
    const help = await lcm(['--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toMatch(/^ {2}stats {2,}count/m)
    expect(help.stdout).toMatch(/^ {2}describe <id> {2,}everything/m)
    for (const command of [
      'stats',
      'tree',
      'import',
      'compact',
      'context',
      'grep',
      'describe',
      'expand',
      'integrity',
      'serve',
      'open',
    ])
      expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    expect((await lcm(['grep', '--help'])).stdout).toContain('--group-by')
    expect((await lcm(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('names a file with control characters without printing them', async () => {
    const { stderr } = await lcm(['stats', '--db', '/nowhere/\u001b[31mred\u202e.db'])
    expect(stderr).toMatch(/^lcm: file_missing: .*\\u001b\[31mred\\u202e\.db/)
    expect(OBEYED.test(stderr)).toBe(false)
  })
})

it('lcm grep calls a hit visible in the window only when the summary there contains it', async () => {
  using memory = buildMemory()
  const conversation = memory.conversation()
  const said = ['The payroll failed with PAY-1187.', 'PAY-1187 was charged twice.', 'PAY-1187 is open.']
  const [kept = 0, dropped = 0, last = 0] = memory.messages(conversation, said)
  memory.leaf(conversation, [kept], { id: 'sum_keeps', content: 'A payroll run failed (PAY-1187).' })
  memory.leaf(conversation, [dropped], { id: 'sum_drops', content: 'A customer paid twice.' })
  memory.window(conversation, ['sum_keeps', 'sum_drops', last])
  const { stdout } = await lcmHere(['grep', 'PAY-1187', '--scope', 'messages', '--sort', 'oldest', '--db', memory.path])
  const places = stdout.split('\n').filter((line) => line.startsWith('msg_'))
  expect(places.map((line) => line.split(' · ').at(-1))).toEqual([
    'seen in sum_keeps',
    'covered by sum_drops',
    'in the window',
  ])
})

describe('the formatting of text', () => {
  it('makes columns as wide as their widest cell, aligns numbers right, and keeps cells in one line', () => {
    expect(
      table(
        ['name', 'n'],
        [
          ['a\nb', 1],
          ['long name', 12345],
        ],
      ),
    ).toBe('name            n\na b             1\nlong name  12,345')
  })

  it('adds units to sizes and shares', () => {
    expect([sizeText(0), sizeText(999), sizeText(1500), sizeText(2_100_000), sizeText(3e9)]).toEqual([
      '0 B',
      '999 B',
      '1.5 kB',
      '2.1 MB',
      '3.0 GB',
    ])
    expect([percent(0), percent(0.00015), percent(0.0456), percent(0.62), percent(1.5)]).toEqual([
      '0.0 %',
      '< 0.1 %',
      '4.6 %',
      '62 %',
      '150 %',
    ])
  })

  it('cuts a line at its width, between characters', () => {
    expect(oneLine('a\n\n b\t c')).toBe('a b c')
    expect(oneLine('🙂'.repeat(20), 10)).toBe(`${'🙂'.repeat(4)}…`)
    expect(oneLine('日本語のタイトル', 9)).toBe('日本語の…')
    expect(oneLine('👩‍👩‍👧‍👦'.repeat(9), 6)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦…')
    expect(oneLine('e\u0301'.repeat(9), 4)).toBe(`${'e\u0301'.repeat(3)}…`)
  })

  it('keeps every script and emoji unchanged', () => {
    const fine = 'größer 検索 ค้นหา بحث 👩‍👩‍👧 \n\t ~'
    expect(printable(fine)).toBe(fine)
  })

  it('reads times as ISO 8601, and as UTC when they have no zone', () => {
    const noon = Date.UTC(2026, 1, 13, 12)
    for (const text of [
      '2026-02-13T12:00:00Z',
      '2026-02-13 12:00',
      '2026-02-13T14:00:00.000+02:00',
      '2026-02-13T12:00:00,0',
    ])
      expect(time(text)).toBe(noon)
    expect(time('2026-02-13')).toBe(Date.UTC(2026, 1, 13))
    for (const text of ['', 'yesterday', 'foo 1', '1', '2026-13-01', '2026-02-13T25:00', '13.02.2026'])
      expect(() => time(text), text).toThrow(/Expected a time/)
  })

  it('accepts only whole numbers in their range', () => {
    const [limit] = flagsOf(z.object({ limit: z.int().min(0).max(10) }))
    expect(limit?.read('7')).toBe(7)
    for (const text of ['', '1.5', '1e1', '0x1', '-1', '11', 'seven', ' '])
      expect(() => limit?.read(text), text).toThrow(/whole number from 0 to 10/)
  })

  it('turns milliseconds into ISO times everywhere in a document', () => {
    expect(toCliJson({ createdAtMs: 0, list: [{ updatedAtMs: null }], durationMs: 5, at: 1 })).toEqual({
      createdAt: '1970-01-01T00:00:00.000Z',
      list: [{ updatedAt: null }],
      durationMs: 5,
      at: 1,
    })
  })
})

it('lcm integrity counts the checks that ran', async () => {
  const { db } = await importedMemory()
  const { checks } = await document(documents.Integrity, ['integrity', '--db', db])
  const ran = checks.filter((check) => check.notApplicable === null).length
  expect(ran).toBeLessThan(checks.length)
  expect((await lcmHere(['integrity', '--db', db])).stdout).toContain(` ${ran} checks over `)
})

describe('the width of text on a terminal', () => {
  it('aligns the columns of a table under Chinese, Japanese and Korean characters, emoji and accents', () => {
    const names = ['plain', '返金の丸め', '환불 반올림', '退款四舍五入', '👩‍👩‍👧‍👦 family', 'cafe\u0301', 'ｆｕｌｌ']
    const lines = table(
      ['name', 'tokens'],
      names.map((name, n) => [name, 10 ** n]),
    ).split('\n')
    const ends = lines.map((line) => stringWidth(line))
    expect(new Set(ends).size, lines.join('\n')).toBe(1)
  })

  const shown = (columns: number | undefined, note: string): string => {
    const written: string[] = []
    const stream = { isTTY: true, columns, write: (text: string) => written.push(text) }
    new ProgressLine(stream as unknown as WriteStream).show({ done: 1, total: 2, unit: 'bytes', note })
    return (written[0] ?? '').replace('\r\x1b[2K', '')
  }

  it.each([0, undefined])('shows the progress line where the terminal reports a width of %s', (columns) => {
    expect(shown(columns, 'Importing a.jsonl')).toMatch(/^█{12}░{12} 50 % {2}Importing a\.jsonl$/)
  })

  it('never lets the progress line reach the edge, where it would wrap', () => {
    for (const columns of [1, 2, 20, 40, 80])
      expect(stringWidth(shown(columns, `Importing 返金の丸め\n${'長い'.repeat(60)}`))).toBeLessThan(columns)
    expect(OBEYED.test(shown(80, 'a\nb\tc\u001b[2J'))).toBe(false)
    expect(shown(80, 'a\nb\tc')).toContain('a b c')
  })
})
