import { type Command, InvalidArgumentError } from 'commander'
import { isoToMs } from '../../clock.ts'

/** Accepts a whole number in a range. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text.trim()) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
    }
    return value
  }
}

/** The names in angle brackets that mean a path. */
const PATHS: ReadonlySet<string> = new Set(['file', 'folder', 'path', 'ledger', 'backup'])

/**
 * Refuses an empty path, as an unset variable of a shell gives it, because it would mean the current folder.
 * @throws CommanderError
 */
export function refuseEmptyPaths(command: Command): void {
  const isEmpty = (value: unknown): boolean => [value].flat().some((one) => one === '')
  const options = command.options.filter(
    (option) =>
      PATHS.has(/[<[](\w+)/.exec(option.flags)?.[1] ?? '') && isEmpty(command.getOptionValue(option.attributeName())),
  )
  const args = command.registeredArguments.filter(
    (argument, index) => PATHS.has(argument.name()) && isEmpty(command.processedArgs[index]),
  )
  const [name] = [...options.map(({ flags }) => flags), ...args.map((argument) => argument.name())]
  if (name !== undefined) command.error(`'${name}' is given an empty path`)
}

/** Reads ISO 8601. A date or time without a zone is UTC. */
export function time(text: string): number {
  const value = isoToMs(text)
  if (value === null) throw new InvalidArgumentError('Expected a time such as 2026-02-13T09:30:00Z or 2026-02-13.')
  return value
}

export function oneOf<const T extends string>(...names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text)
    if (found === undefined) throw new InvalidArgumentError(`Expected one of: ${names.join(', ')}.`)
    return found
  }
}

/** Collects the values of an option that may be given several times. */
export function collect<T>(parse: (text: string) => T): (text: string, before: T[] | undefined) => T[] {
  return (text, before) => [...(before ?? []), parse(text)]
}
