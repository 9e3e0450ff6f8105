import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { document, lcm, type Ran } from './lcm.ts'
import { writeLong } from './memories.ts'

const Item = z.object({ ordinal: z.int(), id: z.string(), tokens: z.int(), included: z.boolean(), reason: z.string() })
const Past = z.object({
  tokens: z.int(),
  budget: z.int(),
  pressure: z.number(),
  items: z.array(Item),
  reconstructed: z.boolean(),
  at: z.iso.datetime().nullable(),
  events: z.int(),
})
const Difference = z.object({
  before: Past.omit({ items: true }),
  after: Past.omit({ items: true }),
  left: z.array(Item),
  entered: z.array(Item),
  stayed: z.int(),
})
const Compacted = z.object({ runId: z.string(), created: z.array(z.object({ id: z.string(), depth: z.int() })) })
const Plan = z.object({ steps: z.array(z.object({ depth: z.int() })), skipped: z.string().nullable() })

let db = ''
let first: z.infer<typeof Compacted>
const past = (at: string, ...more: string[]) => document(Past, ['context', '--db', db, '--at', at, ...more])
const ids = ({ items }: z.infer<typeof Past>): string[] => items.map((item) => item.id)

beforeAll(async () => {
  const folder = temporaryFolder()
  db = join(folder, 'lcm.db')
  writeLong(folder)
  const ran = await lcm(['import', folder, '--db', db])
  if (ran.code !== 0) throw new Error(ran.stderr)
  first = await document(Compacted, ['compact', '--db', db, '--set', 'leafChunkTokens=900'])
})

describe('lcm context --at', () => {
  it('shows the window after a message as it was before a compaction', async () => {
    const context = await past('msg_20')
    expect(ids(context)).toEqual(Array.from({ length: 20 }, (_, index) => `msg_${index + 1}`))
    expect(context).toMatchObject({ events: 0, reconstructed: false })
  })

  it('shows the window after each event, after a run, and now', async () => {
    const one = await past('1')
    expect(ids(one)[0]).toBe(first.created[0]?.id)
    expect(one).toMatchObject({ events: 1, reconstructed: false })
    const [run, now] = [await past(first.runId), await past('now')]
    expect(ids(run)).toEqual(ids(now))
    expect(now.events).toBe(first.created.length)
  })

  it('shows the window at a time, with the given budget and fresh tail', async () => {
    const { at } = await past('msg_20')
    const context = await past(at ?? '', '--budget', '500', '--fresh-tail', '2')
    expect(ids(context)).toHaveLength(20)
    expect(context.budget).toBe(500)
    expect(context.items.slice(-2).map((item) => item.reason)).toEqual(
      expect.arrayContaining([expect.stringContaining('among the newest messages')]),
    )
  })

  it('renders what would have been sent at that moment', async () => {
    const Rendered = z.object({ messages: z.array(z.unknown()), system: z.string().nullable() })
    const then = await document(Rendered, ['context', '--db', db, '--at', 'msg_1', '--render', 'openai'])
    expect(then.messages).toHaveLength(1)
  })

  it('names the moment in its text', async () => {
    const ran = await lcm(['context', '--db', db, '--at', 'msg_2'])
    expect(ran.stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z · after 0 compaction events\n[\d,]+ of 200,000 tokens/)
  })

  it.each([
    ['--at', 'yesterday', 2],
    ['--at', 'msg_99999', 1],
    ['--at', '99999', 1],
    ['--at', 'run_nobody', 1],
    ['--diff', 'msg_1', 2],
    ['--diff', 'msg_1..msg_2..now', 2],
    ['--preset', 'nobody', 2],
  ])('refuses %s %s with one line and exit code %i', async (option, value, code) => {
    const ran: Ran = await lcm(['context', '--db', db, option, value])
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toMatch(/^lcm: (invalid_argument|not_found): .+\n$/)
  })

  it('refuses --at together with --diff', async () => {
    const ran = await lcm(['context', '--db', db, '--at', 'now', '--diff', 'msg_1..now'])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('--at')])
  })
})

describe('lcm context --diff', () => {
  it('lists the items that left, entered and stayed', async () => {
    const difference = await document(Difference, ['context', '--db', db, '--diff', 'msg_20..now'])
    const [then, now] = [ids(await past('msg_20')), ids(await past('now'))]
    const after = then.filter((id) => !difference.left.some((item) => item.id === id))
    for (const item of difference.entered) after.splice(item.ordinal, 0, item.id)
    expect(after).toEqual(now)
    expect(difference.before.events).toBe(0)
  })

  it('shows the difference as lines that were removed and added', async () => {
    const ran = await lcm(['context', '--db', db, '--diff', '1..now'])
    expect(ran.stdout).toMatch(/^from .+\nto {3}.+ left, .+ entered, .+ stayed\n/s)
    expect(ran.stdout).toMatch(/^− {2}(msg|sum)_/m)
    expect(ran.stdout).toMatch(/^\+ {2}sum_/m)
  })
})

describe('the option --preset', () => {
  it('plans a compaction with the values of that system', async () => {
    const plan = await document(Plan, ['compact', '--db', db, '--plan', '--preset', 'lossless-claw'])
    const all = await document(Plan, ['compact', '--db', db, '--plan', '--preset', 'spec', '--set', 'freshTailCount=0'])
    expect(plan.steps.length).toBe(0)
    expect(plan.skipped).toMatch(/newest 64.*At least 8/s)
    expect(all.skipped).not.toEqual(plan.skipped)
  })

  it('gives the context its budget and fresh tail, which other options override', async () => {
    const Context = z.object({ budget: z.int(), freshTailCount: z.int() })
    const options = ['context', '--db', db, '--preset', 'argentos']
    expect(await document(Context, options)).toEqual({ budget: 128_000, freshTailCount: 32 })
    expect(await document(Context, [...options, '--fresh-tail', '1'])).toEqual({ budget: 128_000, freshTailCount: 1 })
  })

  it('compacts with the values of that system', async () => {
    const folder = temporaryFolder()
    const other = join(folder, 'lcm.db')
    writeLong(folder)
    await lcm(['import', folder, '--db', other])
    const { created } = await document(Compacted, [
      'compact',
      '--db',
      other,
      '--preset',
      'lossless-claw',
      '--set',
      'leafChunkTokens=900',
    ])
    expect(Math.max(...created.map((node) => node.depth))).toBeLessThanOrEqual(1)
    const tail = await document(Past.pick({ items: true }), ['context', '--db', other])
    expect(tail.items.filter((item) => item.id.startsWith('msg_')).length).toBeGreaterThanOrEqual(64)
  })
})

it('lcm context --at marks the past of a file of another system as reconstructed', async () => {
  const file = join(FIXTURES, 'lossless-claw/small.db')
  const context = await document(Past, ['context', '--db', file, '--at', '3'])
  expect(context).toMatchObject({ events: 3, reconstructed: true })
  expect((await document(Past, ['context', '--db', file, '--at', 'now'])).reconstructed).toBe(false)
  const ran = await lcm(['context', '--db', file, '--at', '3'])
  expect(ran.stdout).toContain('reconstructed from creation times')
})
