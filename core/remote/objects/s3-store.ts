import type { Hash } from 'node:crypto'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { LcmError } from '#core/errors.ts'
import { isHash, sha256, startMd5, startSha256 } from '#core/hashing.ts'
import { yieldToOthers } from '#core/yielding.ts'
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
/** A server that says nothing for this long is not waited for any longer. */
const SILENCE_MS = 30_000
/** What S3 accepts in one request. */
const MOST_BYTES = 5 * 1024 ** 3
const MOST_LISTING_CHARS = 8_000_000
/** A server may filter what it lists, and then a page is empty although more follow; so many in a row are no listing. */
const MOST_EMPTY_PAGES = 100
const MOST_REASON_CHARS = 4_000
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const CANCELLED = 'A large file was not transferred: it was cancelled.'
const NO_CONTENT = sha256('')

type StoreRequest = {
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
    const found = await this.#head(hash)
    return found && { hash, bytes: found.bytes, modifiedAtMs: found.modifiedAtMs }
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
    if (there?.bytes === bytes && there.modifiedAtMs !== null && now() - there.modifiedAtMs < RENEWED_AFTER_MS) return
    // Many servers compare what arrives with this hash, but not all.
    const headers = { 'content-length': String(bytes), 'x-amz-content-sha256': hash }
    const answer = await this.#ask({ method: 'PUT', path: this.#key(hash), headers, body: open, signal }, [200])
    answer.resume()
    await this.#verify({ hash, bytes, open }, signal)
  }

  /**
   * Compares what is stored with what was sent. The ETag of an object is its MD5 on most servers; where it is anything
   * else, such as with encrypted buckets, the object is read back.
   */
  async #verify({ hash, bytes, open }: Parameters<ObjectStore['put']>[0], signal: AbortSignal): Promise<void> {
    const stored = await this.#head(hash)
    if (stored?.bytes === bytes) {
      if (isMd5(stored.etag) && stored.etag === (await digestOf(startMd5(), open(), signal))) return
      if ((await digestOf(startSha256(), this.get(hash, bytes, signal), signal)) === hash) return
    }
    // What is wrong must not be taken for content that is there.
    if (stored !== null) await this.remove(hash)
    const instead = stored === null ? 'does not have it' : 'held other content in its place, which was removed'
    throw new LcmError(
      'server_failed',
      `${this.shown} took the large file ${hash}, but ${instead}: see the log of the server, and try again.`,
      { hash, store: this.shown },
    )
  }

  async #head(hash: string): Promise<(StoredObject & { readonly etag: string | null }) | null> {
    const answer = await this.#ask({ method: 'HEAD', path: this.#key(hash) }, [200, 404])
    answer.resume()
    if (answer.statusCode === 404) return null
    const bytes = sizeOf(answer.headers['content-length'])
    if (bytes === null) throw this.#unreadable('the size of a large file is missing')
    return {
      ...{ hash, bytes, modifiedAtMs: timeOf(answer.headers['last-modified']) },
      etag: answer.headers.etag?.replaceAll('"', '').toLowerCase() ?? null,
    }
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
        if (signal.aborted) throw new LcmError('cancelled', CANCELLED)
        if (error instanceof LcmError) throw error
        if (attempt >= ATTEMPTS) throw this.#unreachable(error)
        await this.#pauseAfter(attempt)
      }
    }
  }

  async *list(signal: AbortSignal): AsyncGenerator<StoredObject> {
    const { prefix } = this.#options
    const seen = new Set<string>()
    let emptyPages = 0
    for (let token: string | null = null; ; ) {
      const query = { 'list-type': '2', prefix, ...(token === null ? {} : { 'continuation-token': token }) }
      const page: string = await this.#text({ method: 'GET', path: '', query, signal }, MOST_LISTING_CHARS)
      const isCut = field(page, 'IsTruncated')
      if (!page.includes('<ListBucketResult') || (isCut !== 'true' && isCut !== 'false')) {
        throw this.#unreadable('it is no list of objects')
      }
      const entries = [...page.matchAll(/<Contents>[\s\S]*?<\/Contents>/g)].map(([entry]) => entry)
      emptyPages = entries.length === 0 ? emptyPages + 1 : 0
      token = isCut === 'true' ? field(page, 'NextContinuationToken') : null
      if (isCut === 'true' && !token) throw this.#unreadable('it does not say where the next page begins')
      const marks = [
        ...(token === null ? [] : [`token ${token}`]),
        ...(entries.length === 0 ? [] : [sha256(entries.join(''))]),
      ]
      if (emptyPages > MOST_EMPTY_PAGES || marks.some((mark) => seen.has(mark))) {
        throw this.#unreadable('it does not end: a page comes again')
      }
      for (const mark of marks) seen.add(mark)
      for (const entry of entries) {
        const hash = field(entry, 'Key')?.split('/').at(-1)
        // Others may keep something else in the same bucket.
        if (!isHash(hash) || field(entry, 'Key') !== this.#key(hash)) continue
        const bytes = sizeOf(field(entry, 'Size'))
        if (bytes === null) throw this.#unreadable('the size of a large file is missing')
        yield { hash, bytes, modifiedAtMs: timeOf(field(entry, 'LastModified')) }
      }
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
  async #ask(asked: StoreRequest, expected: readonly number[]): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      let failure: LcmError
      try {
        const answer = await this.#once(asked)
        const status = answer.statusCode ?? 0
        if (expected.includes(status)) return answer
        const reason = (await textOf(answer, MOST_REASON_CHARS).catch(() => null)) ?? ''
        failure = this.#refused(asked, status, field(reason, 'Code'))
        if (!PASSING.has(status)) throw failure
      } catch (error) {
        if (asked.signal?.aborted) throw new LcmError('cancelled', CANCELLED)
        if (error instanceof LcmError) throw error
        failure = this.#unreachable(error)
      }
      if (attempt >= ATTEMPTS) throw failure
      await this.#pauseAfter(attempt)
    }
  }

  /** Asks for a short text. One that breaks off is asked for again. */
  async #text(asked: StoreRequest, mostChars: number): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#ask(asked, [200])
      try {
        const text = await textOf(answer, mostChars)
        if (text === null) throw this.#unreadable('it is too long')
        return text
      } catch (error) {
        answer.destroy()
        if (asked.signal?.aborted) throw new LcmError('cancelled', CANCELLED)
        if (error instanceof LcmError) throw error
        if (attempt >= ATTEMPTS) throw this.#unreachable(error)
        await this.#pauseAfter(attempt)
      }
    }
  }

  async #once({ method, path, query = {}, headers = {}, body, signal }: StoreRequest): Promise<IncomingMessage> {
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
  #refused({ method, path }: StoreRequest, status: number, code: string | null): LcmError {
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

  #unreadable(why: string): LcmError {
    return new LcmError(
      'server_failed',
      `${this.shown} gave an answer that cannot be read (${why}): check that LCM_OBJECTS_ENDPOINT is a server that speaks S3.`,
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

/** Null where no readable date is. Some servers give the beginning of 1970 for a time that they do not know. */
function timeOf(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '')
  return time > 0 ? time : null
}

const isMd5 = (text: string | null): boolean => /^[0-9a-f]{32}$/.test(text ?? '')

async function digestOf(
  hash: Hash,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  for await (const piece of pieces) {
    hash.update(piece)
    await yieldToOthers(signal, CANCELLED)
  }
  return hash.digest('hex')
}

const sizeOf = (text: string | null | undefined): number | null => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null)

/** Null when it is longer. */
async function textOf(answer: IncomingMessage, mostChars: number): Promise<string | null> {
  let text = ''
  answer.setEncoding('utf8')
  for await (const piece of answer) {
    text += piece
    if (text.length > mostChars) return null
  }
  return text
}
