import { countMessageTokens } from '../../ingest/message-tokens.ts'
import { messageNumber } from '../../systems/node-id.ts'
import { type Area, type Fixer, isIn, namedSummaries, plural, type Scope } from '../rules/fix.ts'
import { type NumberField, recount, rehash } from './numbers.ts'
import { settle } from './settle.ts'

const queries = {
  summaryTexts: /* sql */ `
    SELECT summary_id AS id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  messages: /* sql */ `
    SELECT message_id AS id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  parts: /* sql */ `
    SELECT message_id AS id, tool_name AS toolName, tool_input AS toolInput, tool_output AS toolOutput,
      tool_error AS toolError
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'tool' AND is_synthetic = 0`,
}

/** A fixer that counts numbers anew from the sources, for every summary of the conversation that is wrong. */
const counting = (
  checks: readonly string[],
  what: string,
  fields: readonly NumberField[],
  reads: readonly Area[],
  rule: string,
): Fixer => ({
  checks,
  reads,
  *fix(scope) {
    const { model } = scope
    const before = new Map(model.summaries)
    recount(model, isIn(scope), fields)
    const nodes = [...before].filter(([id, was]) => model.summaries.get(id) !== was).map(([id]) => id)
    if (nodes.length === 0) return
    yield {
      title: `Count the ${what} of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule,
      risk: 'safe',
      nodes,
    }
  },
})

const setKinds: Fixer = {
  checks: ['kind_mismatch'],
  reads: ['edges', 'kind', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    const nodes = namedSummaries(scope, 'kind_mismatch').filter((id) => {
      const kind = model.sourceEdges(id).length > 0 ? 'condensed' : 'leaf'
      if (model.isEmpty(id) || model.summaries.get(id)?.kind === kind) return false
      model.set(id, { kind })
      // Depth and counts follow from the kind.
      model.setSourceEdges(id, model.sourceEdges(id))
      return true
    })
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: `Set the kind of ${plural(nodes.length, 'summary', 'summaries')}`,
      rule: 'What has summaries among its sources is condensed, what has messages only is a leaf; depths and counts follow.',
      risk: 'safe',
      nodes,
    }
  },
}

/** What is no possible value, of summaries; of messages it is canonical and stays. */
const setValues: Fixer = {
  checks: ['invalid_value'],
  reads: ['edges', 'kind', 'depth', 'tokens', 'text', 'summaries'],
  *fix(scope) {
    const { model, was, estimator } = scope
    const nodes = namedSummaries(scope, 'invalid_value').filter((id) => !model.isEmpty(id))
    for (const id of nodes) {
      const summary = model.summaries.get(id)
      const isCount = summary?.tokens !== null && summary?.tokens !== undefined && summary.tokens >= 0
      const kind = model.sourceEdges(id).length > 0 ? 'condensed' : 'leaf'
      model.set(id, { kind, ...(isCount ? {} : { tokens: estimator.count(model.textOf(id)) }) })
      model.setSourceEdges(id, model.sourceEdges(id))
    }
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: `Set impossible values of ${plural(nodes.length, 'summary', 'summaries')}`,
      rule: 'Kind and depth follow from the links, tokens from the text.',
      risk: 'safe',
      nodes,
    }
  },
}

const setDepths = counting(
  ['depth_mismatch'],
  'depth',
  ['depth'],
  ['edges', 'kind', 'summaries', 'depth'],
  'A leaf has depth 0, a condensed node one more than its deepest source, from the leaves up.',
)
const setTimes = counting(
  ['time_range', 'time_range_shifted'],
  'time range',
  ['earliestAtMs', 'latestAtMs'],
  ['edges', 'summaries', 'times'],
  'From the first to the last message beneath.',
)
const setDescendants = counting(
  ['descendant_count'],
  'descendants',
  ['descendants', 'sourceTokens'],
  ['edges', 'kind', 'summaries', 'descendants', 'sourceTokens', 'tokens'],
  'The sum over the sources of their own count and one, and the tokens of the messages beneath, from the leaves up.',
)
const setTokens: Fixer = {
  checks: ['token_drift'],
  reads: ['tokens', 'text', 'summaries'],
  *fix(scope) {
    const { model, estimator, db } = scope
    const findings = scope.findings('token_drift').flatMap(({ id }) => id ?? [])
    const summaries = findings.filter((id) => model.summaries.has(id))
    const messages = findings.flatMap((id) => messageNumber(id) ?? []).filter((id) => model.messages.has(id))
    for (const row of db.all<{ id: string; content: string }>(queries.summaryTexts, {
      ids: JSON.stringify(summaries),
    })) {
      model.set(row.id, { tokens: estimator.count(model.summaries.get(row.id)?.content ?? row.content) })
    }
    for (const [id, tokens] of countMessages(scope, messages)) model.setMessageTokens(id, tokens)
    const above = new Set(messages)
    const dependents = [...model.summaries.keys()].filter((id) =>
      model.messageEdges(id).some(({ to }) => above.has(to)),
    )
    if (dependents.length > 0) recount(model, isIn(scope), ['sourceTokens'])
    if (summaries.length + messages.length === 0) return
    yield {
      title: `Count the tokens of ${plural(summaries.length + messages.length, 'text')} again`,
      rule: 'Token counts are estimates; no text changes. Sums of dependents follow.',
      risk: 'safe',
      nodes: findings,
    }
  },
}

function* countMessages({ db, estimator }: Scope, wanted: readonly number[]): Iterable<[number, number]> {
  const ids = JSON.stringify(wanted)
  type Part = {
    id: number
    toolName: string | null
    toolInput: string | null
    toolOutput: string | null
    toolError: string | null
  }
  const parts = Map.groupBy(db.all<Part>(queries.parts, { ids }), (part) => part.id)
  for (const { id, content } of db.all<{ id: number; content: string }>(queries.messages, { ids })) {
    const own = (parts.get(id) ?? []).map((part) => ({ type: 'tool' as const, ...part }))
    yield [id, countMessageTokens(estimator, content, own)]
  }
}

const setHashes: Fixer = {
  checks: ['summary_hash'],
  reads: ['hash', 'edges', 'text', 'summaries'],
  *fix(scope) {
    const { model } = scope
    const named = namedSummaries(scope, 'summary_hash')
    const before = new Map(model.summaries)
    rehash(model, new Set(named))
    const nodes = [...before].filter(([id, was]) => model.summaries.get(id) !== was).map(([id]) => id)
    if (nodes.length === 0) return
    const isCertain = nodes.every((id) => idSays(model.summaries.get(id)?.hash ?? '', id))
    yield {
      title: `Compute the hash of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule: isCertain
        ? 'Their ids follow from sources and texts as they are: only the stored hashes were wrong. Hashes of dependents follow.'
        : 'Sources and texts are taken as they are. Hashes of dependents follow.',
      risk: isCertain ? 'safe' : 'rewrite',
      nodes,
      cannotRestore: isCertain
        ? null
        : 'If a text or a list of sources was changed since it was made, what it was before is not recorded.',
    }
  },
}

/** Our ids begin with the hash of what a summary was made from. */
const idSays = (hash: string, id: string): boolean => id === `sum_${hash.slice(0, 16)}`

const setFileIds: Fixer = {
  checks: ['malformed_json'],
  reads: ['edges', 'fileIds', 'summaries'],
  *fix(scope) {
    const { model } = scope
    const nodes = namedSummaries(scope, 'malformed_json').filter(
      (id) => !isList(model.summaries.get(id)?.fileIds ?? null),
    )
    for (const id of nodes) model.set(id, { fileIds: JSON.stringify(fileIdsUnder(scope, id)) })
    if (nodes.length === 0) return
    yield {
      title: `Write the file lists of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule: 'Every file that the sources refer to, in the order of first mention.',
      risk: 'safe',
      nodes,
    }
  },
}

function isList(json: string | null): boolean {
  try {
    return Array.isArray(JSON.parse(json ?? ''))
  } catch {
    return false
  }
}

const FILE_ID = /\bfile_[0-9a-f]{16}\b/g

function fileIdsUnder({ model, db }: Scope, id: string): string[] {
  const messages = model.messageEdges(id).map((edge) => edge.to)
  const texts = db.column<string>(
    /* sql */ `SELECT content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids)) ORDER BY seq`,
    { ids: JSON.stringify(messages) },
  )
  const lists = model.sources(id).map((source) => source.fileIds ?? '')
  return [...new Set([...texts, ...lists].flatMap((text) => text.match(FILE_ID) ?? []))]
}

/** Before anything is counted. */
export const valueFixes: readonly Fixer[] = [setKinds, setValues]

/** In the order in which they are applied. */
export const numberFixes: readonly Fixer[] = [setDepths, setTokens, setDescendants, setTimes, setFileIds, setHashes]
