import { z } from 'zod'
import type { AgentTool } from '#core/contract/grants.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { procedures } from '#core/contract/procedures.ts'
import { LcmError } from '#core/errors.ts'
import type { CallProcedure } from '../procedures.ts'

/** Procedures about this machine, its user or other callers. They are not offered. */
const ELSEWHERE = /^(machine|settings|jobs|activity|notes|grants|tools)(\.|$)/

/** The most characters of JSON in an answer, which is about the limit of the other tools. */
const MOST_CHARS = 4 * MOST_AGENT_TOKENS

type ProcedureTool = AgentTool & { readonly procedure: string; readonly takesInput: boolean }

/** Returns every procedure of the contract that reads the memory as a tool. The texts never change. */
export function procedureTools(): ProcedureTool[] {
  return procedures()
    .filter(({ name, writes, isStream }) => !writes && !isStream && !ELSEWHERE.test(name))
    .map(({ name, does, input }) => ({
      name: `lcm_${name.replaceAll('.', '_')}`,
      title: name,
      description: `${does}. It is ${name} of the contract. Times in arguments are milliseconds.`,
      inputSchema: input ? z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) : { type: 'object' },
      procedure: name,
      takesInput: input !== undefined,
    }))
}

/**
 * Calls a procedure as a tool. A list is returned in the field `answer`, because the answer of a tool is an object.
 * @throws LcmError invalid_argument for an answer that would fill the window of an agent
 */
export async function callProcedureTool(
  { procedure, takesInput }: ProcedureTool,
  call: CallProcedure,
  given: unknown,
  signal: AbortSignal,
): Promise<object> {
  const answer = await call(procedure, takesInput ? given : undefined, signal)
  const chars = JSON.stringify(answer ?? null).length
  if (chars > MOST_CHARS) {
    throw new LcmError(
      'invalid_argument',
      `The answer of ${procedure} has ${chars.toLocaleString('en')} characters, and an agent is given at most ${MOST_CHARS.toLocaleString('en')}: ask for less, such as a lower limit or one conversation, or use lcm_grep.`,
    )
  }
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer : { answer: answer ?? null }
}
