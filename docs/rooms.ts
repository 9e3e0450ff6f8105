import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Files directly in core/ that stand for a room; the others are ground, which every room may import. */
const ROOM_FILES = new Set(['lcm.ts', 'core.ts', 'router.ts'])
/** Between these lines of ARCHITECTURE.md the picture stands. */
const MARKS = ['<!-- The picture is generated: "npm run docs". -->', '<!-- End of the picture. -->'] as const

/** The document with the picture of the rooms as they import each other now. */
export function withRoomsPicture(document: string): string {
  const [start, end] = MARKS.map((mark) => document.indexOf(mark)) as [number, number]
  if (start < 0 || end < start) throw new Error(`ARCHITECTURE.md lacks the line ${MARKS.join(' or ')}`)
  return `${document.slice(0, start)}${MARKS[0]}\n\n${roomsPicture(importsOfRooms())}\n${document.slice(end)}`
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Rooms that import the same rooms share a line. */
function roomsPicture(graph: Graph): string {
  const byName = [...withoutImplied(graph)].sort(([a], [b]) => (a < b ? -1 : 1))
  const arrows = Map.groupBy(byName, ([, targets]) => [...targets].sort().join(' & '))
  const lines = [...arrows].flatMap(([targets, rooms]) =>
    targets === '' ? [] : [`  ${rooms.map(([room]) => room).join(' & ')} --> ${targets}`],
  )
  return ['```mermaid', 'flowchart TD', ...lines, '```', ''].join('\n')
}

/** What each room imports, types included. */
function importsOfRooms(): Graph {
  const graph = new Map<string, Set<string>>()
  for (const path of ['core', 'electron', 'renderer'].flatMap(sourcesIn)) {
    const room = roomOf(path)
    if (room === null) continue
    const targets = graph.get(room) ?? new Set()
    graph.set(room, targets)
    for (const [, target = ''] of readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'([.#][^']+)'/g)) {
      const imported = roomOf(target.startsWith('#') ? target.slice(1) : posix.join(posix.dirname(path), target))
      if (imported !== null && imported !== room) targets.add(imported)
    }
  }
  return graph
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

/** Null for the ground. */
function roomOf(path: string): string | null {
  const [folder = '', name = '', inside] = path.split('/')
  if (folder !== 'core') return folder
  return inside !== undefined || ROOM_FILES.has(name) ? name : null
}

/** Without the arrows that follow from others: A → C where A → B → C. */
function withoutImplied(graph: Graph): Graph {
  const reach = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const target of graph.get(from) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      reach(target, seen)
    }
    return seen
  }
  return new Map(
    [...graph].map(([room, targets]) => {
      const implied = new Set([...targets].flatMap((target) => [...reach(target)]))
      return [room, new Set([...targets].filter((target) => !implied.has(target)))]
    }),
  )
}
