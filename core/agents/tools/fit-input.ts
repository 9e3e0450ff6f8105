import { z } from 'zod'
import { LcmError } from '#core/errors.ts'

export type FittedInput = {
  /** The arguments with the defaults of those that were not given. */
  readonly input: object
  /** The names of the arguments that were given. */
  readonly given: ReadonlySet<string>
  /** One sentence for each argument that was changed or left out. */
  readonly notes: readonly string[]
}

/** The input is checked again after each round of changes, because a change can uncover another problem. */
const MOST_ROUNDS = 3

/**
 * Makes the arguments of a call valid against its schema. A number out of its range becomes the nearest one within, a
 * list that is too long is cut, and an argument that the schema does not know is left out, because a model that is
 * refused often gives up. Each change is noted.
 * @throws LcmError invalid_argument for everything else that does not fit
 */
export function fitInput(schema: z.ZodObject, given: unknown): FittedInput {
  const strict = schema.strict()
  const input = isRecord(given) ? structuredClone(given) : {}
  const notes: string[] = []
  for (let round = 0; ; round += 1) {
    const parsed = strict.safeParse(input)
    if (parsed.success) return { input: parsed.data, given: new Set(Object.keys(input)), notes }
    for (const issue of parsed.error.issues) {
      const note = round < MOST_ROUNDS ? settle(issue, input) : null
      if (note === null) throw refusal(parsed.error)
      notes.push(note)
    }
  }
}

type Values = Record<string, unknown>
const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Corrects the input for one issue. Returns a sentence about the change, or null when what was meant is not clear. */
function settle(issue: z.core.$ZodIssue, input: Values): string | null {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    for (const key of issue.keys) delete input[key]
    const names = issue.keys.map((key) => JSON.stringify(key.slice(0, 80))).join(', ')
    return `There is no argument ${names} here: it was ignored.`
  }
  const [name] = issue.path
  // The nearest id is another conversation.
  if (typeof name !== 'string' || issue.path.length !== 1 || name.endsWith('Id')) return null
  const value = input[name]
  if (issue.code === 'too_big' && Array.isArray(value)) {
    input[name] = value.slice(0, Number(issue.maximum))
    return `${name} takes at most ${issue.maximum} values: the first ${issue.maximum} of ${value.length} were used.`
  }
  if (typeof value === 'string' && issue.code === 'invalid_type' && /^-?\d{1,15}$/.test(value)) {
    input[name] = Number(value)
    return `${name} is a number: ${value} was read as one.`
  }
  if (typeof value !== 'number') return null
  const nearest = nearestTo(issue, value)
  if (nearest === null) return null
  input[name] = nearest
  return `${name} ${value} is not possible: ${nearest} was used.`
}

function nearestTo(issue: z.core.$ZodIssue, value: number): number | null {
  if (issue.code === 'too_big') return Number(issue.maximum)
  if (issue.code === 'too_small') return Number(issue.minimum)
  return issue.code === 'invalid_type' && Number.isFinite(value) ? Math.trunc(value) : null
}

const refusal = (error: z.ZodError): LcmError =>
  new LcmError(
    'invalid_argument',
    `The arguments do not fit. ${z.prettifyError(error).replaceAll('\n', ' ').slice(0, 1_000)}`,
  )
