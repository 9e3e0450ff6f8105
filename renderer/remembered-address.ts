import { currentRoute, formatRoute, onRouteChange, parseRoute } from './routes.ts'
import { parseStored } from './ui/data/use-stored.ts'
import { factsOf } from './views.ts'

const KEY = 'lcm:places'
const MAX_FILES = 50

/** The last address of each file, oldest first. */
type Addresses = readonly (readonly [file: string, hash: string])[]

/** Returns the list with a file's newest address at its end, without the oldest files. */
export function withAddress(addresses: Addresses, file: string, hash: string): Addresses {
  return [...addresses.filter(([other]) => other !== file), [file, hash] as const].slice(-MAX_FILES)
}

/** Returns the part of an address that is remembered. A search is not repeated by itself. */
export const addressToRemember = (hash: string): string => formatRoute({ ...parseRoute(hash), query: null })

/** Goes to the last address of this file, unless the present address names one. */
export function restoreAddress(file: string): void {
  if (location.hash.length > 1) return
  const remembered = readAddresses().find(([other]) => other === file)
  if (remembered) history.replaceState(null, '', remembered[1])
}

/** Remembers every address for this file. */
export function rememberAddresses(file: string): void {
  onRouteChange(() => {
    // What belongs to the program is not remembered for the file.
    if (factsOf(currentRoute().view).scope === 'program') return
    rememberAddress(file)
  })
}

/** Remembers the present address for a file. */
export function rememberAddress(file: string): void {
  const hash = addressToRemember(formatRoute(currentRoute()))
  localStorage.setItem(KEY, JSON.stringify(withAddress(readAddresses(), file, hash)))
}

function readAddresses(): Addresses {
  const value = parseStored(localStorage.getItem(KEY))
  return Array.isArray(value) ? value.filter(isEntry) : []
}

const isEntry = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
