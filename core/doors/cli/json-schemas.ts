import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { z } from 'zod'
import { contract } from '../../contract/contract.ts'
import { answers } from './answers.ts'

/** Returns the JSON schema of what a command prints, with times as they are printed, or null when it promises none. */
export function answerSchema(command: string): unknown {
  const schema = Object.hasOwn(answers, command) ? answers[command] : undefined
  return schema ? asPrinted(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })) : null
}

const PRINTED_TIME = { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }
const isTime = (name: string): boolean => /(^a|A)tMs$/.test(name)
const printedName = (name: string): string => (isTime(name) ? name.slice(0, -2) : name)

/** Converts a schema as `toCliJson` converts values: `…AtMs` is a number in the contract and `…At` a text in print. */
function asPrinted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asPrinted)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && typeof value === 'object' && value !== null) return [key, printedProperties(value)]
      if (key === 'required' && Array.isArray(value)) return [key, value.map((name) => printedName(String(name)))]
      return [key, asPrinted(value)]
    }),
  )
}

const printedProperties = (properties: object): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      printedName(name),
      isTime(name) ? PRINTED_TIME : asPrinted(value),
    ]),
  )

type Schema = Parameters<typeof getEventIteratorSchemaDetails>[0]
type Procedure = { '~orpc': { inputSchema?: Schema; outputSchema?: Schema } }

/** Returns input and answer of each procedure. Times in them are milliseconds, which commands print as ISO 8601. */
export function procedures() {
  return Object.entries(contract).flatMap(([area, group]) => {
    const members: Record<string, unknown> = '~orpc' in group ? { '': group } : group
    return Object.entries(members).map(([name, procedure]) => {
      const { inputSchema, outputSchema } = (procedure as Procedure)['~orpc']
      const stream = getEventIteratorSchemaDetails(outputSchema)
      return {
        name: name ? `${area}.${name}` : area,
        input: jsonSchema(inputSchema, 'input'),
        output: jsonSchema(stream ? stream.yields : outputSchema, 'output'),
        isStream: stream !== undefined,
      }
    })
  })
}

/** Returns null when no schema is promised. */
const jsonSchema = (schema: Schema, io: 'input' | 'output') =>
  schema instanceof z.ZodType ? z.toJSONSchema(schema, { io, unrepresentable: 'any' }) : null
