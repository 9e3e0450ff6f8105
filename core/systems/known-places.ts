import { nameOfFile, type Surroundings, setIn } from './places.ts'
import { allSystems } from './systems.ts'

export type Candidate = { readonly path: string; readonly label: string }

/** Every place where a known system keeps its memory on this machine. Only names are read, and small description files. */
export function knownPlaces(surroundings: Surroundings): Candidate[] {
  const configured = setIn(surroundings.env, 'LCM_DATABASE_PATH')
  const places = [
    ...(configured ? [{ path: configured }] : []),
    ...allSystems().flatMap((system) => system.places(surroundings)),
  ]
  const labelled = places.map(({ path, label }) => ({ path, label: label ?? shortName(path) }))
  return [...new Map(labelled.map((candidate) => [candidate.path, candidate])).values()]
}

/** A name for people: the file's, or that of its project where every file of a system has the same. */
export function shortName(path: string): string {
  for (const { nameOf } of allSystems()) {
    const name = nameOf?.(path) ?? null
    if (name !== null) return name
  }
  return nameOfFile(path)
}
