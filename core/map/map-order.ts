import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import type { MapOperator, MapSpec } from '../contract/map.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { createTokenEstimator } from '../models/token-estimator.ts'
import { ConfiguredSummarizers } from '../settings/configured-summarizers.ts'
import { findKey, type KeyStore } from '../settings/key-store.ts'
import type { Settings } from '../settings/settings.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { AnswerSchema, anyAnswer } from './answer-schema.ts'
import { createCommandWorker } from './command-worker.ts'
import { correctionFor, instructionsFor, promptFor, requirePrompt } from './item-prompt.ts'
import type { MapRequest } from './map-run.ts'
import { createModelWorker } from './model-worker.ts'
import { requireRetained } from './retention.ts'
import type { Task, Worker } from './worker.ts'

/** A text and where it is from, for messages about it. */
export type GivenText = { readonly text: string; readonly from: string }

/** What a caller asks for. */
export type MapOrder = Omit<MapSpec, 'input' | 'prompt' | 'schema'> & {
  readonly input?: string | undefined
  readonly prompt: GivenText | null
  readonly schema: GivenText | null
} & Pick<MapRequest, 'record' | 'actor'>

/** Who is asked, and how. */
export type MapSurroundings = { readonly settings: Settings; readonly keys: KeyStore | null; readonly clock: Clock }

/**
 * Checks an order, so that nothing is called for one that cannot be carried out.
 * @throws LcmError invalid_argument
 */
export function requestOf(order: MapOrder, around: MapSurroundings): MapRequest {
  const { operator, record, actor, concurrency, retries, again } = order
  const work = operator === 'llm' ? modelWork(order, around) : delegation(order)
  const input = resolve(required(order.input, '--input FILE', 'the items'))
  return { operator, input, record, actor, concurrency, retries, isNew: again, clock: around.clock, ...work }
}

type Work = Pick<MapRequest, 'worker' | 'check' | 'hashes' | 'retain'>

function modelWork(order: MapOrder, around: MapSurroundings): Work {
  if (order.retain !== undefined) throw notFor('--retain', 'llm', 'nothing is delegated')
  const given = required(order.prompt, '--prompt FILE', 'the prompt template')
  const prompt = requirePrompt(given.text, given.from)
  const schema = schemaOf(required(order.schema, '--schema FILE', 'the JSON Schema of the answers'))
  return {
    worker: modelWorker(order, { prompt, schema: schema.text }, around),
    check: (answer) => schema.check(answer),
    hashes: { prompt_hash: sha256(prompt), schema_hash: sha256(schema.text) },
    retain: null,
  }
}

const schemaOf = ({ text, from }: GivenText): AnswerSchema => new AnswerSchema(text, from)

type ModelTask = { readonly prompt: string; readonly schema: string }

function modelWorker(order: MapOrder, { prompt, schema }: ModelTask, around: MapSurroundings): Worker {
  const [program, ...args] = order.command
  if (program === undefined) return createModelWorker({ providers: providersOf(order, around), prompt, schema })
  if (order.summarizer !== undefined) {
    throw new LcmError('invalid_argument', 'Either --summarizer or a command answers: leave one of them out.')
  }
  const instructions = instructionsFor(schema)
  const inputFor = ({ item, refusal }: Task): string =>
    `${instructions}\n\n${promptFor(prompt, item)}${refusal === null ? '' : correctionFor(refusal)}\n`
  return createCommandWorker({ command: [program, ...args], inputFor, timeoutMs: order.timeoutSeconds * 1000 })
}

function providersOf({ summarizer }: MapOrder, { settings: { models, tokenEstimator }, keys }: MapSurroundings) {
  const configured = new ConfiguredSummarizers({
    models,
    keyOf: (provider) => findKey(provider, process.env, keys),
    estimator: createTokenEstimator(tokenEstimator),
  })
  const names = configured.names.filter((name) => name !== 'deterministic')
  const name = summarizer ?? names.find((one) => one === 'chain') ?? (names.length === 1 ? names[0] : undefined)
  if (name === undefined || name === 'deterministic') throw noProvider(names)
  return configured.accessFor(name)
}

const noProvider = (names: readonly string[]): LcmError =>
  new LcmError(
    'invalid_argument',
    names.length === 0
      ? 'No model is configured that could answer. Add a provider to the settings file (docs/models.md), or give a command behind "--".'
      : `A model has to be named: give --summarizer with one of ${names.join(', ')}, or a command behind "--".`,
  )

function delegation(order: MapOrder): Work {
  const [program, ...args] = order.command
  const retain = requireRetained(order.retain)
  if (order.prompt !== null) throw notFor('--prompt', 'agentic', 'the command knows what to do with an item')
  if (order.summarizer !== undefined) throw notFor('--summarizer', 'agentic', 'the command does the work')
  if (program === undefined) {
    throw new LcmError('invalid_argument', 'Say who does the work: give a command behind "--".')
  }
  const schema = order.schema && schemaOf(order.schema)
  const inputFor = ({ item: { index, json } }: Task): string =>
    `{"index":${index},"item":${json},"retain":${JSON.stringify(retain)}}\n`
  return {
    worker: createCommandWorker({ command: [program, ...args], inputFor, timeoutMs: order.timeoutSeconds * 1000 }),
    check: (answer) => schema?.check(answer) ?? anyAnswer(answer),
    hashes: {
      delegate_hash: sha256(JSON.stringify([program, ...args])),
      ...(schema === null ? {} : { schema_hash: sha256(schema.text) }),
    },
    retain,
  }
}

const notFor = (option: string, operator: MapOperator, reason: string): LcmError =>
  new LcmError('invalid_argument', `${option} does not belong to "map ${operator}", because ${reason}: leave it out.`)

function required<T>(value: T | null | undefined, option: string, what: string): T {
  if (value !== undefined && value !== null) return value
  throw new LcmError('invalid_argument', `Give ${what} with ${option}. "lcm map --help" says more.`)
}

/**
 * Reads a text that a caller named by its path.
 * @throws LcmError file_missing, file_not_readable
 */
export function textIn(path: string): GivenText {
  try {
    return { text: readFileSync(path, 'utf8').replace(/^\ufeff/, ''), from: path }
  } catch (error) {
    throw fileError(error, path)
  }
}
