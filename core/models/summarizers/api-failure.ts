import { APICallError } from 'ai'
import { isWriter } from '#core/contract/lists.ts'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { AnswerTooLarge, RedirectRefused } from './bounded-fetch.ts'
import { CallFailure } from './call-failure.ts'

/** Says what went wrong with a call and what to do. The text of the error itself is not passed on. */
export function callFailureOf(error: unknown, provider: ProviderSettings, nowMs: number): CallFailure {
  if (error instanceof CallFailure) return error
  const host = hostOf(provider.baseUrl)
  for (const cause of causesOf(error)) {
    if (cause instanceof AnswerTooLarge) {
      return new CallFailure('failed', `${host} answered far more than was asked for; the answer was dropped.`, {
        isBilled: true,
      })
    }
    if (cause instanceof RedirectRefused) {
      return new CallFailure('failed', `${host} redirects elsewhere, where no key is sent. Check the base URL.`)
    }
    const told = networkProblem(cause, host)
    if (told) return told
  }
  if (!APICallError.isInstance(error)) {
    return new CallFailure('failed', `The answer of ${host} could not be used.`, { isBilled: true })
  }
  const status = error.statusCode
  if (status === undefined) return new CallFailure('failed', `${host} could not be reached.`, { isRetryable: true })
  if (status < 300) {
    const reason = `${host} answered something that is no answer of ${provider.kind === 'anthropic' ? 'the Anthropic' : 'an OpenAI-compatible'} interface.`
    return new CallFailure('failed', reason, { isRetryable: true, isBilled: true })
  }
  return new CallFailure('failed', `${host} answered ${status}: ${statusProblem(status, provider)}`, {
    isRetryable: isRetryableStatus(status),
    isOfRequest: [400, 413, 422].includes(status),
    retryAfterMs: retryAfterMs(error.responseHeaders ?? {}, nowMs),
  })
}

const isRetryableStatus = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500

function statusProblem(status: number, provider: ProviderSettings): string {
  const { keyVariable, model } = provider
  if (status === 401 || status === 403) {
    const where = keyVariable === null ? 'the stored key' : keyVariable
    return `the key was not accepted. Check ${where}.`
  }
  if (status === 402) return 'the account has no credit left.'
  if (status === 404) return `there is no such address, or no model ${model}. Check the base URL and the model.`
  if (status === 413) return 'the request is too large for it. Make the chunks smaller.'
  if (status === 429) return 'too many requests for now.'
  if (status === 400 || status === 422) {
    const what = isWriter(provider) ? 'The chunk may be too large' : 'A text may be too long'
    return `it refused the request. ${what} for ${model}, or a value not accepted by it.`
  }
  return status >= 500 ? 'it has a problem of its own.' : 'it refused the request.'
}

function networkProblem(error: unknown, host: string): CallFailure | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ECONNREFUSED':
      return new CallFailure('failed', `Nothing answers at ${host}. Is the server running?`, { isRetryable: true })
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CallFailure('failed', `${host} is not known. Check the base URL and the network.`, {
        isRetryable: code === 'EAI_AGAIN',
      })
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return new CallFailure('failed', `${host} closed the connection before it had answered.`, {
        isRetryable: true,
        isBilled: true,
      })
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new CallFailure('timeout', `${host} could not be reached in time.`, { isRetryable: true })
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new CallFailure('timeout', `${host} stopped answering.`, { isRetryable: true, isBilled: true })
    default:
      return /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)
        ? new CallFailure('failed', `The certificate of ${host} is not trusted.`)
        : null
  }
}

/**
 * Reads `Retry-After` in seconds or as a date, or the more precise `retry-after-ms`. Returns null when neither can be
 * read.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const exact = headers['retry-after-ms']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(exact)) return Number(exact)
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** Returns host and port. The rest of a base URL is not recorded. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the server'
}

function* causesOf(error: unknown): Generator<unknown> {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    yield current
    if (current instanceof AggregateError) yield* current.errors
    current = current.cause
  }
}
