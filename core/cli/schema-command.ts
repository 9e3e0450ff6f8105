import { getEventIteratorSchemaDetails } from '@orpc/contract'
import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '../contract/contract.ts'
import { ErrorCode } from '../contract/error.ts'
import { answerSchema } from './answer-schemas.ts'
import type { Define, Run } from './command.ts'
import { type Answer, EXIT } from './output.ts'

type Schema = Parameters<typeof getEventIteratorSchemaDetails>[0]
type Procedure = { '~orpc': { inputSchema?: Schema; outputSchema?: Schema } }

/** schema: everything that a program can ask for, for programs. */
export function addSchemaCommand(define: Define, run: Run, program: Command): void {
  run(define('schema', 'commands, options and JSON schemas, for programs'), async (): Promise<Answer> => {
    const schema = {
      name: program.name(),
      description: program.description(),
      exitCodes: EXIT,
      errorCodes: ErrorCode.options,
      commands: program.commands.map(described),
      procedures: procedures(),
    }
    return { json: schema, text: () => JSON.stringify(schema, null, 2) }
  })
}

const described = (command: Command) => ({
  name: command.name(),
  description: command.description(),
  arguments: command.registeredArguments.map((argument) => ({
    name: argument.name(),
    description: argument.description,
    required: argument.required,
    variadic: argument.variadic,
  })),
  options: command.options.map((option) => ({
    flags: option.flags,
    name: option.attributeName(),
    description: option.description,
    takesValue: option.required || option.optional,
    mandatory: option.mandatory,
  })),
  answer: answerSchema(command.name()),
})

/** Input and answer of each procedure; times in them are milliseconds, which commands print as ISO 8601. */
function procedures() {
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

/** null where nothing is promised. */
const jsonSchema = (schema: Schema, io: 'input' | 'output') =>
  schema instanceof z.ZodType ? z.toJSONSchema(schema, { io, unrepresentable: 'any' }) : null
