import { Parser } from 'htmlparser2'
import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { piecesOf } from './lines.ts'
import { describeShape, MOST_ENTRIES, placesOf, ShapeCollector } from './shape.ts'
import { counted, shown } from './shown.ts'
import { CUT_MARK } from './value-stats.ts'

/** Text within an element is read so far. */
const TEXT_CHARS = 200
const DEEPEST = 10_000
/** At most this many attributes and elements of an element are listed. */
const MOST_NAMES = 30

/** The elements of a document, with their attributes and texts. */
export const exploreXml: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const elements = new XmlElements(shapes)
  const parser = new Parser(elements, { xmlMode: true, decodeEntities: true })
  for (const piece of piecesOf(yield* file.text())) {
    parser.write(piece)
    yield
  }
  parser.end()
  if (elements.count === 0) throw new Unreadable('it has no element')
  shapes.closeAll()
  const { places, isCut } = placesOf(shapes.root, '/')
  const attributes = places.filter(({ path }) => isAttribute(path))
  const elementPlaces = places.filter(({ path }) => !isAttribute(path))
  return {
    facts: [
      `The root is <${shown(elements.root, 60)}>; ${plural(elements.count, 'element')}, nested ${elements.depth} deep.`,
      ...(elements.open === 0 ? [] : [`It is cut off: ${plural(elements.open, 'element')} did not end.`]),
    ],
    sections: [
      {
        kind: 'entries',
        title: 'Elements (@ is an attribute, # the text beside elements)',
        entries: elementPlaces.slice(0, MOST_ENTRIES).map(({ path, shape }) => ({
          name: path,
          detail: `${times(shape.count)}${describeShape(shape, MOST_NAMES)}`,
        })),
        total: elementPlaces.length,
        isCut,
        use: 'always',
        share: 0.5,
      },
      {
        kind: 'entries',
        title: 'Attributes',
        entries: attributes
          .slice(0, MOST_ENTRIES)
          .map(({ path, shape }) => ({ name: '', detail: `${path}: ${describeShape(shape)}` })),
        total: attributes.length,
        isCut,
        use: 'always',
      },
    ],
  }
}

const isAttribute = (path: string): boolean => path.includes('/@')
const times = (count: number): string => (count === 1 ? '' : `${counted(count)} times, `)

const clipped = (text: string): string => (text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}${CUT_MARK}` : text)

type Element = { readonly name: string; isObject: boolean; text: string }

/** Tells elements as objects: attributes and elements are keys. An element with nothing but text is a value. */
class XmlElements {
  readonly #shapes: ShapeCollector
  readonly #stack: Element[] = []
  count = 0
  depth = 0
  root = ''

  constructor(shapes: ShapeCollector) {
    this.#shapes = shapes
  }

  get open(): number {
    return this.#stack.length
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.count += 1
    if (this.#stack.length === DEEPEST) throw new Unreadable(`it is nested more than ${DEEPEST} deep`)
    const parent = this.#stack.at(-1)
    if (parent === undefined) {
      this.root ||= name
      this.#shapes.open('object')
      this.#shapes.key(name)
    } else {
      this.#openObject(parent)
      this.#shapes.key(name)
    }
    const element: Element = { name, isObject: false, text: '' }
    this.#stack.push(element)
    this.depth = Math.max(this.depth, this.#stack.length)
    for (const [attribute, value] of Object.entries(attributes)) {
      this.#openObject(element)
      this.#shapes.key(`@${attribute}`)
      this.#shapes.written(clipped(value))
    }
  }

  ontext(text: string): void {
    const element = this.#stack.at(-1)
    if (element !== undefined && element.text.length <= TEXT_CHARS)
      element.text = (element.text + text).trimStart().slice(0, TEXT_CHARS + 1)
  }

  onclosetag(): void {
    const element = this.#stack.pop()
    if (element === undefined) return
    const text = clipped(element.text.trim())
    if (!element.isObject) this.#shapes.written(text)
    else {
      if (text !== '') {
        this.#shapes.key('#')
        this.#shapes.written(text)
      }
      this.#shapes.close()
    }
    if (this.#stack.length === 0) this.#shapes.close()
  }

  #openObject(element: Element): void {
    if (element.isObject) return
    element.isObject = true
    this.#shapes.open('object')
  }
}
