import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const sha = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

type Fault = 'busy' | 'cut'

/** A server that speaks as much of S3 as is asked of it, checks each signature by itself, and can fail on purpose. */
export class S3Server {
  readonly objects = new Map<string, { bytes: Buffer; at: Date }>()
  readonly requests: string[] = []
  readonly seen: string[] = []
  /** How the next requests fail, one after another. */
  faults: Fault[] = []
  pageSize = 1000
  /** The time of an object as the server tells it, in listings and headers. Null leaves it out. */
  timeOf: (at: Date) => string | null = (at) => at.toUTCString()
  /** What the server keeps of what it is given. Null keeps nothing. */
  keeps: (bytes: Buffer) => Buffer | null = (bytes) => bytes
  etagOf: (bytes: Buffer) => string = (bytes) => createHash('md5').update(bytes).digest('hex')
  /** What the server answers instead of a listing. */
  listing: ((token: string | null) => string) | null = null
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static readonly keys = { id: 'AKIATEST', secret: 'a-secret-key-of-the-tests' }
  static readonly bucket = 'memories'
  static readonly region = 'eu-test-1'

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const url = new URL(request.url ?? '', 'http://host')
    this.requests.push(`${request.method} ${url.pathname}`)
    this.seen.push(JSON.stringify([request.url, request.headers]))
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`)
    if (this.faults[0] === 'busy') {
      this.faults.shift()
      return void refuse(503, 'SlowDown')
    }
    if (!this.#isSigned(request, url)) return void refuse(403, 'SignatureDoesNotMatch')
    if (request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE') {
      if (request.headers['transfer-encoding'] !== undefined) return void refuse(411, 'MissingContentLength')
      if (sha(body) !== request.headers['x-amz-content-sha256']) return void refuse(400, 'XAmzContentSHA256Mismatch')
    }
    const [, bucket, ...path] = url.pathname.split('/')
    const key = path.join('/')
    if (bucket !== S3Server.bucket) return void refuse(404, 'NoSuchBucket')
    if (key === '') {
      const page = this.listing?.(url.searchParams.get('continuation-token')) ?? this.#listing(url)
      response.writeHead(200)
      if (this.faults[0] !== 'cut') return void response.end(page)
      this.faults.shift()
      return void response.write(page.slice(0, 20), () => response.destroy())
    }
    if (request.method === 'PUT') {
      const kept = this.keeps(body)
      if (kept !== null) this.objects.set(key, { bytes: kept, at: new Date() })
      return void response.writeHead(200).end()
    }
    const object = this.objects.get(key)
    if (object === undefined) return void refuse(404, 'NoSuchKey')
    if (request.method === 'DELETE') {
      this.objects.delete(key)
      return void response.writeHead(204).end()
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const bytes = object.bytes.subarray(from)
    const time = this.timeOf(object.at)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length,
      etag: `"${this.etagOf(object.bytes)}"`,
      ...(time === null ? {} : { 'last-modified': time }),
    })
    if (request.method === 'HEAD') return void response.end()
    if (this.faults[0] === 'cut') {
      this.faults.shift()
      response.write(bytes.subarray(0, Math.ceil(bytes.length / 3)), () => response.destroy())
      return
    }
    response.end(bytes)
  }

  #listing(url: URL): string {
    const after = url.searchParams.get('continuation-token') ?? ''
    const prefix = url.searchParams.get('prefix') ?? ''
    const keys = [...this.objects.keys()].toSorted().filter((key) => key.startsWith(prefix) && key > after)
    const page = keys.slice(0, this.pageSize)
    const entries = page.map((key) => {
      const { bytes, at } = this.objects.get(key) ?? { bytes: Buffer.alloc(0), at: new Date(0) }
      const time = this.timeOf(at)
      return `<Contents><Key>${key}</Key>${time === null ? '' : `<LastModified>${time}</LastModified>`}<Size>${bytes.length}</Size></Contents>`
    })
    const isCut = keys.length > page.length
    return `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''}${entries.join('')}</ListBucketResult>`
  }

  /** Signature version 4, as its specification describes it. */
  #isSigned(request: IncomingMessage, url: URL): boolean {
    const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    )
    if (given === null) return false
    const [, credential = '', names = '', signature] = given
    const [id, day = '', region = '', service = ''] = credential.split('/')
    const time = String(request.headers['x-amz-date'])
    const signed = names.split(';')
    if (id !== S3Server.keys.id || region !== S3Server.region || service !== 's3') return false
    if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return false
    const query = [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted()
      .join('&')
    const headers = signed.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('')
    const canonical = [
      ...[request.method, url.pathname, query, headers, names],
      request.headers['x-amz-content-sha256'],
    ].join('\n')
    const scope = [day, region, service, 'aws4_request'].join('/')
    const toSign = ['AWS4-HMAC-SHA256', time, scope, sha(canonical)].join('\n')
    const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${S3Server.keys.secret}`)
    return createHmac('sha256', key).update(toSign).digest('hex') === signature
  }
}
