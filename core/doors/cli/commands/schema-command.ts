import { z } from 'zod'
import { ErrorCode } from '#core/contract/error.ts'
import { ALIASES, type CommandSpec, defineCommand } from '../command.ts'
import type { Flag } from '../input/flags.ts'
import { commandFlags, flagText } from '../input/parser.ts'
import { EXIT } from '../output/output.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'

/** Every command and procedure with its schemas, for programs. */
export const schema = defineCommand({
  name: 'schema',
  example: 'schema --json',
  fields: z.object(documentFile),
  run: async (input, { lists }) => {
    const { answerSchema, procedureSchemas } = await import('../input/json-schemas.ts')
    const [{ title, does, all }] = await lists()
    const described = (spec: CommandSpec) => {
      const { positional, options } = commandFlags(spec)
      return {
        name: spec.name,
        aliases: ALIASES[spec.name] ?? [],
        description: spec.does,
        example: `lcm ${spec.example}`,
        arguments: positional.map((flag) => ({
          name: flag.placeholder,
          description: flag.does,
          required: flag.isRequired,
          variadic: flag.isList,
          schema: valueSchema(flag),
        })),
        options: options.map((flag) => ({
          flags: flagText(flag),
          name: flag.name,
          description: flag.does,
          takesValue: flag.kind !== 'switch',
          mandatory: flag.isRequired,
          schema: valueSchema(flag),
        })),
        answer: answerSchema(spec.prints),
      }
    }
    const document = {
      name: title,
      description: does,
      exitCodes: EXIT,
      errorCodes: ErrorCode.options,
      commands: (await all()).map(described),
      procedures: procedureSchemas(),
    }
    const answer = { json: document, text: () => JSON.stringify(document, null, 2) }
    return documentAnswer({ answer, ...input, source: null })
  },
})

/** What a value may be. The other facts of the schema stand beside it. */
function valueSchema({
  schema: { value: _value, short: _short, variadic: _variadic, description: _does, ...rest },
}: Flag) {
  return rest
}
