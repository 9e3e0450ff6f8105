import type { Command } from 'commander'
import { ErrorCode } from '../../contract/error.ts'
import type { Define, Run } from './command.ts'
import { type Answer, EXIT } from './output.ts'

/** Adds the command schema: every command and procedure with its schemas, for programs. */
export function addSchemaCommand(define: Define, run: Run, program: Command): void {
  run(define('schema', 'commands, options and JSON schemas, for programs'), async (): Promise<Answer> => {
    const { answerSchema, procedures } = await import('./json-schemas.ts')
    const schema = {
      name: program.name(),
      description: program.description(),
      exitCodes: EXIT,
      errorCodes: ErrorCode.options,
      commands: program.commands.map((one) => ({ ...described(one), answer: answerSchema(one.name()) })),
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
})
