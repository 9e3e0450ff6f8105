// Starts and kills real processes, which takes more than 5 s.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ended, startLcm } from './lcm.ts'

/** Lists the command lines of running processes that hold a text. */
function processesWith(text: string): string[] {
  const lines =
    process.platform === 'linux' ? fromProc() : execFileSync('ps', ['-Ao', 'args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(text))
}

function fromProc(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        // It has ended meanwhile.
        return ''
      }
    })
}

const SIGNALS = ['SIGKILL', 'SIGHUP'] as const
const LOOKS = { interval: 50, timeout: 30_000 }

/** A number that stands in the arguments of one test's processes alone. */
const number = (): string => String(10_000_000 + (randomBytes(4).readUInt32LE() % 80_000_000))

describe('a process whose parent has ended', () => {
  it.each(SIGNALS)('the process of a statement ends in the middle of it (%s)', async (signal) => {
    using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
    const endless = 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    const before = processesWith('statement-process').length
    const child = startLcm(['sql', endless, '--db', memory.path, '--timeout', '600'])
    const ran = ended(child)
    await expect.poll(() => processesWith('statement-process').length, LOOKS).toBeGreaterThan(before)
    // It is in its statement when nothing is sent any more, which a moment later it is.
    await new Promise((later) => setTimeout(later, 700))
    child.kill(signal)
    await ran
    await expect.poll(() => processesWith('statement-process').length, LOOKS).toBe(before)
  })

  it.each(SIGNALS)(
    'a command of a map ends with all that it has started, also in sessions of their own (%s)',
    async (signal) => {
      const folder = temporaryFolder()
      const input = join(folder, 'items.jsonl')
      const script = join(folder, 'work.sh')
      const mark = number()
      writeFileSync(input, '1\n')
      // One child, one in a session of its own, and one there whose parent has ended.
      writeFileSync(
        script,
        `sleep ${mark} & setsid sleep ${mark} & (setsid sleep ${mark} &) ; trap '' TERM HUP INT; sleep ${mark}; sleep ${mark}`,
      )
      const child = startLcm([
        ...['map', 'agentic', '--input', input, '--retain', 'all', '--record', folder],
        ...['--', '/bin/bash', script],
      ])
      const ran = ended(child)
      await expect.poll(() => processesWith(`sleep ${mark}`).length, LOOKS).toBe(4)
      child.kill(signal)
      await ran
      await expect.poll(() => processesWith(mark).length, LOOKS).toBe(0)
      await expect.poll(() => processesWith(`${folder}/work.sh`).length, LOOKS).toBe(0)
    },
  )

  it('nothing of a command that took too long is left, and what holds its pipes does not prolong its time', async () => {
    const folder = temporaryFolder()
    const input = join(folder, 'items.jsonl')
    const mark = number()
    writeFileSync(input, '1\n')
    const { code, stdout } = await ended(
      startLcm([
        ...[
          'map',
          'agentic',
          '--input',
          input,
          '--retain',
          'all',
          '--record',
          folder,
          '--retries',
          '0',
          '--timeout',
          '1',
        ],
        ...['--json', '--', '/bin/bash', '-c', `setsid sleep ${mark} & echo 1`],
      ]),
    )
    expect(code).toBe(1)
    expect(JSON.parse(stdout).results).toMatchObject([
      { status: 'failed', problem: 'The command took longer than 1 s.' },
    ])
    expect(processesWith(mark)).toEqual([])
  })

  it('leaves what a command that ended well has started in the background', async () => {
    const folder = temporaryFolder()
    const input = join(folder, 'items.jsonl')
    const mark = number()
    writeFileSync(input, '1\n')
    const { code } = await ended(
      startLcm([
        ...['map', 'agentic', '--input', input, '--retain', 'all', '--record', folder],
        ...['--', '/bin/bash', '-c', `setsid sleep ${mark} > /dev/null 2>&1 < /dev/null & echo $!`],
      ]),
    )
    expect(code).toBe(0)
    expect(processesWith(`sleep ${mark}`)).toHaveLength(1)
    const { output } = JSON.parse(
      (
        await ended(
          startLcm([
            'map',
            'agentic',
            '--input',
            input,
            '--retain',
            'all',
            '--record',
            folder,
            '--json',
            '--',
            '/bin/bash',
            '-c',
            `setsid sleep ${mark} > /dev/null 2>&1 < /dev/null & echo $!`,
          ]),
        )
      ).stdout,
    ).results[0]
    process.kill(Number(output), 'SIGKILL')
    await expect.poll(() => processesWith(`sleep ${mark}`).length, LOOKS).toBe(0)
  })
})
