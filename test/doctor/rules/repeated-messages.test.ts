import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROLES } from '#core/contract/lists.ts'
import { type Compared, findRepetitions, type Repetition } from '#core/doctor/rules/repeated-messages.ts'
import { runs } from '#test/builders/property-runs.ts'

type Said = {
  readonly role: (typeof ROLES)[number]
  readonly text: string
  readonly at: number
  readonly call?: string
}

const MINUTE = 60_000

function repetitions(said: readonly Said[], own: Partial<Compared> = {}): readonly Repetition[] {
  const texts = [...new Set(said.map(({ role, text }) => `${role} ${text}`))]
  const calls = said.flatMap(({ call, role }, position) => {
    const isAgain = said.filter((other) => other.call === call && other.role === role).length > 1
    return call !== undefined && isAgain ? [[position, [call]] as const] : []
  })
  const work = findRepetitions({
    messages: {
      ranges: [{ conversationId: 1, from: 0, to: said.length }],
      roles: Uint8Array.from(said, ({ role }) => ROLES.indexOf(role)),
      createdAtMs: Float64Array.from(said, ({ at }) => at),
    },
    prints: Float64Array.from(said, ({ role, text }) => texts.indexOf(`${role} ${text}`)),
    isBlank: Uint8Array.from(said, ({ text }) => (text === '' ? 1 : 0)),
    calls: new Map(calls),
    hasCallIds: true,
    hasOwnTimes: true,
    ...own,
  })
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value
}

const user = (text: string, at: number): Said => ({ role: 'user', text, at })
const assistant = (text: string, at: number, call?: string): Said => ({
  role: 'assistant',
  text,
  at,
  ...(call ? { call } : {}),
})
const tool = (text: string, at: number, call: string): Said => ({ role: 'tool', text, at, call })
const copies = (found: readonly Repetition[]) => found.map(({ copy, original }) => [copy, original])

const TALK = [
  user('Three pallets for Friday.', 0),
  assistant('I look the stock up.', 10_000),
  assistant('It can leave on Thursday.', 20_000),
  user('Book the lorry.', MINUTE),
  assistant('Booked.', MINUTE + 10_000),
]
const later = (said: readonly Said[], at: number, each: number): Said[] =>
  said.map((one, index) => ({ ...one, at: at + index * each }))

describe('messages that were stored again', () => {
  it('are found when a block comes again faster than it was said', () => {
    const found = repetitions([...TALK, ...later(TALK, 5 * MINUTE, 1000), user('And the invoice?', 6 * MINUTE)])
    expect(copies(found)).toEqual(TALK.map((_, index) => [5 + index, index]))
  })

  it('are found when the whole history was read at one moment, and again at another', () => {
    expect(copies(repetitions([...later(TALK, 0, 0), ...later(TALK, MINUTE, 0)]))).toHaveLength(5)
  })

  it('are found by a call that is made again with the same words, alone and at any distance', () => {
    const filler = Array.from({ length: 500 }, (_, index) => user(`Line ${index}`, 1000 + index))
    const said = [assistant('', 0, 'call_1'), tool('5 pallets', 1, 'call_1'), ...filler]
    const found = repetitions([...said, assistant('', 9000, 'call_1'), tool('5 pallets', 9001, 'call_1')])
    expect(copies(found)).toEqual([
      [502, 0],
      [503, 1],
    ])
  })

  it('are found by a time that lies before the times of their neighbours', () => {
    expect(copies(repetitions([...TALK, TALK[0] as Said]))).toEqual([[5, 0]])
  })

  it('are found next to each other with one time, where times are those of the messages', () => {
    const said = [user('Yes', 0), user('Yes', 0)]
    expect(copies(repetitions(said))).toEqual([[1, 0]])
    expect(repetitions(said, { hasOwnTimes: false })).toEqual([])
  })
})

describe('honest repetitions are not called stored again:', () => {
  it('people who say yes, and agents that say done', () => {
    const said = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? user(index % 4 === 0 ? 'yes' : 'go on', index * 1500) : assistant('Done.', index * 1500),
    )
    expect(repetitions(said)).toEqual([])
  })

  it('heartbeats', () => {
    const beat = (at: number) => [user('Read HEARTBEAT.md', at), assistant('HEARTBEAT_OK', at + 900)]
    expect(repetitions(Array.from({ length: 50 }, (_, index) => beat(index * 30 * MINUTE)).flat())).toEqual([])
  })

  it('a job that asks the same every night and hears the same', () => {
    const night = (day: number) => [
      user('Check the backups.', day),
      assistant('', day + 2000, `call_${day}`),
      tool('all well', day + 2500, `call_${day}`),
      assistant('All backups are well.', day + 6000),
      user('Write the report.', day + 7000),
      assistant('The report is written.', day + 15_000),
    ]
    expect(repetitions([...night(0), ...night(24 * 60 * MINUTE), ...night(48 * 60 * MINUTE)])).toEqual([])
  })

  it('the same command again, also by an agent that numbers its calls anew in every turn', () => {
    const turn = (at: number, answer: string) => [
      user('Run the tests.', at),
      assistant('', at + 1, 'call_0'),
      tool(answer, at + 2, 'call_0'),
    ]
    const said = [...turn(0, '3 failed'), ...turn(MINUTE, '1 failed'), ...turn(2 * MINUTE, 'all passed')]
    expect(repetitions(said)).toEqual([])
  })

  it('notices that a host hands to its agent again at once', () => {
    const notices = ['Tools: read, write.', 'Agents: explore.', 'Skills: charts.'].map((text) => user(text, 0))
    expect(repetitions([...notices, ...TALK, ...later(notices, 9 * MINUTE, 0)])).toEqual([])
  })

  it('equal messages of a history that was read at one moment', () => {
    const said = [...TALK, user('yes', 0), ...TALK].map((one) => ({ ...one, at: 7 }))
    expect(repetitions(said)).toEqual([])
  })
})

// "Whatever was said, reading a block of it in again is found, and nothing else."
it('a block that is read in again is found wherever it stands', () => {
  const history = fc.array(
    fc.record({ role: fc.constantFrom('user', 'assistant'), gap: fc.integer({ min: 5000, max: MINUTE }) }),
    {
      minLength: 8,
      maxLength: 60,
    },
  )
  fc.assert(
    fc.property(history, fc.nat(), fc.nat(), (parts, start, size) => {
      let at = 0
      const said = parts.map(({ role, gap }, index): Said => {
        at += gap
        return { role: role as Said['role'], text: `Message ${index}`, at }
      })
      const from = start % (said.length - 4)
      const block = said.slice(from, from + 4 + (size % (said.length - from - 3)))
      const hasExchange =
        block.filter(({ role }) => role === 'user').length > 1 && block.some(({ role }) => role === 'assistant')
      const found = repetitions([...said, ...later(block, at + MINUTE, 300), user('Last', at + 2 * MINUTE)])
      expect(repetitions(said)).toEqual([])
      if (hasExchange) expect(copies(found)).toEqual(block.map((_, index) => [said.length + index, from + index]))
    }),
    { numRuns: runs(100) },
  )
})
