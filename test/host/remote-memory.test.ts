import { expect, it } from 'vitest'
import type { Core } from '#core/core.ts'
import type { HostedConversations } from '#core/database.ts'
import { RemoteMemory } from '#core/host/remote-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

/** What is refused reaches neither a database nor a file. */
const refusing = (): never => {
  throw new Error('nothing is asked of the database')
}

const memory = new RemoteMemory({
  conversations: { find: refusing, claim: refusing } as unknown as HostedConversations,
  agent: 'shop',
  summarizer: 'deterministic',
  isAutomatic: false,
  folder: temporaryFolder(),
  tokenEstimator: 'heuristic',
  now: () => 0,
  openCore: refusing as unknown as () => Core,
})
const call = (name: 'ingest' | 'status' | 'recall', input: unknown): Promise<unknown> =>
  memory.call(name, input, new AbortController().signal)

it('names the field of an input that is not valid, as a memory in a file does', async () => {
  await expect(call('ingest', { sessionId: 's-1', messages: [{ id: 7 }] })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^The input of ingest is not valid\. messages\.0\.id: /),
  })
})

it('asks for one conversation when a call names none or two', async () => {
  const wanted = { code: 'conversation_required', message: expect.stringMatching(/^Name one conversation: /) }
  await expect(call('status', {})).rejects.toMatchObject(wanted)
  await expect(call('status', { sessionId: 's-1', conversationId: 1 })).rejects.toMatchObject(wanted)
})
