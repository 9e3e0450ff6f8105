// The documents that the command line promises to programs, written down from its manual and not from the contract.
import { z } from 'zod'

const count = z.int().min(0)
const text = z.string().min(1)
/** ISO 8601 in UTC with milliseconds. */
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const messageId = z.string().regex(/^msg_\d+$/)
const nodeId = text
const role = z.enum(['system', 'user', 'assistant', 'tool'])
const summaryKind = z.enum(['leaf', 'condensed'])

export const Stats = z.looseObject({
  path: text,
  system: text,
  systemVersion: text.nullable(),
  readOnly: z.boolean(),
  bytes: count,
  conversations: count,
  messages: count,
  messageParts: count,
  summaries: count,
  summariesByDepth: z.record(z.string().regex(/^\d+$/), count),
  edges: z.looseObject({ summaryMessages: count, summaryParents: count }),
  contextItems: count,
  largeFiles: count,
  perConversation: z.array(
    z.looseObject({
      conversationId: count,
      sessionId: text,
      title: z.string().nullable(),
      messages: count,
      summaries: count,
      maxDepth: z.int().min(-1),
      contextItems: count,
      storedTokens: count,
      contextTokens: count,
      pressure: z.number().min(0),
      updatedAt: time.nullable(),
    }),
  ),
})

type TreeNode = { id: string; kind: string; depth: number; tokens: number; sources?: TreeNode[]; messageCount?: number }
const TreeNode: z.ZodType<TreeNode> = z.lazy(() =>
  z
    .looseObject({
      id: nodeId,
      kind: summaryKind,
      depth: count,
      tokens: count,
      sources: z.array(TreeNode).optional(),
      messageCount: count.optional(),
    })
    .refine((node) => (node.sources === undefined) !== (node.messageCount === undefined), 'sources or messageCount'),
)
export const Tree = z.looseObject({ roots: z.array(TreeNode) })

export const Import = z.looseObject({
  files: z.array(
    z.looseObject({
      path: text,
      format: text,
      conversationId: count.nullable(),
      sessionId: text.nullable(),
      added: count,
      alreadyThere: count,
      skipped: z.array(z.looseObject({ line: z.int().min(1), reason: text })),
    }),
  ),
  added: count,
  alreadyThere: count,
  skipped: count,
})

export const Context = z.looseObject({
  tokens: count,
  budget: count,
  pressure: z.number().min(0),
  items: z.array(
    z.looseObject({
      ordinal: count,
      id: nodeId,
      kind: z.enum(['message', 'leaf', 'condensed']),
      role: role.nullable(),
      depth: count.nullable(),
      tokens: count,
      included: z.boolean(),
      reason: text,
    }),
  ),
  reconstructed: z.boolean(),
})

/** The shape that `POST /v1/messages` takes: roles alternate between user and assistant, the rest is in `system`. */
export const RenderedAnthropic = z.looseObject({
  system: z.string().nullable(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant']),
      content: z.union([z.string(), z.array(z.looseObject({ type: text }))]),
    }),
  ),
})

/** The shape that `POST /v1/chat/completions` takes. */
export const RenderedOpenAi = z.looseObject({
  system: z.string().nullable(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      tool_calls: z
        .array(z.looseObject({ id: text, type: z.literal('function'), function: z.looseObject({ name: text }) }))
        .optional(),
      tool_call_id: text.optional(),
    }),
  ),
})

export const Compact = z.looseObject({
  runId: text.nullable(),
  stopReason: z.enum([
    'target_reached',
    'all_compacted',
    'nothing_eligible',
    'irreducible_tail',
    'no_progress',
    'cap',
    'deadline',
    'cancelled',
    'conflict',
  ]),
  tokensBefore: count,
  tokensAfter: count,
  reduction: z.number().min(0).max(1),
  created: z.array(
    z.looseObject({
      id: nodeId,
      kind: summaryKind,
      depth: count,
      level: z.enum(['normal', 'aggressive', 'deterministic']),
      sourceTokens: count,
      tokens: count,
    }),
  ),
  skipped: text.optional(),
})

export const Plan = z.looseObject({
  steps: z.array(
    z.looseObject({
      pass: z.enum(['leaf', 'condensed']),
      depth: count,
      sources: z.array(nodeId).min(1),
      sourceTokens: count,
      expectedTokens: count,
    }),
  ),
  modelCalls: count,
  tokensBefore: count,
  expectedTokensAfter: count,
})

export const Grep = z.looseObject({
  total: count,
  totalIsExact: z.boolean(),
  hits: z.array(
    z
      .looseObject({
        id: nodeId,
        kind: z.enum(['message', 'leaf', 'condensed', 'file']),
        conversationId: count,
        seq: count.nullable(),
        role: role.nullable(),
        depth: count.nullable(),
        createdAt: time.nullable(),
        snippet: z.string(),
        matches: z.array(z.tuple([count, count])),
        coveredBy: z.array(nodeId),
        inContext: z.boolean(),
      })
      .refine((hit) => hit.kind !== 'message' || messageId.safeParse(hit.id).success, 'a message is msg_<n>')
      .refine(
        (hit) => hit.matches.every(([start, end]) => start < end && end <= hit.snippet.length),
        'match in snippet',
      ),
  ),
  nextCursor: text.nullable(),
})

export const Description = z.looseObject({
  id: nodeId,
  kind: z.enum(['message', 'leaf', 'condensed', 'file']),
  sources: z.array(nodeId),
  dependents: z.array(nodeId),
  sourceRange: z.looseObject({ firstSeq: count, lastSeq: count, first: count, last: count }).nullable(),
  createdAt: time.nullable(),
  tokens: count,
})

export const Expansion = z.looseObject({
  nodes: z.array(z.looseObject({ id: nodeId, kind: summaryKind, depth: count, tokens: count, content: z.string() })),
  messages: z.array(z.looseObject({ id: messageId, seq: count, role, tokens: count, content: z.string() })),
  tokens: count,
  truncated: z.boolean(),
  next: z.array(text),
})

export const Lineage = z.looseObject({
  id: nodeId,
  sources: z.array(z.looseObject({ id: nodeId })),
  dependents: z.array(z.looseObject({ id: nodeId })),
  coveredBy: z.array(nodeId),
  inContext: z.boolean(),
})

export const Integrity = z.looseObject({
  ok: z.boolean(),
  checks: z
    .array(
      z.looseObject({
        id: text,
        severity: z.enum(['error', 'warning', 'info']),
        count,
        samples: z.array(z.unknown()),
        explanation: text,
        repairable: z.boolean(),
      }),
    )
    .min(10),
  counts: z.looseObject({}),
  durationMs: z.number().min(0),
})

/** `lcm map list` */
export const MapRuns = z.strictObject({
  path: text,
  runs: z.array(
    z.strictObject({
      key: text,
      runId: text.nullable(),
      operator: z.enum(['llm', 'agentic']).nullable(),
      actor: text.nullable(),
      at: z.iso.datetime().nullable(),
      items: count,
      completed: count.nullable(),
      failed: count.nullable(),
      retries: count.nullable(),
      status: z.enum(['completed', 'failed', 'cancelled', 'running', 'interrupted', 'other']),
      retain: text.nullable(),
      hashes: z.record(text, text),
      hasJournal: z.boolean(),
    }),
  ),
  unreadable: count,
  isCut: z.boolean(),
})

const hash = z.string().regex(/^[0-9a-f]{64}$/)

export const MapRun = z.strictObject({
  runId: text,
  operator: z.enum(['llm', 'agentic']),
  items: count,
  completed: count,
  failed: count,
  resumed: count,
  retries: count,
  journal: text,
  eventsPath: text,
  event: z.strictObject({
    actor: text,
    event_id: z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    item_count: count,
    op: z.enum(['map.llm', 'map.agentic']),
    prompt_hash: hash.optional(),
    schema_hash: hash.optional(),
    delegate_hash: hash.optional(),
    retain: text.optional(),
    result_hash: hash,
    status: z.enum(['completed', 'failed']),
    ts: z.string().regex(/^\d+Z$/),
    run_id: text,
    input_hash: hash,
    output_hash: hash,
    completed_count: count,
    failed_count: count,
    retry_count: count,
  }),
  results: z.array(
    z.strictObject({
      index: count,
      item_hash: hash,
      status: z.enum(['completed', 'failed']),
      attempts: z.int().min(1),
      output: z.unknown().optional(),
      output_hash: hash.optional(),
      problem: text.optional(),
    }),
  ),
})

export const Failure = z.strictObject({
  error: z.strictObject({
    code: text,
    message: text,
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  }),
})

const compared = z.looseObject({ id: nodeId, depth: z.int().min(-1), tokens: count, title: z.string() })
const comparedSide = z.looseObject({
  path: text,
  conversationId: count,
  messages: count,
  items: z.array(z.looseObject({})),
})
export const Diff = z.looseObject({
  same: z.object({ messages: count, summaries: count }),
  onlyA: z.array(compared),
  onlyB: z.array(compared),
  summarisedDifferently: z.array(z.looseObject({ a: compared, b: compared })),
  windows: z.object({ a: comparedSide, b: comparedSide }),
})
