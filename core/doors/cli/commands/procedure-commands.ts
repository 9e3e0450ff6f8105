import { type Procedure, procedures } from '#core/contract/procedures.ts'
import type { CommandList, CommandSpec } from '../command.ts'
import { exampleOf, flagsOf } from '../input/flags.ts'

/** The procedures of the contract as commands. Their fields are their input. */
export const procedureList: CommandList = {
  title: 'lcm call',
  does: 'Call a procedure of the contract by its name. Times are ISO 8601; what has no shorter form is given as JSON.',
  lines: async () => procedures().map(commandOf),
  all: async () => procedures().map(commandOf),
  find: async (name) => {
    const procedure = procedures().find((one) => one.name === name)
    return procedure === undefined ? null : commandOf(procedure)
  },
}

function commandOf(procedure: Procedure): CommandSpec {
  const { name, does, input, output, isStream, writes = false } = procedure
  const words = flagsOf(input)
    .filter(({ isRequired }) => isRequired)
    .map(exampleOf)
  return {
    name,
    does: does.replace(/\.$/, ''),
    example: ['call', name, ...words, '--db sample.db'].join(' '),
    ...(writes ? {} : { memory: 'may_read' as const }),
    ...(input && { fields: input }),
    ...(output && !isStream && { prints: output }),
    run: async (asked: object, given) => {
      const { callProcedure } = await import('../call-procedure.ts')
      return callProcedure(procedure, asked, given)
    },
  }
}
