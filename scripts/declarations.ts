// Writes out/library/index.d.ts, the types of the package: run by the build (electron.vite.config.ts).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { z } from 'zod'
import { contract } from '../core/contract/contract.ts'
import { hostCalls } from '../core/contract/host.ts'
import { typeCompiler } from './type-compiler.mjs'

/**
 * Those who import the package do not have zod, from whose schemas the contract infers its types. So the types of the
 * contract are written from the JSON schemas, and those of `api.ts` by the compiler.
 */
const root = join(import.meta.dirname, '..')
const NOTE = '// Generated from core/contract and core/doors/library/api.ts by scripts/declarations.ts.'

type Json = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
  readonly allOf?: readonly Json[]
  readonly items?: Json
  readonly prefixItems?: readonly Json[]
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Json
  readonly propertyNames?: Json
}
type Side = 'input' | 'output'
type Call = { readonly name: string; readonly input: z.ZodType | undefined; readonly output: z.ZodType | undefined }
type Procedure = { readonly '~orpc': { readonly inputSchema?: z.ZodType; readonly outputSchema?: z.ZodType } }
/** Gives the name under which a schema that another one names is declared. */
type NameOf = (name: string) => string

/** The TypeScript of a JSON schema. */
function typeOf(json: Json, nameOf: NameOf = (name) => name): string {
  const of = (one: Json): string => typeOf(one, nameOf)
  if (json.$ref !== undefined) return nameOf(json.$ref)
  if (json.const !== undefined) return JSON.stringify(json.const)
  if (json.enum) return json.enum.map((value) => JSON.stringify(value)).join(' | ')
  const several = json.anyOf ?? json.oneOf
  if (several) return [...new Set(several.map(of))].join(' | ')
  if (json.allOf) return json.allOf.map((one) => `(${of(one)})`).join(' & ')
  if (Array.isArray(json.type)) return json.type.map((type) => of({ ...json, type })).join(' | ')
  switch (json.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return json.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return json.prefixItems ? `[${json.prefixItems.map(of).join(', ')}]` : `${inList(of(json.items ?? {}))}[]`
    case 'object':
      return objectType(json, of)
    default:
      return 'unknown'
  }
}

const inList = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`)

function objectType(
  { properties, required = [], additionalProperties, propertyNames }: Json,
  of: (one: Json) => string,
) {
  const rest = typeof additionalProperties === 'object' ? of(additionalProperties) : null
  if (rest !== null && !properties) return `Record<${propertyNames ? of(propertyNames) : 'string'}, ${rest}>`
  const fields = Object.entries(properties ?? {}).map(
    ([name, json]) => `${comment(json)}${name}${required.includes(name) ? '' : '?'}: ${of(json)}`,
  )
  if (rest !== null) fields.push(`[other: string]: ${rest}`)
  return `{ ${fields.join('; ')} }`
}

function comment(json: Json): string {
  const told = json.default === undefined ? [] : [`Default: \`${JSON.stringify(json.default)}\`.`]
  const text = [...(json.description ? [json.description] : []), ...told].join(' ')
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */ `
}

/** The schemas that a JSON schema names. */
const namesIn = (json: Json): string[] =>
  Array.from(JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g), ([, name = '']) => name)

/** The exported schemas of the contract by name, as JSON. */
class Schemas {
  readonly #registry = z.registry<{ id: string }>()
  readonly #names = new Map<z.ZodType, string>()
  #written: Readonly<Record<Side, Readonly<Record<string, Json>>>> | null = null

  add(name: string, schema: z.ZodType | undefined): void {
    if (!(schema instanceof z.ZodType) || this.#names.has(schema)) return
    this.#names.set(schema, name)
    this.#registry.add(schema, { id: name })
  }

  json(name: string, side: Side): Json {
    this.#written ??= { input: this.#write('input'), output: this.#write('output') }
    const json = this.#written[side][name]
    if (!json) throw new Error(`the contract has no schema ${name}`)
    return json
  }

  /** A reference to an exported schema, and the schema itself where it has no name. */
  jsonOf(schema: z.ZodType, side: Side): Json {
    const name = this.#names.get(schema) ?? ''
    return name.startsWith(UNNAMED) ? this.json(name, side) : { $ref: name }
  }

  /** The names that these lead to. */
  reached(from: readonly Json[], side: Side): Set<string> {
    const reached = new Set(from.flatMap(namesIn))
    for (const name of reached) for (const next of namesIn(this.json(name, side))) reached.add(next)
    return reached
  }

  /** Whether what is given differs from what is answered, because a default fills it in. */
  differs(name: string): boolean {
    return [...this.reached([{ $ref: name }], 'input')].some(
      (one) => typeOf(this.json(one, 'input')) !== typeOf(this.json(one, 'output')),
    )
  }

  #write(io: Side): Readonly<Record<string, Json>> {
    return z.toJSONSchema(this.#registry, { io, unrepresentable: 'any', uri: (id) => id }).schemas as never
  }
}

const UNNAMED = 'unnamed '

async function declarations(): Promise<string> {
  const schemas = new Schemas()
  const files = readdirSync(join(root, 'core/contract')).filter((name) => name.endsWith('.ts'))
  for (const file of files) {
    const exported: Record<string, unknown> = await import(`../core/contract/${file}`)
    for (const [name, value] of Object.entries(exported)) if (value instanceof z.ZodType) schemas.add(name, value)
  }
  const procedures = proceduresOf()
  const hosts = Object.entries(hostCalls).map(([name, call]) => ({ name, ...call }))
  for (const { name, input, output } of [...procedures, ...hosts]) {
    schemas.add(`${UNNAMED}${name} input`, input)
    schemas.add(`${UNNAMED}${name} output`, yielded(output) ?? output)
  }
  const side = (one: Side): Json[] =>
    [...procedures, ...hosts].flatMap((call) => {
      const schema = yielded(call[one]) ?? call[one]
      return schema ? [schemas.jsonOf(schema, one)] : []
    })
  const [given, answered] = [schemas.reached(side('input'), 'input'), schemas.reached(side('output'), 'output')]
  const givenName = (name: string): string => (answered.has(name) && schemas.differs(name) ? `${name}Request` : name)
  const declared = new Map([
    ...[...answered].map((name) => [name, { json: schemas.json(name, 'output'), nameOf: String as NameOf }] as const),
    ...[...given].map((name) => [givenName(name), { json: schemas.json(name, 'input'), nameOf: givenName }] as const),
  ])
  const types = [...declared].sort(([a], [b]) => (a < b ? -1 : 1))
  const typeOfSide = (schema: z.ZodType | undefined, one: Side): string => {
    if (schema === undefined && one === 'input') return 'undefined'
    if (schema === undefined || schema instanceof z.ZodVoid) return 'void'
    const step = yielded(schema)
    if (step) return `AsyncIterable<${typeOfSide(step, one)}>`
    return typeOf(schemas.jsonOf(schema, one), one === 'input' ? givenName : String)
  }
  const lines = procedures.map(
    ({ name, input, output }) =>
      `  '${name}': { readonly input: ${typeOfSide(input, 'input')}; readonly output: ${typeOfSide(output, 'output')} }`,
  )
  return [
    NOTE,
    compiled('api.ts').replace(/import type \{[^}]*\} from '\.\/types\.ts';?\n/, ''),
    '/** Every procedure of the contract by its name, with what it is given and what it answers. */',
    `export interface Procedures {\n${lines.join('\n')}\n}`,
    ...types.map(([name, { json, nameOf }]) => `${comment(json)}export type ${name} = ${typeOf(json, nameOf)}`),
    '',
  ].join('\n')
}

/** What a call answers step by step, or undefined. */
function yielded(schema: z.ZodType | undefined): z.ZodType | undefined {
  return getEventIteratorSchemaDetails(schema as never)?.yields as z.ZodType | undefined
}

function proceduresOf(): Call[] {
  return Object.entries(contract).flatMap(([area, group]) => {
    const members: [string, unknown][] =
      '~orpc' in group ? [[area, group]] : Object.entries(group).map(([name, one]) => [`${area}.${name}`, one])
    return members.map(([name, one]) => {
      const { inputSchema: input, outputSchema: output } = (one as Procedure)['~orpc']
      return { name, input, output }
    })
  })
}

/** What the compiler declares of a file of the library. */
function compiled(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lcm-declarations-'))
  try {
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', folder]
    execFileSync(process.execPath, [...typeCompiler, '-p', join(root, 'core/tsconfig.json'), ...emit], {
      stdio: 'inherit',
    })
    return readFileSync(join(folder, 'doors/library', file.replace(/\.ts$/, '.d.ts')), 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

mkdirSync(join(root, 'out/library'), { recursive: true })
writeFileSync(join(root, 'out/library/index.d.ts'), await declarations())
