import { ExpandQuery } from '#core/agents/expand-query/expand-query.ts'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { ExpandQueryInput, type ExpandQueryRequest, ExpandQueryResult } from '#core/contract/expand-query.ts'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { ConfiguredSummarizers } from '#core/settings/configured-summarizers.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { KEY } from '#test/models/summarizers/ask-model.ts'

export const CAUSE = 'The invoices are late because renderInvoice waits for the font server at 10.4.0.7.'
export const SECRET = 'Other customer: the vault code is 4711-QUARTZ.'

export type Reading = {
  readonly memory: TestMemory
  /** Two leaves under a root in conversation 1; one leaf in conversation 2. */
  readonly leaves: readonly string[]
  readonly top: string
  readonly elsewhere: string
}

export function readingMemory(): Reading {
  const memory = buildMemory({ conversations: [{}, {}] })
  const first = memory.messages(1, ['Why are the invoices late?', CAUSE, 'Please cache the fonts then.'])
  const second = memory.messages(1, ['The cache is in. All 812 invoices went out.', 'Good. Close the ticket.'])
  const other = memory.messages(2, [SECRET, 'Noted.'])
  const leaves = [
    memory.leaf(1, first, { content: 'Late invoices: renderInvoice waits for the font server.' }),
    memory.leaf(1, second, { content: 'Font cache added, 812 invoices sent, ticket closed.' }),
  ]
  const top = memory.condensed(1, leaves, { content: 'Invoices were late because of fonts; fixed with a cache.' })
  return { memory, leaves, top, elsewhere: memory.leaf(2, other, { content: 'A secret of another customer.' }) }
}

export type AskerSpec = {
  readonly providers?: readonly ProviderSettings[]
  readonly chain?: readonly string[]
  readonly spendCapTokens?: number | null
  readonly clock?: () => number
}

export function askerOf(
  db: ReadDb,
  { providers = [], chain = [], spendCapTokens = null, clock = () => 0 }: AskerSpec = {},
) {
  const reader = new MemoryReader(db)
  const estimator = createTokenEstimator()
  const retrieval = new RetrievalEngine(db, NATIVE_CAPABILITIES, reader)
  const summarizers = new ConfiguredSummarizers({
    models: { providers, chain, spendCapTokens, promptsDir: null },
    keyOf: async () => KEY,
    estimator,
  })
  return new ExpandQuery({ db, reader, retrieval, estimator, summarizers, clock, defaultTokens: 4_000 })
}

export const ask = async (asker: ExpandQuery, request: ExpandQueryRequest, signal?: AbortSignal) =>
  ExpandQueryResult.parse(await asker.ask(ExpandQueryInput.parse(request), signal))
