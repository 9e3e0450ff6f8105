import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { z } from 'zod'
import { contract, type ProcedureMeta } from './contract.ts'

/** A procedure of the contract as a value, for doors that are generated from it. */
export type Procedure = ProcedureMeta & {
  /** Such as `strata.get`. */
  readonly name: string
  readonly path: readonly string[]
  readonly input: z.ZodType | undefined
  /** Of a stream, what each step is. Undefined when nothing is returned. */
  readonly output: z.ZodType | undefined
  readonly isStream: boolean
}

type Schema = Parameters<typeof getEventIteratorSchemaDetails>[0]
type Node = {
  readonly '~orpc': { readonly inputSchema?: Schema; readonly outputSchema?: Schema; readonly meta: ProcedureMeta }
}

/** Lists all procedures in the order of the contract. */
export function procedures(): Procedure[] {
  return Object.entries(contract).flatMap(([area, group]) =>
    '~orpc' in group
      ? [procedureOf([area], group)]
      : Object.entries(group).map(([name, one]) => procedureOf([area, name], one)),
  )
}

function procedureOf(path: readonly string[], node: unknown): Procedure {
  const { inputSchema, outputSchema, meta } = (node as Node)['~orpc']
  const stream = (): ReturnType<typeof getEventIteratorSchemaDetails> => getEventIteratorSchemaDetails(outputSchema)
  return {
    ...meta,
    name: path.join('.'),
    path,
    // Who needs the names alone does not make all schemas.
    get input() {
      return zodOrNone(inputSchema)
    },
    get output() {
      return zodOrNone(stream()?.yields ?? outputSchema)
    },
    get isStream() {
      return stream() !== undefined
    },
  }
}

const zodOrNone = (schema: Schema): z.ZodType | undefined =>
  schema instanceof z.ZodType && !(schema instanceof z.ZodVoid) ? schema : undefined
