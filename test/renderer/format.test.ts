import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fileNameOf,
  formatBytes,
  formatCompact,
  formatCompression,
  formatCount,
  formatDuration,
  formatPercent,
  formatPressure,
  plainName,
  plural,
  shortenId,
  shortenPath,
  splitId,
  splitPath,
} from '#renderer/ui/texts/format.ts'

/** Units follow a non-breaking space. These tests are easier to read with a plain one. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('numbers', () => {
  it('are grouped by thousands', () => {
    expect(formatCount(93480)).toBe('93,480')
  })

  it('are shortened to three significant digits where there is little room', () => {
    expect(
      [0, 812, 1000, 2534, 93_480, 124_310, 999_949, 999_950, 1_180_402, 2_100_000_000].map(formatCompact).map(plain),
    ).toEqual(['0', '812', '1 k', '2.53 k', '93.5 k', '124 k', '1 M', '1 M', '1.18 M', '2.1 G'])
  })

  it('keep their order when they are shortened', () => {
    const order = (text: string) => {
      const [digits = '', unit = ''] = plain(text).split(' ')
      return Number(digits.replaceAll(',', '')) * 1000 ** ['', 'k', 'M', 'G', 'T'].indexOf(unit)
    }
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        if (a <= b) expect(order(formatCompact(a))).toBeLessThanOrEqual(order(formatCompact(b)))
      }),
    )
  })

  it('agree with their noun', () => {
    expect(plain(plural(1, 'message'))).toBe('1 message')
    expect(plain(plural(1200, 'summary', 'summaries'))).toBe('1,200 summaries')
  })
})

describe('bytes', () => {
  it('are decimal, with at most one decimal place', () => {
    expect([0, 512, 1000, 35_100_000, 2_147_483_648].map(formatBytes).map(plain)).toEqual([
      '0 B',
      '512 B',
      '1 kB',
      '35.1 MB',
      '2.1 GB',
    ])
  })
})

describe('shares', () => {
  it('have a decimal place only where it matters', () => {
    expect([0, 0.0004, 0.0251, 0.62, 1, 1.4].map(formatPercent).map(plain)).toEqual([
      '0 %',
      '< 0.1 %',
      '2.5 %',
      '62 %',
      '100 %',
      '140 %',
    ])
  })

  it('are never rounded up to 100 %', () => {
    expect([0.994, 0.995, 0.99997, 1].map(formatPercent).map(plain)).toEqual(['99 %', '99.5 %', '99.9 %', '100 %'])
  })

  it('are never rounded up to 100 % for a window that is not full', () => {
    expect(plain(formatPressure(0.997))).toBe('99 %')
    expect([1.2, 1.105, 1.15].map(formatPressure).map(plain)).toEqual(['120 %', '110 %', '115 %'])
    expect(plain(formatPressure(0.0077))).toBe('0.8 %')
    expect([0.0094, 0.01, 0.0489, 0.057025, 0.0996, 0.104].map(formatPressure).map(plain)).toEqual([
      '0.9 %',
      '1 %',
      '4.9 %',
      '5.7 %',
      '10 %',
      '10 %',
    ])
    expect(plain(formatPressure(0))).toBe('0 %')
  })

  it('show compression as a factor', () => {
    expect([1, 50.64, 128.4].map(formatCompression)).toEqual(['1.0×', '50.6×', '128×'])
  })
})

describe('durations', () => {
  it('are shown in the largest unit that fits, with the next one where it matters', () => {
    expect([3, 99, 740, 12_400, 60_000, 192_000, 7_500_000, 200_000_000].map(formatDuration).map(plain)).toEqual([
      '3 ms',
      '99 ms',
      '0.74 s',
      '12 s',
      '1 min',
      '3 min 12 s',
      '2 h 5 min',
      '2 d 7 h',
    ])
  })
})

describe('ids and paths', () => {
  it('are shortened in the middle, so that both ends stay', () => {
    expect(shortenId('sum_9c1f4e02ab77d310')).toBe('sum_9c1f4…7310'.replace('7310', 'd310'))
    expect(shortenId('msg_2548')).toBe('msg_2548')
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (id) => [...shortenId(id, 12)].length <= 12))
  })

  it('replace the home folder by a tilde', () => {
    expect(shortenPath('/home/ada/.openclaw/lcm.db')).toBe('~/.openclaw/lcm.db')
    expect(shortenPath('/Users/ada/lcm.db')).toBe('~/lcm.db')
    expect(shortenPath('/homes/ada/lcm.db')).toBe('/homes/ada/lcm.db')
  })

  it('show the end of a long path', () => {
    expect(shortenPath(`/srv/${'x'.repeat(100)}/lcm.db`, 20)).toBe(`…${'x'.repeat(12)}/lcm.db`)
  })

  it('end in a file name on every platform', () => {
    expect(fileNameOf('/a/b/lcm.db')).toBe('lcm.db')
    expect(fileNameOf('C:\\a\\lcm.db')).toBe('lcm.db')
    expect(fileNameOf('/a/folder/')).toBe('folder')
  })
})

describe('long names', () => {
  it('keep the last part of a path and the end of an id when they are split', () => {
    expect(splitPath('/home/ada/shop')).toEqual({ head: '/home/ada/', tail: 'shop' })
    expect(splitPath('C:\\code\\shop')).toEqual({ head: 'C:\\code\\', tail: 'shop' })
    expect(splitPath('/home/ada/shop/')).toEqual({ head: '/home/ada/', tail: 'shop/' })
    expect(splitPath('shop')).toEqual({ head: '', tail: 'shop' })
    expect(splitId('session-1795169466461')).toEqual({ head: 'session-1795169', tail: '466461' })
    expect(splitId('main')).toEqual({ head: '', tail: 'main' })
  })

  it('are the same text again when their two parts are joined', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        for (const { head, tail } of [splitPath(name), splitId(name)]) expect(head + tail).toBe(name)
      }),
    )
  })

  it('show characters that would reverse the letters after them as codes', () => {
    expect(plainName('invoice-\u202egnp.exe')).toBe('invoice-⟨RLO⟩gnp.exe')
    expect(plainName('two\n lines')).toBe('two lines')
    expect(plainName('שיחה עם אבא')).toBe('שיחה עם אבא')
  })
})
