import { InvalidArgumentError } from 'commander'

/** A whole number in a range. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text.trim()) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
    }
    return value
  }
}

const TIME = /^\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i

/** ISO 8601; a date or time without a zone is UTC. */
export function time(text: string): number {
  const match = TIME.exec(text)
  const isClock = match?.[3] !== undefined
  const hasZone = match?.[6] !== undefined
  const iso = text.replace(' ', 'T').replace(',', '.')
  const value = match ? Date.parse(isClock && !hasZone ? `${iso}Z` : iso) : Number.NaN
  if (Number.isNaN(value)) throw new InvalidArgumentError('Expected a time such as 2026-02-13T09:30:00Z or 2026-02-13.')
  return value
}

export function oneOf<const T extends string>(...names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text)
    if (found === undefined) throw new InvalidArgumentError(`Expected one of: ${names.join(', ')}.`)
    return found
  }
}

/** For options that may be given several times. */
export function collect<T>(parse: (text: string) => T): (text: string, before: T[] | undefined) => T[] {
  return (text, before) => [...(before ?? []), parse(text)]
}
