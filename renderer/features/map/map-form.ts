import { MAP_RANGES } from '#core/contract/lists.ts'
import type { RequestedMap } from '#core/contract/map.ts'
import type { Problems } from '#renderer/ui/controls/form-field.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'

/** What the user typed about a run. The fields are texts until they are checked together. */
export type MapForm = {
  readonly operator: RequestedMap['operator']
  readonly input: string
  readonly prompt: string
  readonly schema: string
  /** The name of a provider or of the chain; empty for the first of those that are configured. */
  readonly summarizer: string
  readonly command: string
  readonly retain: string
  readonly concurrency: string
  readonly retries: string
  readonly timeoutSeconds: string
  readonly again: boolean
}

export type MapField = keyof MapForm
export type MapProblems = Problems<MapField>

export const EMPTY_MAP: MapForm = {
  operator: 'llm',
  input: '',
  prompt: '',
  schema: '',
  summarizer: '',
  command: '',
  retain: '',
  concurrency: '4',
  retries: '2',
  timeoutSeconds: '600',
  again: false,
}

/** Returns what to ask the core for, or what is wrong with the fields. `models` are the names that can be asked. */
export function mapOf(
  form: MapForm,
  models: readonly string[],
): { readonly map: RequestedMap } | { readonly problems: MapProblems } {
  const { operator, again } = form
  const command = splitCommand(form.command)
  const numbers = { concurrency: Number(form.concurrency), retries: Number(form.retries) }
  const timeoutSeconds = Number(form.timeoutSeconds)
  const input = form.input.trim().replace(/^"(.*)"$/, '$1')
  const summarizer = chosenModel(form, models)
  const problems: MapProblems = {
    ...(input === '' && { input: 'Name the file with the items.' }),
    ...(operator === 'llm' && problemsOfModel(form, summarizer)),
    ...(operator === 'agentic' && problemsOfCommand(form, command)),
    ...rangeProblem('concurrency', numbers.concurrency),
    ...rangeProblem('retries', numbers.retries),
    ...(operator === 'agentic' && rangeProblem('timeoutSeconds', timeoutSeconds)),
  }
  if (Object.keys(problems).length > 0) return { problems }
  const common = { operator, input, again, ...numbers }
  if (operator === 'llm') return { map: { ...common, prompt: form.prompt, schema: form.schema, summarizer } }
  const schema = form.schema.trim() === '' ? undefined : form.schema
  return { map: { ...common, command: [...(command ?? [])], retain: form.retain, timeoutSeconds, schema } }
}

/** Returns the name that is asked: the chosen one, or else the first that is configured. */
export const chosenModel = ({ summarizer }: MapForm, models: readonly string[]): string | undefined =>
  models.includes(summarizer) ? summarizer : models[0]

function problemsOfModel({ prompt, schema }: MapForm, summarizer: string | undefined): MapProblems {
  return {
    ...(!prompt.includes('{{item}}') && { prompt: 'Write {{item}} where the item belongs.' }),
    ...(!isJson(schema) && { schema: 'Give a JSON Schema, such as {"type": "object"}.' }),
    ...(summarizer === undefined && { summarizer: 'Set up a model first, or delegate to a command.' }),
  }
}

function problemsOfCommand({ schema, retain }: MapForm, command: readonly string[] | null): MapProblems {
  return {
    ...(command === null && { command: 'A quotation mark is not closed.' }),
    ...(command?.length === 0 && { command: 'Name the program that does the work.' }),
    ...(retain.trim() === '' && { retain: 'Say what you stay responsible for.' }),
    ...(schema.trim() !== '' && !isJson(schema) && { schema: 'This is no JSON. Leave it empty to take every answer.' }),
  }
}

function rangeProblem(field: keyof typeof MAP_RANGES, value: number): MapProblems {
  const { min, max } = MAP_RANGES[field]
  const isIn = Number.isInteger(value) && value >= min && value <= max
  return isIn ? {} : { [field]: `A whole number from ${formatCount(min)} to ${formatCount(max)}.` }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Splits a command into the program and its arguments. Blanks separate them, quotation marks of either kind keep a text
 * together, and nothing else has a meaning, because there is no shell.
 * @returns null when a quotation mark is not closed
 */
export function splitCommand(text: string): readonly string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (const mark of text) {
    if (quote !== null) {
      if (mark === quote) quote = null
      else word += mark
    } else if (mark === '"' || mark === "'") {
      quote = mark
      word ??= ''
    } else if (/\s/.test(mark)) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + mark
    }
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}
