import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { S3Store } from '#core/remote/objects/s3-store.ts'
import { S3Server } from '../builders/s3-server.ts'

const never = new AbortController().signal
const content = Buffer.from('the bytes of a large file')
const hash = createHash('sha256').update(content).digest('hex')
const key = `${hash.slice(0, 2)}/${hash}`
let s3: S3Server
let store: S3Store

beforeEach(async () => {
  s3 = new S3Server()
  store = new S3Store({
    ...{ endpoint: await s3.start(), bucket: S3Server.bucket, prefix: '', region: S3Server.region },
    ...{ accessKeyId: S3Server.keys.id, secretAccessKey: S3Server.keys.secret, sessionToken: null },
    wait: async () => undefined,
  })
})
afterEach(() => s3.stop())

const put = () => store.put({ hash, bytes: content.length, open: () => [content] }, never)
const listed = async () => {
  const found: string[] = []
  for await (const one of store.list(never)) found.push(one.hash)
  return found
}
const failureOf = async (work: Promise<unknown>): Promise<LcmError> => {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(LcmError)
  return error as LcmError
}
describe('what a server of S3 answers', () => {
  it.each([
    ['nothing', () => null],
    ['a part', (bytes: Buffer) => bytes.subarray(1)],
    ['other bytes of the same length', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x')],
  ])(
    'says that content is not stored when the server keeps %s of it, and stores it at the next try',
    async (_, keeps) => {
      s3.keeps = keeps
      expect(await failureOf(put())).toMatchObject({ code: 'server_failed', message: expect.stringContaining(hash) })
      expect(s3.objects.has(key)).toBe(false)
      s3.keeps = (bytes) => bytes
      await put()
      expect(s3.objects.get(key)?.bytes).toEqual(content)
    },
  )

  it('reads content back where the ETag is no MD5 of it, and only there', async () => {
    await put()
    expect(s3.requests.filter((one) => one.startsWith('GET'))).toEqual([])
    s3.objects.clear()
    s3.etagOf = (bytes) => createHash('md5').update('secret').update(bytes).digest('hex')
    await put()
    expect(s3.requests.filter((one) => one.startsWith('GET'))).toHaveLength(1)
    s3.objects.clear()
    s3.keeps = (bytes) => Buffer.alloc(bytes.length, 'x')
    expect(await failureOf(put())).toMatchObject({ code: 'server_failed' })
  })

  const page = (isCut: string, token: string, contents: string) =>
    `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${token}${contents}</ListBucketResult>`
  const next = (token: string) => `<NextContinuationToken>${token}</NextContinuationToken>`
  const entry = (one: string) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`
  let counter = 0
  it.each([
    ['the same token again', () => page('true', next('a'), '')],
    ['tokens in a circle', (token: string | null) => page('true', next(token === 'a' ? 'b' : 'a'), '')],
    ['the same page under new tokens', () => page('true', next(String(counter++)), entry(key))],
    ['empty pages without an end', () => page('true', next(String(counter++)), '')],
    ['no token for the next page', () => page('true', '', entry(key))],
    ['an empty token', () => page('true', next(''), entry(key))],
    ['a page of another program', () => '<html>Please log in</html>'],
    ['an empty page', () => ''],
    ['a list that does not say whether it is whole', () => `<ListBucketResult>${entry(key)}</ListBucketResult>`],
    ['a size that is none', () => page('false', '', `<Contents><Key>${key}</Key><Size>many</Size></Contents>`)],
    ['more than a page may have', () => ' '.repeat(8_000_001)],
  ])('fails with a typed error where a listing gives %s', async (_, listing) => {
    s3.listing = listing
    expect(await failureOf(listed())).toMatchObject({ code: 'server_failed', message: expect.stringContaining('S3') })
  })

  it('asks for a page of a listing again when it breaks off, and gives up after some attempts', async () => {
    await put()
    s3.faults = ['cut', 'cut']
    expect(await listed()).toEqual([hash])
    s3.faults = Array(9).fill('cut')
    expect(await failureOf(listed())).toMatchObject({ code: 'server_unavailable' })
  })

  it('stops a listing when it is cancelled in the middle', async () => {
    const abort = new AbortController()
    s3.listing = () => {
      if (counter++ > 5) abort.abort()
      return page('true', next(String(counter)), '')
    }
    const work = (async () => {
      for await (const _ of store.list(abort.signal));
    })()
    expect(await failureOf(work)).toMatchObject({ code: 'cancelled' })
  })
})
