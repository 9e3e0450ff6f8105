import { describe, expect, it } from 'vitest'
import { lostText, salvageText } from '#renderer/features/welcome/salvage-text.ts'

const rows = { table: 'messages', read: 468, refused: 0, lost: [], lostRanges: 0 }
const everything = { lost: [{ from: 'the first', to: 'the last' }], lostRanges: 1 }
const report = { tables: [rows], isWhole: false, byPages: false, missingBytes: 0 }

describe('the report of a salvage', () => {
  it('names the ranges of rows that are lost, and counts those that are not named', () => {
    const lost = Array.from({ length: 8 }, (_, at) => ({ from: `msg_${at}`, to: `msg_${at + (at % 2)}` }))
    expect(lostText({ ...rows, lost, lostRanges: 8, refused: 3 })).toBe(
      'msg_0, msg_1 – msg_2, msg_2, msg_3 – msg_4, msg_4, msg_5 – msg_6 and 2 more · 3 rows make no sense',
    )
    expect(lostText(rows)).toBe('nothing')
    expect(salvageText({ ...report, tables: [{ ...rows, lost, lostRanges: 8 }] })).toMatch(/8.ranges of rows could not/)
  })

  it('does not call all rows of a table lost that were found page by page', () => {
    const found = { ...rows, ...everything }
    expect(lostText(found)).toBe('cannot be told')
    expect(salvageText({ ...report, tables: [found] })).toMatch(
      /^What could be read .* The order of messages is lost: /,
    )
    expect(salvageText({ ...report, tables: [found] })).not.toContain('could not.')
    expect(lostText({ ...found, read: 0 })).toBe('the first – the last')
  })

  it('names the messages that are missing between those that were found page by page', () => {
    const gap = { from: 'conversation 1 message 202', to: 'conversation 1 message 350' }
    const found = { ...rows, lost: [...everything.lost, gap], lostRanges: 2 }
    expect(lostText(found)).toBe('conversation 1 message 202 – 350; whether more is missing cannot be told')
    expect(salvageText({ ...report, tables: [found] })).toMatch(
      /1.range of rows could not\. .* whether any other is missing/,
    )
    expect(lostText({ ...rows, lost: [gap], lostRanges: 1 })).toBe('conversation 1 message 202 – 350')
  })

  it('says that every row could be read where the damage lies beside them', () => {
    expect(salvageText({ ...report, isWhole: true })).toMatch(/^Every row could be read: [^.]*\.$/)
    expect(salvageText({ ...report, isWhole: true, missingBytes: 2048 })).toMatch(/index\. [\d.]+.kB are missing/)
    expect(salvageText({ ...report, byPages: true, missingBytes: 2048 })).toMatch(
      /can be named\. [\d.]+.kB are missing/,
    )
  })
})
