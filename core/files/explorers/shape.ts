import { plural } from '#core/text.ts'
import { counted, shown } from './shown.ts'
import type { Section } from './summary-text.ts'
import { ValueStats } from './value-stats.ts'

/** At most this many names of an object are told apart; the values of all others are described together. */
const MOST_NAMES = 1024
/** What lies deeper is counted and not described. */
const DEEPEST_DESCRIBED = 64
const MOST_SHAPES = 20_000
/** An object with more names whose values are alike is described as a dictionary. */
const FEW_NAMES = 16
/** At most this many names of an object are listed where it is described. */
const FEW_LISTED = 10
const NAME_CHARS = 48
export const MOST_ENTRIES = 300
/** When there are more places, nobody counts how many. */
const MOST_COUNTED = 2000

/** What all values at one place of a document have in common. */
class Shape {
  readonly values = new ValueStats()
  scalars = 0
  objects = 0
  arrays = 0
  /** Names of the objects, in the order in which they came. */
  readonly names = new Map<string, Shape>()
  /** What the values behind further names have in common. */
  others: Shape | null = null
  otherNames = 0
  fewestNames = Number.POSITIVE_INFINITY
  mostNames = 0
  item: Shape | null = null
  shortest = Number.POSITIVE_INFINITY
  longest = 0

  get count(): number {
    return this.scalars + this.objects + this.arrays
  }

  merge(other: Shape): void {
    this.values.merge(other.values)
    this.scalars += other.scalars
    this.objects += other.objects
    this.arrays += other.arrays
    for (const [name, shape] of other.names) {
      const known = this.names.get(name)
      if (known !== undefined) known.merge(shape)
      else if (this.names.size < MOST_NAMES) this.names.set(name, copyOf(shape))
      else {
        this.otherNames += shape.count
        this.others = merged(this.others, shape)
      }
    }
    this.otherNames += other.otherNames
    if (other.others !== null) this.others = merged(this.others, other.others)
    this.fewestNames = Math.min(this.fewestNames, other.fewestNames)
    this.mostNames = Math.max(this.mostNames, other.mostNames)
    if (other.item !== null) this.item = merged(this.item, other.item)
    this.shortest = Math.min(this.shortest, other.shortest)
    this.longest = Math.max(this.longest, other.longest)
  }
}

function merged(into: Shape | null, shape: Shape): Shape {
  if (into === null) return copyOf(shape)
  into.merge(shape)
  return into
}

function copyOf(shape: Shape): Shape {
  const copy = new Shape()
  copy.merge(shape)
  return copy
}

type Level = { readonly shape: Shape; readonly kind: 'object' | 'array'; size: number; next: Shape | null }

/** Collects the shape of the values that it is told of, in memory that does not grow with their number. */
export class ShapeCollector {
  readonly root = new Shape()
  readonly #levels: Level[] = []
  #undescribed = 0
  #shapes = 0

  open(kind: 'object' | 'array'): void {
    if (this.#undescribed > 0 || this.#levels.length === DEEPEST_DESCRIBED) {
      this.#undescribed += 1
      return
    }
    const shape = this.#next()
    if (kind === 'object') shape.objects += 1
    else shape.arrays += 1
    this.#levels.push({ shape, kind, size: 0, next: null })
  }

  close(): void {
    if (this.#undescribed > 0) {
      this.#undescribed -= 1
      return
    }
    const level = this.#levels.pop()
    if (level === undefined) return
    const { shape, size } = level
    if (level.kind === 'object') {
      shape.fewestNames = Math.min(shape.fewestNames, size)
      shape.mostNames = Math.max(shape.mostNames, size)
    } else {
      shape.shortest = Math.min(shape.shortest, size)
      shape.longest = Math.max(shape.longest, size)
    }
  }

  /** Ends everything that is open, for a document that ends early. */
  closeAll(): void {
    this.#undescribed = 0
    while (this.#levels.length > 0) this.close()
  }

  /** Ends everything that is open, and counts it for nothing. */
  abandon(): void {
    const first = this.#levels[0]
    this.closeAll()
    if (first?.kind === 'object') first.shape.objects -= 1
    else if (first !== undefined) first.shape.arrays -= 1
  }

  key(name: string): void {
    const level = this.#levels.at(-1)
    if (this.#undescribed > 0 || level === undefined) return
    level.size += 1
    level.next = this.#named(level.shape, name)
  }

  text(value: string): void {
    this.#scalar()?.addText(value)
  }

  /** A value of a format whose values are all written as text. */
  written(value: string): void {
    this.#scalar()?.addWritten(value)
  }

  number(value: number, written: string): void {
    this.#scalar()?.addNumber(value, written)
  }

  boolean(value: boolean): void {
    this.#scalar()?.addBoolean(value)
  }

  null(): void {
    this.#scalar()?.addNull()
  }

  #scalar(): ValueStats | null {
    if (this.#undescribed > 0) return null
    const shape = this.#next()
    shape.scalars += 1
    return shape.values
  }

  #next(): Shape {
    const level = this.#levels.at(-1)
    if (level === undefined) return this.root
    if (level.kind === 'array') {
      level.size += 1
      level.shape.item ??= this.#newShape()
      return level.shape.item
    }
    return level.next ?? level.shape
  }

  #named(shape: Shape, name: string): Shape {
    const known = shape.names.get(name)
    if (known !== undefined) return known
    if (shape.names.size < MOST_NAMES && this.#shapes < MOST_SHAPES) {
      const created = this.#newShape()
      shape.names.set(name, created)
      return created
    }
    shape.otherNames += 1
    shape.others ??= this.#newShape()
    return shape.others
  }

  #newShape(): Shape {
    this.#shapes += 1
    return new Shape()
  }
}

/** A name as it is shown, also an empty one. */
const shownName = (name: string, chars: number): string => shown(name, chars) || '""'

/** One line on all values of a shape. */
export function describeShape(shape: Shape, mostNames = FEW_LISTED): string {
  const kinds: string[] = []
  if (shape.objects > 0) kinds.push(describeObjects(shape, mostNames))
  if (shape.arrays > 0) kinds.push(describeArrays(shape))
  const values = shape.values.describe()
  if (values !== null && (kinds.length === 0 || values !== 'always null')) kinds.push(values)
  const { nulls } = shape.values
  const isPartlyNull = nulls > 0 && nulls < shape.count
  return `${kinds.join(', or ')}${isPartlyNull ? `; null ${counted(nulls)} of ${counted(shape.count)} times` : ''}`
}

function describeObjects(shape: Shape, mostNames: number): string {
  const dictionary = dictionaryOf(shape)
  if (dictionary !== null) {
    const names = [...shape.names.keys()].slice(0, 4).map((name) => shownName(name, NAME_CHARS))
    const size =
      shape.objects === 1
        ? plural(shape.mostNames, 'name')
        : `${counted(shape.fewestNames)} to ${plural(shape.mostNames, 'name')}`
    return `dictionary of ${size} such as ${names.join(', ')}`
  }
  if (shape.names.size === 0) return 'empty object'
  return `object {${namesOf(shape, mostNames)}}`
}

/** The names of an object, with a question mark behind those that are not in all of them. */
function namesOf(shape: Shape, most = FEW_LISTED): string {
  const names = [...shape.names]
  // What most of them have says more than what came first.
  if (names.length > most) names.sort(([, a], [, b]) => b.count - a.count)
  const few = names
    .slice(0, most)
    .map(([name, { count }]) => `${shownName(name, 32)}${count < shape.objects ? '?' : ''}`)
  return names.length > most ? `${few.join(', ')} … and ${names.length - most} more` : few.join(', ')
}

function describeArrays({ arrays, item, shortest, longest }: Shape): string {
  if (item === null || longest === 0) return 'empty array'
  const size = arrays === 1 || shortest === longest ? counted(longest) : `${counted(shortest)} to ${counted(longest)}`
  if (item.objects === item.count)
    return `array of ${size} ${longest === 1 ? 'object' : 'objects'}${dictionaryOf(item) === null ? ` {${namesOf(item)}}` : ''}`
  if (item.arrays === item.count) return `array of ${size} ${longest === 1 ? 'array' : 'arrays'}`
  return `array of ${size}: ${item.values.describe() ?? describeShape(item)}`
}

/** What the values of a dictionary have in common, or null when the names are those of a record. */
function dictionaryOf(shape: Shape): Shape | null {
  if (shape.objects === 0 || (shape.names.size <= FEW_NAMES && shape.others === null)) return null
  const shapes = [...shape.names.values()]
  const named = shapes.reduce((sum, { count }) => sum + count, 0)
  const usual = shapes.filter(({ count }) => count >= shape.objects * 0.9).length
  const isRare = shape.objects > 1 && usual < 3 && named < shape.names.size * shape.objects * 0.2
  const isRecord = shape.objects > 1 && named > shape.names.size * shape.objects * 0.5 && shape.others === null
  if (isRecord || (shape.others === null && !isRare && !areAlike(shapes))) return null
  const together = new Shape()
  for (const one of shapes) together.merge(one)
  if (shape.others !== null) together.merge(shape.others)
  return together
}

/** Objects that share names, or arrays, or texts. Single values of one object are settings, each with its own meaning. */
function areAlike(shapes: readonly Shape[]): boolean {
  if (shapes.every(({ arrays, count }) => arrays === count)) return true
  if (!shapes.every(({ objects, count }) => objects === count)) return false
  const uses = new Map<string, number>()
  for (const { names } of shapes) for (const name of names.keys()) uses.set(name, (uses.get(name) ?? 0) + 1)
  return [...uses.values()].some((count) => count >= shapes.length * 0.5)
}

type Place = { readonly path: string; readonly shape: Shape; readonly depth: number }

/** The nearest keys by name, and then every deeper place with what stands there, the nearest to the root first. */
export function shapeSections(root: Shape): Section[] {
  const nearest = dictionaryOf(root) === null ? 1 : 2
  const { places, isCut } = placesOf(root)
  const near = places.filter(({ depth }) => depth <= nearest)
  const deep = places.filter(({ depth }) => depth > nearest)
  return [
    {
      kind: 'entries',
      title: 'Keys ([] stands for each item, * for each name)',
      entries: near.slice(0, MOST_ENTRIES).map(({ path, shape }) => ({ name: path, detail: describeShape(shape) })),
      total: near.length,
      use: 'always',
    },
    {
      kind: 'entries',
      title: 'Deeper keys',
      entries: deep
        .slice(0, MOST_ENTRIES)
        .map(({ path, shape }) => ({ name: '', detail: `${path}: ${describeShape(shape)}` })),
      total: deep.length,
      isCut,
      use: 'always',
    },
  ]
}

/** Returns the places of the documents, the nearest to the root first, and whether there may be more. */
export function placesOf(root: Shape, separator = '.'): { readonly places: readonly Place[]; readonly isCut: boolean } {
  const places: Place[] = []
  let level: readonly Place[] = [{ path: '', shape: root, depth: 0 }]
  while (level.length > 0 && places.length < MOST_COUNTED) {
    level = level.flatMap(({ path, shape, depth }) =>
      placesWithin(path, shape, separator).map(([inner, one]) => ({ path: inner, shape: one, depth: depth + 1 })),
    )
    places.push(...level.filter(({ shape }) => shape.count > 0))
  }
  return { places, isCut: level.length > 0 }
}

function placesWithin(path: string, shape: Shape, separator: string): [string, Shape][] {
  const places: [string, Shape][] = []
  const dictionary = dictionaryOf(shape)
  const join = (name: string): string => (path === '' ? name : `${path}${separator}${name}`)
  if (dictionary !== null) places.push([join('*'), dictionary])
  else for (const [name, one] of shape.names) places.push([join(shownName(name, NAME_CHARS)), one])
  if (shape.item !== null) {
    // The objects of an array are described with it; their names stand one level deeper.
    if (shape.item.objects === shape.item.count) places.push(...placesWithin(`${path}[]`, shape.item, separator))
    else if (shape.item.arrays > 0) places.push([`${path}[]`, shape.item])
  }
  return places
}
