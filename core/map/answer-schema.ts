import type { Ajv as AjvType, ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LcmError } from '../errors.ts'
import { canonicalJson } from '../ingest/ledger/canonical-json.ts'
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

  /** @throws LcmError invalid_argument when the text is no JSON Schema */
  constructor(text: string, path: string) {
    this.text = text
    try {
      const schema: unknown = JSON.parse(text)
      this.#validate = validatorFor(schema).compile(schema as object)
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
    if (this.#validate(value)) return accepted(parseExactly(text))
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
function validatorFor(schema: unknown): AjvType {
  const draft = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : ''
  const options = { strict: false, validateFormats: true, logger: false as const }
  const validator = /draft-0?[67]/.test(draft)
    ? new Ajv(options)
    : draft.includes('2019-09')
      ? new Ajv2019(options)
      : new Ajv2020(options)
  addFormats.default(validator)
  return validator
}
