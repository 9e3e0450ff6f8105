import { countMessageTokens } from '#core/ingest/message-tokens.ts'
import { withDependents } from '#core/memory/draft-coverage.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { contentsOfMessages, contentsOfSummaries } from '#core/systems/reading/texts.ts'
import { partsOf, toolParts } from '#core/systems/records/parts.ts'
import type { Fix, FixContext } from '#core/systems/rules/fix.ts'
import type { Inspector, Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { TokenRule } from '#core/systems/system-facts.ts'
import { plural } from '#core/text.ts'
import { recount } from '../repair/numbers.ts'

/** Beyond this factor and this slack, no known way of counting gives the stored number. */
const FACTOR = 3

const SLACK = 48

type Bounds = { readonly least: number; readonly most: number }

const isFar = (tokens: number, { least, most }: Bounds): boolean =>
  tokens > most * FACTOR + SLACK || (tokens + SLACK) * FACTOR < least

const rulesOf = ({ system, estimator }: RuleContext): readonly TokenRule[] => [
  ...system.tokenRules,
  (text) => estimator.count(text),
]

function boundsOf(rules: readonly TokenRule[], text: string): Bounds {
  const counts = rules.map((rule) => rule(text))
  return { least: Math.min(...counts), most: Math.max(...counts) }
}

/** Whether the stored number is near one way of counting. Then it is within the bounds of all ways. */
const isNear = (tokens: number, counted: number): boolean => !isFar(tokens, { least: counted, most: counted })

function messageDrift(context: RuleContext): Inspector {
  const rules = rulesOf(context)
  return ({ position, tokens, content }) => {
    if (content === null || tokens === null || !(tokens >= 0)) return null
    if (tokens > 0 && rules.some((count) => isNear(tokens, count(content)))) return null
    const own = boundsOf(rules, content)
    if (tokens > 0 && !isFar(tokens, own)) return null
    // Calls and their arguments count as well. Some systems also count reasoning and the JSON around it.
    const parts = partsOf(context.db, context.memory.messages.ids[position] as number)
    const counted = parts.map((part) => ({ ...part, isSynthetic: part.isSynthetic === 1 }))
    const least = Math.min(...rules.map((count) => countMessageTokens({ name: 'heuristic', count }, content, counted)))
    if (tokens > 0 && isNear(tokens, least)) return null
    const all = parts.reduce(
      (sum, part) =>
        sum +
        boundsOf(rules, `${part.text ?? ''}${part.toolInput ?? ''}${part.toolOutput ?? ''}${part.metadata ?? ''}`).most,
      own.most,
    )
    if (tokens === 0) return least > 0 ? `0 tokens for a text of about ${least}` : null
    return isFar(tokens, { least, most: Math.max(all, least) }) ? `${tokens} tokens for a text of about ${least}` : null
  }
}

function summaryDrift(context: RuleContext): Inspector {
  const rules = rulesOf(context)
  return ({ tokens, content }) => {
    if (content === null || tokens === null || !(tokens >= 0)) return null
    const bounds = boundsOf(rules, content)
    if (tokens === 0) return bounds.least > 0 ? `0 tokens for a text of about ${bounds.least}` : null
    return isFar(tokens, bounds) ? `${tokens} tokens for a text of about ${bounds.least}` : null
  }
}

const setTokens: Fix = {
  name: 'token_drift',
  stage: 'tokens',
  reads: ['tokens', 'text', 'summaries'],
  *apply(context) {
    const { draft, estimator, db } = context
    const findings = context.findings.flatMap(({ id }) => id ?? [])
    const summaries = findings.filter((id) => draft.summaries.has(id))
    const messages = findings.flatMap((id) => messageNumber(id) ?? []).filter((id) => draft.messages.has(id))
    for (const [id, stored] of contentsOfSummaries(db, summaries)) {
      draft.set(id, { tokens: estimator.count(draft.summaries.get(id)?.content ?? stored ?? '') })
    }
    for (const [id, tokens] of countMessages(context, messages)) draft.setMessageTokens(id, tokens)
    const above = new Set(messages)
    const dependents = [...draft.summaries.keys()].filter((id) =>
      draft.messageLinks(id).some(({ to }) => above.has(to)),
    )
    const stale = withDependents(draft, new Set(dependents))
    if (stale.size > 0) recount(draft, (id) => stale.has(id), ['sourceTokens'])
    if (summaries.length + messages.length === 0) return
    yield {
      title: `Count the tokens of ${plural(summaries.length + messages.length, 'text')} again`,
      rule: 'Token counts are estimates; no text changes. Sums of dependents follow.',
      risk: 'safe',
      nodes: findings,
    }
  },
}

function* countMessages({ db, estimator }: FixContext, wanted: readonly number[]): Iterable<[number, number]> {
  const tools = toolParts(db, wanted).filter(({ isSynthetic }) => isSynthetic === 0)
  const parts = Map.groupBy(tools, ({ messageId }) => messageId)
  for (const [id, content] of contentsOfMessages(db, wanted)) {
    const own = (parts.get(id) ?? []).map((part) => ({ type: 'tool' as const, ...part, isSynthetic: false }))
    yield [id, countMessageTokens(estimator, content ?? '', own)]
  }
}

export const tokenRules = [
  {
    id: 'token_drift',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The stored number of tokens is near what its system, or this one, counts in the text.',
    explanation:
      'Triggers and budgets are computed from these numbers: the window is fuller, or emptier, than everybody believes.',
    fixes: [setTokens],
    consequenceOf: ['empty_summary', 'content_hash', 'invalid_value'],
    messageTexts: messageDrift,
    summaryTexts: summaryDrift,
  },
] as const satisfies readonly Rule[]
