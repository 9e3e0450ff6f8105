import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { parsedJson } from '#core/parsed-json.ts'
import { moment, time } from './parse.ts'

/** How the text of a flag becomes a value. `json` is for what has no shorter form on a command line. */
type Kind = 'switch' | 'choice' | 'integer' | 'number' | 'text' | 'time' | 'moment' | 'json'

/** An argument or option of a command. It is made from a field of a schema, which alone says what is accepted. */
export type Flag = {
  readonly field: string
  /** Without hyphens in front. */
  readonly name: string
  readonly short: string | null
  readonly kind: Kind
  /** The option may be given several times. */
  readonly isList: boolean
  /** It takes all words up to the next option. */
  readonly isVariadic: boolean
  readonly isRequired: boolean
  /** A switch that is on unless it is given. */
  readonly isOnByDefault: boolean
  readonly placeholder: string
  readonly choices: readonly string[]
  /** The description with range and default. */
  readonly does: string
  readonly schema: JsonSchema
  /** Reads one value. @throws InvalidArgumentError that says what is expected */
  readonly read: (text: string) => unknown
}

/** What JSON Schema says of a field, and what `.meta` adds for the command line. */
type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly title?: string
  readonly description?: string
  /** The name of the value in help: `file`, `folder` and `path` are paths. */
  readonly value?: string
  /** The letter of a short option. */
  readonly short?: string
  readonly variadic?: boolean
}

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns the flags for the fields of an object, or for those of all objects in a union. */
export function flagsOf(schema: z.ZodType | undefined): Flag[] {
  const shape = shapeOf(schema)
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(shape), {
    io: 'input',
    unrepresentable: 'any',
  }) as { readonly properties?: Readonly<Record<string, JsonSchema>>; readonly required?: readonly string[] }
  const flags = Object.entries(shape).map(([field, type]) =>
    flagOf(field, properties[field] ?? {}, type, required.includes(field)),
  )
  const single = new Set(flags.flatMap(({ isList, name }) => (isList ? [] : name)))
  return flags.map((flag) => (flag.isList && single.has(flag.name) ? { ...flag, name: kebab(flag.field) } : flag))
}

function shapeOf(schema: z.ZodType | undefined): Shape {
  if (schema === undefined) return {}
  if (schema instanceof z.ZodObject) return schema.shape
  if (!(schema instanceof z.ZodDiscriminatedUnion)) throw new Error('the fields of a command are those of objects')
  const { discriminator } = schema.def
  const shapes = (schema.options as readonly z.ZodType[]).map(shapeOf)
  const merged: Record<string, z.ZodType> = {}
  for (const [field, type] of shapes.flatMap((shape) => Object.entries(shape))) {
    const before = merged[field]
    merged[field] = before === undefined || before === type ? type : before.or(type)
  }
  // A kind that needs no further field is the shortest example.
  const alone = choicesOf(z.toJSONSchema(merged[discriminator] ?? z.never()) as JsonSchema).filter(
    (kind) => schema.safeParse({ [discriminator]: kind }).success,
  )
  // All fields but that which chooses among the objects belong to some of them only.
  return Object.fromEntries(
    Object.entries(merged).map(([field, type]) => [
      field,
      field === discriminator ? type.meta({ description: 'which of these', examples: alone }) : type.optional(),
    ]),
  )
}

function flagOf(field: string, schema: JsonSchema, type: z.ZodType, isRequired: boolean): Flag {
  const isList = schema.type === 'array'
  const one = isList ? (schema.items ?? {}) : schema
  const kind = kindOf(field, one)
  const choices = choicesOf(one).map(kebab)
  const expected = expectation(kind, one, choices)
  const isNullable = !isList && acceptsNull(schema)
  const isOnByDefault = kind === 'switch' && schema.default === true
  const name = flagName(field, isList)
  return {
    ...{ field, name, kind, isList, isRequired, isOnByDefault, choices, schema },
    short: schema.short ?? null,
    isVariadic: schema.variadic ?? false,
    placeholder: schema.value ?? placeholderOf(field, name, kind),
    does: described(schema, one, kind, choices, isList),
    read: (text) => {
      if (isNullable && text === 'null') return null
      const value = parsed(kind, one, text, expected)
      const checked = type.safeParse(isList ? [value] : value)
      if (checked.success) return value
      const own = checked.error.issues.find(({ code }) => code === 'custom')
      throw new InvalidArgumentError(own?.message ?? `Expected ${expected}.`)
    },
  }
}

/** `freshTailCount` is --fresh-tail: a flag has the name of its field without its unit, and that of a list without its s. */
function flagName(field: string, isList: boolean): string {
  const bare = field.replace(/^is(?=[A-Z])/, '').replace(/(?:Ids?|Ms|Tokens|Count)$/, '')
  return kebab(isList ? bare.replace(/s$/, '') : bare)
}

const kebab = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase()

function kindOf(field: string, schema: JsonSchema): Kind {
  if (schema.title === 'moment') return 'moment'
  const types = schema.anyOf?.filter(({ type }) => type !== 'null')
  if (types?.length === 1 && types[0]) return kindOf(field, types[0])
  if (choicesOf(schema).length > 0) return 'choice'
  const [type] = [schema.type].flat().filter((name) => name !== 'null')
  if (type === 'boolean') return 'switch'
  if (type === 'integer' || (type === 'number' && !field.endsWith('Ms'))) return type
  if (type === 'number') return 'time'
  return type === 'string' ? 'text' : 'json'
}

/** Returns the texts of a closed list, also of one that is put together from several. */
function choicesOf({ enum: names, const: only, anyOf }: JsonSchema): readonly string[] {
  if (typeof only === 'string') return [only]
  if (names) return names.filter((name) => typeof name === 'string')
  const parts = anyOf?.filter(({ type }) => type !== 'null').map(choicesOf) ?? []
  return parts.some((part) => part.length === 0) ? [] : [...new Set(parts.flat())]
}

const acceptsNull = ({ type, anyOf }: JsonSchema): boolean =>
  [type].flat().includes('null') || (anyOf?.some((one) => one.type === 'null') ?? false)

function placeholderOf(field: string, name: string, kind: Kind): string {
  if (/ids?$/i.test(field)) return 'id'
  if (kind === 'integer' || kind === 'number') return /tokens$|cap$/i.test(field) ? 'tokens' : 'n'
  if (kind === 'time' || kind === 'moment' || kind === 'json') return kind
  return name.split('-').at(-1) ?? name
}

/** Turns a text into what its schema may accept. Names in closed lists may be written as flags are. */
function parsed(kind: Kind, schema: JsonSchema, text: string, expected: string): unknown {
  switch (kind) {
    case 'integer':
      return /^-?\d+$/.test(text.trim()) ? Number(text) : text
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    case 'choice':
      return choicesOf(schema).find((choice) => choice === text || kebab(choice) === text) ?? text
    case 'time':
      return time(text)
    case 'moment':
      return moment(text)
    case 'json': {
      const value = parsedJson(text)
      if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
      return value
    }
    default:
      return text
  }
}

/** Returns the words that give a flag a value that is accepted, for an example. */
export function exampleOf({ name, kind, placeholder, choices, schema }: Flag): string {
  const [example] = schema.examples ?? []
  if (typeof example === 'string') return `--${name} ${example}`
  if (example !== undefined) return `--${name} '${JSON.stringify(example)}'`
  if (kind === 'choice') return `--${name} ${choices[0]}`
  if (kind === 'integer' || kind === 'number') return `--${name} ${Math.max(1, schema.minimum ?? 1)}`
  if (kind === 'time' || kind === 'moment') return `--${name} 2026-03-02T09:30:00Z`
  return `--${name} ${EXAMPLE_TEXTS[placeholder] ?? placeholder.toUpperCase()}`
}
const EXAMPLE_TEXTS: Readonly<Record<string, string>> = { id: 'msg_1', query: '"retry limit"', path: 'sample.db' }

const isBound = (value: number | undefined): value is number =>
  value !== undefined && Number.isSafeInteger(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER

function rangeOf(schema: JsonSchema): string | null {
  const { minimum, maximum } = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  if (isBound(maximum)) return `${minimum ?? 0} to ${maximum}`
  return isBound(minimum) ? `${minimum} or more` : null
}

function expectation(kind: Kind, schema: JsonSchema, choices: readonly string[]): string {
  if (kind === 'choice') return `one of: ${choices.join(', ')}`
  const range = rangeOf(schema)
  if (kind === 'integer' || kind === 'number') {
    const number = kind === 'integer' ? 'a whole number' : 'a number'
    return range === null ? number : `${number} from ${range.replace(' or more', ' on')}`
  }
  if (kind === 'json') return 'JSON in the form that "lcm schema" describes'
  const [example] = schema.examples ?? []
  if (typeof example === 'string') return `a text such as ${example}`
  return schema.maxLength === undefined ? 'a text' : `a text of 1 to ${schema.maxLength} characters`
}

function described(
  schema: JsonSchema,
  one: JsonSchema,
  kind: Kind,
  choices: readonly string[],
  isList: boolean,
): string {
  const range = kind === 'integer' && rangeOf(one) !== '0 or more' ? rangeOf(one) : null
  const values = [schema.default].flat().filter((value) => ['string', 'number'].includes(typeof value) && value !== '')
  const facts = [
    ...(choices.length > 1 ? [choices.join(', ')] : []),
    ...(range === null ? [] : [range]),
    ...(values.length > 0 ? [`default: ${values.map((value) => kebab(String(value))).join(', ')}`] : []),
    ...(isList ? ['may be repeated'] : []),
  ]
  const parts = one.anyOf?.flatMap(({ description }) => description ?? []) ?? []
  const does = schema.description ?? one.description ?? parts[0] ?? ''
  if (facts.length === 0) return does
  const added = facts.join('; ')
  return does.endsWith(')') ? `${does.slice(0, -1)}; ${added})` : `${does} (${added})`.trim()
}
