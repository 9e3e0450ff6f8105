import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { LcmError } from '../../errors.ts'
import { isHash, sha256 } from '../../hashing.ts'
import { type ObjectStore, RENEWED_AFTER_MS, type StoredObject } from './object-store.ts'

export type S3Options = {
  readonly endpoint: string
  readonly bucket: string
  /** Ends in a slash, or is empty. */
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  readonly wait?: (ms: number) => Promise<unknown>
  readonly now?: () => number
}

const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200
/** A server that says nothing for so long is not waited for any longer. */
const SILENCE_MS = 30_000
/** What S3 accepts in one request. */
const MOST_BYTES = 5 * 1024 ** 3
const MOST_LISTING_CHARS = 8_000_000
const MOST_REASON_CHARS = 4_000
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const NO_CONTENT = sha256('')

type Asked = {
  readonly method: 'HEAD' | 'GET' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: () => Iterable<Uint8Array>
  readonly signal?: AbortSignal
}

/** Any server that speaks the protocol of S3. Requests are signed; the secret key is never sent. */
export class S3Store implements ObjectStore {
  readonly #options: S3Options
  readonly shown: string

  constructor(options: S3Options) {
    this.#options = options
    this.shown = `s3://${options.bucket}/${options.prefix} at ${new URL(options.endpoint).host}`
  }

  async stat(hash: string): Promise<StoredObject | null> {
    const answer = await this.#ask({ method: 'HEAD', path: this.#key(hash) }, [200, 404])
    answer.resume()
    if (answer.statusCode === 404) return null
    return {
      hash,
      bytes: Number(answer.headers['content-length']),
      modifiedAtMs: Date.parse(answer.headers['last-modified'] ?? '') || 0,
    }
  }

  async put({ hash, bytes, open }: Parameters<ObjectStore['put']>[0], signal: AbortSignal): Promise<void> {
    if (bytes > MOST_BYTES) {
      throw new LcmError(
        'unsupported',
        `A large file of ${bytes} bytes is more than ${this.shown} takes at once (5 GB).`,
      )
    }
    const there = await this.stat(hash)
    const now = this.#options.now ?? Date.now
    if (there?.bytes === bytes && now() - there.modifiedAtMs < RENEWED_AFTER_MS) return
    // The server compares what arrives with this hash.
    const headers = { 'content-length': String(bytes), 'x-amz-content-sha256': hash }
    const answer = await this.#ask({ method: 'PUT', path: this.#key(hash), headers, body: open, signal }, [200])
    answer.resume()
  }

  async *get(hash: string, bytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let offset = 0
    for (let attempt = 1; ; attempt += 1) {
      const headers: Readonly<Record<string, string>> = offset > 0 ? { range: `bytes=${offset}-` } : {}
      const asked = { method: 'GET', path: this.#key(hash), headers, signal } as const
      const answer = await this.#ask(asked, [offset > 0 ? 206 : 200])
      try {
        for await (const piece of answer) {
          offset += piece.length
          if (offset > bytes) throw this.#changed(hash, bytes)
          yield piece
        }
        if (offset < bytes) throw this.#changed(hash, bytes)
        return
      } catch (error) {
        answer.destroy()
        if (signal.aborted || error instanceof LcmError) throw error
        if (attempt >= ATTEMPTS) throw this.#unreachable(error)
        await this.#pauseAfter(attempt)
      }
    }
  }

  async *list(signal: AbortSignal): AsyncGenerator<StoredObject> {
    const { prefix } = this.#options
    for (let token: string | null = null; ; ) {
      const query = { 'list-type': '2', prefix, ...(token === null ? {} : { 'continuation-token': token }) }
      const page: string = await textOf(
        await this.#ask({ method: 'GET', path: '', query, signal }, [200]),
        MOST_LISTING_CHARS,
      )
      for (const [entry] of page.matchAll(/<Contents>[\s\S]*?<\/Contents>/g)) {
        const hash = field(entry, 'Key')?.split('/').at(-1)
        // Others may keep something else in the same bucket.
        if (!isHash(hash) || field(entry, 'Key') !== this.#key(hash)) continue
        yield {
          hash,
          bytes: Number(field(entry, 'Size')),
          modifiedAtMs: Date.parse(field(entry, 'LastModified') ?? '') || 0,
        }
      }
      token = field(page, 'IsTruncated') === 'true' ? field(page, 'NextContinuationToken') : null
      if (token === null) return
    }
  }

  async remove(hash: string): Promise<void> {
    const answer = await this.#ask({ method: 'DELETE', path: this.#key(hash) }, [200, 204, 404])
    answer.resume()
  }

  #key(hash: string): string {
    return `${this.#options.prefix}${hash.slice(0, 2)}/${hash}`
  }

  /** Asks again when a server or the way to it fails for a moment. Any other status than those expected is an error. */
  async #ask(asked: Asked, expected: readonly number[]): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      let failure: LcmError
      try {
        const answer = await this.#once(asked)
        const status = answer.statusCode ?? 0
        if (expected.includes(status)) return answer
        const reason = await textOf(answer, MOST_REASON_CHARS).catch(() => '')
        failure = this.#refused(asked, status, field(reason, 'Code'))
        if (!PASSING.has(status)) throw failure
      } catch (error) {
        if (asked.signal?.aborted)
          throw new LcmError('cancelled', 'A large file was not transferred: it was cancelled.')
        if (error instanceof LcmError) throw error
        failure = this.#unreachable(error)
      }
      if (attempt >= ATTEMPTS) throw failure
      await this.#pauseAfter(attempt)
    }
  }

  async #once({ method, path, query = {}, headers = {}, body, signal }: Asked): Promise<IncomingMessage> {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = this.#options
    const url = new URL(endpoint)
    url.pathname = [url.pathname.replace(/\/$/, ''), bucket, ...(path === '' ? [] : [path])].join('/')
    url.search = new URLSearchParams(query).toString()
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey },
      ...(sessionToken === null ? {} : { sessionToken }),
      headers: { 'x-amz-content-sha256': NO_CONTENT, ...headers },
    })
    const signed = await signer.sign()
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers, ...Object.fromEntries(signed.headers) } }
      const sent = send(signed.url, { ...options, ...(signal === undefined ? {} : { signal }) }, resolve)
      sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error('the server does not answer')))
      sent.once('error', reject)
      if (body === undefined) sent.end()
      else Readable.from(body()).once('error', reject).pipe(sent)
    })
  }

  #pauseAfter(attempt: number): Promise<unknown> {
    return (this.#options.wait ?? pause)(FIRST_PAUSE_MS * 2 ** (attempt - 1))
  }

  /** Neither keys nor signatures get into a message: a server's own text may repeat them and is left out. */
  #refused({ method, path }: Asked, status: number, code: string | null): LcmError {
    const name = code !== null && /^[A-Za-z]{1,60}$/.test(code) ? code : `HTTP ${status}`
    const details = { status, store: this.shown }
    if (status === 404 && method === 'GET' && name !== 'NoSuchBucket' && path !== '') {
      return new LcmError('not_found', `The large file ${path.split('/').at(-1)} is not in ${this.shown}.`, details)
    }
    if (status === 401 || status === 403 || name === 'NoSuchBucket') {
      return new LcmError(
        'server_refused',
        `${this.shown} refused the request (${name}): check the bucket, its policy, LCM_OBJECTS_REGION and the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
        details,
      )
    }
    const failed = PASSING.has(status) ? 'server_unavailable' : 'server_failed'
    return new LcmError(failed, `${this.shown} failed (${name}): see the log of the server.`, details)
  }

  #unreachable(error: unknown): LcmError {
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
    return new LcmError(
      'server_unavailable',
      `${this.shown} cannot be reached (${code ?? 'no answer'}): check LCM_OBJECTS_ENDPOINT and that the server runs.`,
      { store: this.shown },
    )
  }

  #changed(hash: string, bytes: number): LcmError {
    return new LcmError(
      'server_failed',
      `The large file ${hash} in ${this.shown} is not the one that was stored: it has not ${bytes} bytes.`,
      { hash },
    )
  }
}

/** The text of an element of a server's XML. Names and values of ours hold no entities but these. */
function field(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return (
    found?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') ?? null
  )
}

async function textOf(answer: IncomingMessage, mostChars: number): Promise<string> {
  let text = ''
  answer.setEncoding('utf8')
  for await (const piece of answer) {
    text += piece
    if (text.length > mostChars) throw new Error('the answer is too long')
  }
  return text
}
