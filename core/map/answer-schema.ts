import type { Ajv as AjvType, ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { canonicalJson } from '../canonical-json.ts'
import { LcmError } from '../errors.ts'
import { parseExactly } from '../ingest/transcripts/json-objects.ts'
import { unfence, withoutThoughts } from '../models/prompts/clean-answer.ts'
import { cutText } from '../text.ts'

/** An answer that was accepted, as JSON with sorted keys, or why it was not. */
export type CheckedAnswer =
  | { readonly kind: 'valid'; readonly value: unknown; readonly json: string }
  | { readonly kind: 'invalid'; readonly problem: string }

const LONGEST_PROBLEM = 300

/** A JSON Schema, compiled once and asked of every answer. */
export class AnswerSchema {
  readonly text: string
  readonly #validate: ValidateFunction
  readonly #work = new Work()

  /** @throws LcmError invalid_argument when the text is no JSON Schema */
  constructor(text: string, path: string) {
    this.text = text
    try {
      const schema: unknown = JSON.parse(text)
      refuseAsync(schema)
      this.#validate = validatorFor(schema, this.#work).compile(counted(schema) as object)
    } catch (error) {
      const reason = error instanceof Error ? cutText(error.message, LONGEST_PROBLEM) : String(error)
      throw new LcmError(
        'invalid_argument',
        `${path} is no JSON Schema that can be used: ${reason.replace(/\.?$/, '.')} Correct it and start again.`,
        { path },
        { cause: error },
      )
    }
  }

  /** Takes the JSON document out of an answer and checks it. */
  check(answer: string): CheckedAnswer {
    const text = unfence(withoutThoughts(answer).trim())
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return { kind: 'invalid', problem: text === '' ? 'It is empty.' : 'It is not one JSON document.' }
    }
    if (isDeeperThan(value, DEEPEST)) return { kind: 'invalid', problem: 'It is nested too deeply.' }
    try {
      this.#work.begin(text.length)
      if (this.#validate(value)) return accepted(parseExactly(text))
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof RangeError) {
        return { kind: 'invalid', problem: 'It takes too much work to compare it with the schema.' }
      }
      throw error
    }
    const [error] = this.#validate.errors ?? []
    const problem = `${error?.instancePath || 'The document'} ${error?.message ?? 'is not valid'}`
    return { kind: 'invalid', problem: `${cutText(problem, LONGEST_PROBLEM)}.` }
  }
}

/** Accepts any answer: a JSON document as what it is, and everything else as a text. */
export function anyAnswer(answer: string): CheckedAnswer {
  try {
    return accepted(parseExactly(answer))
  } catch {
    return accepted(answer.replace(/\r?\n$/, '').toWellFormed())
  }
}

function accepted(value: unknown): CheckedAnswer {
  try {
    return { kind: 'valid', value, json: canonicalJson(value) }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'invalid', problem: 'It is nested too deeply.' }
    throw error
  }
}

/** The draft that the schema names, by default the one of 2020-12. Unknown keywords and formats are ignored. */
function validatorFor(schema: unknown, work: Work): AjvType {
  const draft = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : ''
  const linear = Object.assign(
    (pattern: string) => {
      const compiled = RE2JS.compile(inRe2(pattern))
      return {
        test: (text: string): boolean => {
          work.spend(text.length)
          return compiled.matcher(text).find()
        },
        // The validator keeps patterns under this name.
        toString: (): string => pattern,
      }
    },
    { code: 'linear' },
  )
  const options = { strict: false, validateFormats: true, logger: false as const, code: { regExp: linear } }
  const validator = /draft-0?[67]/.test(draft)
    ? new Ajv(options)
    : draft.includes('2019-09')
      ? new Ajv2019(options)
      : new Ajv2020(options)
  addFormats.default(validator)
  validator.addKeyword({ keyword: STEP, before: '$ref', validate: () => work.spend(1), errors: false })
  validator.removeKeyword('uniqueItems')
  validator.addKeyword({
    ...{ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean' },
    validate: (isAsked: boolean, items: readonly unknown[]) =>
      !isAsked || new Set(items.map((item) => canonicalJson(item))).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  })
  return validator
}

/** No answer that is nested deeper is used. */
const DEEPEST = 200
/**
 * At most this many references and characters compared with a pattern, and this many more for each character of the
 * answer.
 */
const FREE_STEPS = 1_000_000
const STEPS_A_CHARACTER = 20
const MOST_STEPS = 20_000_000
/** A keyword of ours, put beside each reference of a schema: whatever never ends goes round through one. */
const STEP = 'x-lcm-step'

class TooMuchWork extends Error {}

/** Counts what the comparison of one answer takes. */
class Work {
  #left = 0

  begin(characters: number): void {
    this.#left = Math.min(MOST_STEPS, FREE_STEPS + characters * STEPS_A_CHARACTER)
  }

  spend(steps: number): true {
    this.#left -= steps
    if (this.#left < 0) throw new TooMuchWork()
    return true
  }
}

/** JavaScript's character codes, as RE2 spells them. */
const inRe2 = (pattern: string): string =>
  pattern.replace(
    /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|.)/gis,
    (typed: string, braced?: string, plain?: string) => {
      const code = braced ?? plain
      return code === undefined ? typed : `\\x{${code}}`
    },
  )

/** Below these keywords stand values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])
const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']

/** The schema with our keyword beside each reference. */
function counted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(counted)
  if (typeof schema !== 'object' || schema === null) return schema
  const fields = Object.entries(schema).map(([key, value]) => [key, VALUES.has(key) ? value : counted(value)])
  const isReference = REFERENCES.some((key) => typeof (schema as Record<string, unknown>)[key] === 'string')
  return Object.fromEntries(isReference ? [...fields, [STEP, true]] : fields)
}

/** Answers would be compared later than they are used. */
function refuseAsync(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$async' && value !== false && (typeof value !== 'object' || value === null)) {
      throw new Error('$async is not supported')
    }
    if (!VALUES.has(key)) refuseAsync(value)
  }
}

/** Goes through a value without calling itself, because a deep one would end the program. */
function isDeeperThan(value: unknown, deepest: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
