import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import type { MapOperator } from '../contract/map.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { createTokenEstimator } from '../models/token-estimator.ts'
import { ConfiguredSummarizers } from '../settings/configured-summarizers.ts'
import { findKey } from '../settings/key-store.ts'
import type { Settings } from '../settings/settings.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { AnswerSchema, anyAnswer } from './answer-schema.ts'
import { createCommandWorker } from './command-worker.ts'
import { correctionFor, instructionsFor, promptFor, requirePrompt } from './item-prompt.ts'
import type { MapRequest } from './map-run.ts'
import { createModelWorker } from './model-worker.ts'
import { requireRetained } from './retention.ts'
import type { Task, Worker } from './worker.ts'

/** What a caller asks for, before the files that it names are read. */
export type MapOrder = {
  readonly operator: MapOperator
  readonly input: string | undefined
  /** The file with the prompt template. */
  readonly prompt: string | undefined
  /** The file with the JSON Schema. */
  readonly schema: string | undefined
  readonly retain: string | undefined
  /** The program and its arguments; empty when a model is asked. */
  readonly command: readonly string[]
  readonly summarizer: string | undefined
  readonly timeoutMs: number
} & Pick<MapRequest, 'record' | 'actor' | 'concurrency' | 'retries' | 'isNew'>

/**
 * Reads what an order names and checks it, so that nothing is called for an order that cannot be carried out.
 * @throws LcmError invalid_argument, file_missing, file_not_readable
 */
export function requestOf(order: MapOrder, settings: Settings, clock: Clock = systemClock): MapRequest {
  const { record, actor, concurrency, retries, isNew } = order
  const work = order.operator === 'llm' ? modelWork(order, settings) : delegation(order)
  const input = resolve(required(order.input, '--input FILE', 'the items'))
  return { operator: order.operator, input, record, actor, concurrency, retries, isNew, clock, ...work }
}

type Work = Pick<MapRequest, 'worker' | 'check' | 'hashes' | 'retain'>

function modelWork(order: MapOrder, settings: Settings): Work {
  if (order.retain !== undefined) throw notFor('--retain', 'llm', 'nothing is delegated')
  const promptPath = required(order.prompt, '--prompt FILE', 'the prompt template')
  const schemaPath = required(order.schema, '--schema FILE', 'the JSON Schema of the answers')
  const prompt = requirePrompt(readText(promptPath), promptPath)
  const schema = new AnswerSchema(readText(schemaPath), schemaPath)
  return {
    worker: modelWorker(order, { prompt, schema: schema.text }, settings),
    check: (answer) => schema.check(answer),
    hashes: { prompt_hash: sha256(prompt), schema_hash: sha256(schema.text) },
    retain: null,
  }
}

type Asked = { readonly prompt: string; readonly schema: string }

function modelWorker(order: MapOrder, { prompt, schema }: Asked, settings: Settings): Worker {
  const [program, ...args] = order.command
  if (program === undefined) return createModelWorker({ providers: providersOf(order, settings), prompt, schema })
  if (order.summarizer !== undefined) {
    throw new LcmError('invalid_argument', 'Either --summarizer or a command answers: leave one of them out.')
  }
  const instructions = instructionsFor(schema)
  const inputFor = ({ item, refusal }: Task): string =>
    `${instructions}\n\n${promptFor(prompt, item)}${refusal === null ? '' : correctionFor(refusal)}\n`
  return createCommandWorker({ command: [program, ...args], inputFor, timeoutMs: order.timeoutMs })
}

function providersOf({ summarizer }: MapOrder, { models, tokenEstimator }: Settings) {
  const configured = new ConfiguredSummarizers({
    models,
    keyOf: (provider) => findKey(provider, process.env, null),
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
  if (order.prompt !== undefined) throw notFor('--prompt', 'agentic', 'the command knows what to do with an item')
  if (order.summarizer !== undefined) throw notFor('--summarizer', 'agentic', 'the command does the work')
  if (program === undefined) {
    throw new LcmError('invalid_argument', 'Say who does the work: give a command behind "--".')
  }
  const schema = order.schema === undefined ? null : new AnswerSchema(readText(order.schema), order.schema)
  const inputFor = ({ item: { index, json } }: Task): string =>
    `{"index":${index},"item":${json},"retain":${JSON.stringify(retain)}}\n`
  return {
    worker: createCommandWorker({ command: [program, ...args], inputFor, timeoutMs: order.timeoutMs }),
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

function required(value: string | undefined, option: string, what: string): string {
  if (value !== undefined) return value
  throw new LcmError('invalid_argument', `Give ${what} with ${option}. "lcm map --help" says more.`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw fileError(error, path)
  }
}
