import { z } from 'zod'
import { procedures } from '#core/contract/procedures.ts'
import { isTime, printedName } from '../output/cli-json.ts'

/** Returns the JSON schema of what a command prints, with times as they are printed, or null when it promises none. */
export function answerSchema(schema: z.ZodType | undefined): unknown {
  return schema ? asPrinted(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })) : null
}

const PRINTED_TIME = { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }

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

/** Returns input and answer of each procedure. Times in them are milliseconds, which commands print as ISO 8601. */
export const procedureSchemas = () =>
  procedures().map(({ name, does, writes = false, input, output, isStream }) => ({
    name,
    does,
    writes,
    input: jsonSchema(input, 'input'),
    output: jsonSchema(output, 'output'),
    isStream,
  }))

/** Returns null when no schema is promised. */
const jsonSchema = (schema: z.ZodType | undefined, io: 'input' | 'output') =>
  schema === undefined ? null : z.toJSONSchema(schema, { io, unrepresentable: 'any' })
