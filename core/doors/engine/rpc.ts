import type { ErrorCode } from '#core/contract/error.ts'
import { toErrorInfo } from '#core/errors.ts'
import { isObject } from '#core/ingest/transcripts/json-value.ts'

/** The codes of JSON-RPC 2.0, and the one for errors of the memory. https://www.jsonrpc.org/specification#error_object */
export const RPC_ERRORS = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  memory: -32000,
}

export type RpcId = string | number | null
export type RpcRequest = {
  readonly method: string
  readonly params: unknown
  /** Absent for a notification, which is not answered. */
  readonly id?: RpcId
}
type RpcError = {
  readonly code: number
  readonly message: string
  /** What the memory says of an error of its own. */
  readonly data?: { readonly code: ErrorCode; readonly retryable: boolean; readonly details?: Record<string, unknown> }
}
export type RpcAnswer = { readonly jsonrpc: '2.0'; readonly id: RpcId } & (
  | { readonly result: unknown }
  | { readonly error: RpcError }
)

/** An error that is no error of the memory. */
export class RpcFailure extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const answerOf = (id: RpcId, result: unknown): RpcAnswer => ({ jsonrpc: '2.0', id, result: result ?? null })

export const refusalOf = (id: RpcId, code: number, message: string): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

const WRONG_PARAMS: ReadonlySet<ErrorCode> = new Set(['invalid_argument', 'conversation_required'])

/** What is answered when a call failed. */
export function failureOf(id: RpcId, error: unknown): RpcAnswer {
  if (error instanceof RpcFailure) return refusalOf(id, error.code, error.message)
  const { code, message, retryable, details } = toErrorInfo(error)
  const own = code === 'internal' ? RPC_ERRORS.internal : RPC_ERRORS.memory
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: WRONG_PARAMS.has(code) ? RPC_ERRORS.params : own,
      message,
      data: { code, retryable, ...(details && { details }) },
    },
  }
}

/** Reads a request, or says what is wrong with it, under its id where it has one. */
export function readRequest(value: unknown): RpcRequest | RpcAnswer {
  const id = idOf(value)
  const refuse = (why: string): RpcAnswer => refusalOf(id ?? null, RPC_ERRORS.request, why)
  if (!isObject(value)) return refuse('A request is an object.')
  const { jsonrpc, method, params } = value
  if (jsonrpc !== '2.0') return refuse('A request says "jsonrpc": "2.0".')
  if (typeof method !== 'string') return refuse('The method of a request is a text.')
  if ('id' in value && id === undefined) return refuse('The id of a request is a text, a number or null.')
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return refuse('The parameters of a request are an object, or left out.')
  }
  return 'id' in value ? { method, params, id: id ?? null } : { method, params }
}

function idOf(value: unknown): RpcId | undefined {
  const id = isObject(value) ? value.id : undefined
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined
}
