import { formatRoute, onRouteChange, parseRoute } from '../routes.ts'
import { parseStored } from '../ui/stored-json.ts'

const KEY = 'lcm:places'
const MAX_FILES = 50

/** The last address of each file, oldest first. */
type Places = readonly (readonly [file: string, hash: string])[]

/** Returns the list with a file's newest address at its end, without the oldest files. */
export function withPlace(places: Places, file: string, hash: string): Places {
  return [...places.filter(([other]) => other !== file), [file, hash] as const].slice(-MAX_FILES)
}

/** Returns the part of an address that is remembered. A search is not repeated by itself. */
export const placeOf = (hash: string): string => formatRoute({ ...parseRoute(hash), query: null })

/** Goes to the last address of this file, unless the present address names one. */
export function restorePlace(file: string): void {
  if (location.hash.length > 1) return
  const place = readPlaces().find(([other]) => other === file)
  if (place) history.replaceState(null, '', place[1])
}

/** Remembers every address for this file. */
export function rememberPlaces(file: string): void {
  onRouteChange(() => {
    // The settings are not remembered.
    if (parseRoute(location.hash).view === 'settings') return
    localStorage.setItem(KEY, JSON.stringify(withPlace(readPlaces(), file, placeOf(location.hash))))
  })
}

function readPlaces(): Places {
  const value = parseStored(localStorage.getItem(KEY))
  return Array.isArray(value) ? value.filter(isPlace) : []
}

const isPlace = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
