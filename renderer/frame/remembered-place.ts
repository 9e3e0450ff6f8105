import { formatRoute, onRouteChange, parseRoute } from '../routes.ts'
import { parseStored } from '../ui/stored-json.ts'

const KEY = 'lcm:places'
const MAX_FILES = 50

/** Address by file, oldest first. */
type Places = readonly (readonly [file: string, hash: string])[]

/** The list with a file's newest place at its end; the oldest files fall out. */
export function withPlace(places: Places, file: string, hash: string): Places {
  return [...places.filter(([other]) => other !== file), [file, hash] as const].slice(-MAX_FILES)
}

/** A place as it is worth remembering: a search is not repeated by itself. */
export const placeOf = (hash: string): string => formatRoute({ ...parseRoute(hash), query: null })

/** Goes where this file was looked at last, unless the address already says where to go. */
export function restorePlace(file: string): void {
  if (location.hash.length > 1) return
  const place = readPlaces().find(([other]) => other === file)
  if (place) history.replaceState(null, '', place[1])
}

/** Remembers for this file every place that is gone to. */
export function rememberPlaces(file: string): void {
  onRouteChange(() => {
    // Nobody means to come back to the settings.
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
