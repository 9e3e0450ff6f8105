import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { ChangedTables } from '#core/contract/remote.ts'
import { FollowDialog } from '#renderer/frame/follow-dialog.tsx'

// There is no connection and no window here: a push has just ended.
vi.mock('#renderer/api.ts', () => ({ api: {}, client: {} }))
vi.mock('#renderer/host.ts', () => ({ host: {} }))
vi.mock('#renderer/ui/data/use-job.ts', () => {
  const tables = [{ table: 'summaries', added: 2, replaced: 0, removed: 0 }]
  const job = { result: { kind: 'push', value: { tables } } }
  return { useJob: () => ({ job, isRunning: false, error: null, start: () => undefined }), useStartedJob: () => null }
})

const from = { address: 'postgres://db/acme', tenant: 'acme', conversationId: 7, parentId: null }

const shownAfterPush = (changes: ChangedTables | null) =>
  renderToStaticMarkup(
    <FollowDialog from={from} following={{ state: 'still', reason: null, changes }} onClose={() => undefined} />,
  )

it('says what a push has written, also for a copy that keeps no list of its changes', () => {
  expect(shownAfterPush([])).toContain('Written to the database')
  expect(shownAfterPush(null)).toContain('Written to the database')
  // What was changed after the push is said in its place.
  const changed = shownAfterPush([{ table: 'messages', added: 0, replaced: 1, removed: 0 }])
  expect(changed).toContain('Changed here')
  expect(changed).not.toContain('Written to the database')
})
