import { expect, it } from 'vitest'
import { procedureCaller } from '#core/doors/procedures.ts'
import { LcmError } from '#core/errors.ts'
import { hosted, turns } from '#test/builders/hosted.ts'

it('an error after the first step of a stream is an LcmError with its code, as that of a call is', async () => {
  const memory = hosted()
  await memory.ask('ingest', { sessionId: 's', messages: turns(40) })
  const call = procedureCaller(memory.core)
  const abort = new AbortController()
  const steps = (await call('retrieval.grepStream', { query: 'lighthouse' }, abort.signal)) as AsyncIterable<unknown>
  const failure = (async () => {
    abort.abort()
    for await (const _ of steps);
  })()
  await expect(failure).rejects.toBeInstanceOf(LcmError)
  await expect(failure).rejects.toMatchObject({ code: 'cancelled' })
  await memory.core.close()
})
