/** Units of measurement: all spellings of each, by the name that is compared. */
const NAMES: Readonly<Record<string, string>> = {
  nanosecond: 'ns nanosecond nanoseconds',
  microsecond: 'µs us microsecond microseconds',
  millisecond: 'ms msec millisecond milliseconds',
  second: 's sec secs second seconds',
  minute: 'min mins minute minutes',
  hour: 'h hr hrs hour hours',
  day: 'd day days',
  week: 'week weeks',
  month: 'month months',
  year: 'year years',
  percent: '% percent pct',
  byte: 'b byte bytes',
  kilobyte: 'kb kib kilobyte kilobytes',
  megabyte: 'mb mib megabyte megabytes',
  gigabyte: 'gb gib gigabyte gigabytes',
  terabyte: 'tb tib terabyte terabytes',
  euro: '€ eur euro euros',
  dollar: '$ usd dollar dollars',
}

const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
)

const AFTER_NUMBER = /^[\s\u00a0-]?(%|€|\$|[a-zµ]{1,12})(?![\p{L}\p{N}_])/iu

/** Returns the unit of measurement directly after a number, or null when there is none that is known. */
export function unitAt(text: string, numberEnd: number): string | null {
  const word = AFTER_NUMBER.exec(text.slice(numberEnd, numberEnd + 16))?.[1]
  return word === undefined ? null : (UNITS.get(word.toLowerCase()) ?? null)
}

/** Returns whether a word is the unit of the number before it, which includes it already. */
export const isUnitOfNumber = (text: string, start: number, end: number): boolean =>
  end - start <= 12 &&
  (isDigit(text, start - 1) || (isDigit(text, start - 2) && /[\s\u00a0-]/.test(text.charAt(start - 1)))) &&
  UNITS.has(text.slice(start, end).toLowerCase())

const isDigit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0x30 && unit <= 0x39
}
