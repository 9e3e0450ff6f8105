import { join } from 'node:path'
import type { Preset } from '#core/contract/settings.ts'
import { setIn } from '../places.ts'
import { isSummary, type KnownException } from '../rules/known-exceptions.ts'
import { count, text, type ValueRule } from '../rules/value-rules.ts'
import type { OwnSettings } from '../system.ts'
import { indexTrigger, jsonByRow, type SystemFacts, usualFacts } from '../system-facts.ts'

export const facts: SystemFacts = {
  ...usualFacts,
  exploresEveryFile: true,
  jsonColumns: [jsonByRow('messages', 'content_blocks', 'message', 'array')],
  triggers: ['insert', 'delete'].map((on) => indexTrigger(`messages_fts_${on}`, ['messages_fts'])),
}

export const valueRules: readonly ValueRule[] = [
  count('summaries', 'depth', 'its depth is'),
  count('summaries', 'token_count', 'its number of tokens is'),
  count('messages', 'token_count', 'its number of tokens is'),
  text('messages', 'content', 'its text is'),
]

export const knownExceptions: readonly KnownException[] = [
  {
    rule: 'context_order',
    why: (label) =>
      `${label} stores a new summary behind the newest message of its time, not where the history stood that it replaced, and sends all summaries first. The copy keeps the order that was stored.`,
    matches: isSummary,
  },
  {
    rule: 'source_order',
    why: (label) => `${label} stores the sources of a summary without an order. They are listed by their numbers.`,
  },
]

/** Its defaults, from its code and documentation. */
export const preset: Preset = {
  name: 'argentos',
  label: 'ArgentOS',
  settings: {
    budgetTokens: 128_000,
    softThreshold: 0.75,
    freshTailCount: 32,
    leafChunkTokens: 20_000,
    leafTargetTokens: 1_200,
    condensedTargetTokens: 2_000,
    condensedMinFanout: 4,
    maxDepth: -1,
    maxActiveMessages: 0,
  },
  note: 'Counts a token for every 4 characters, puts a new summary after the newest message instead of in the place of its sources, and can fold more than four summaries into one.',
}

const names = {
  contextThreshold: 'LCM_CONTEXT_THRESHOLD',
  freshTailCount: 'LCM_FRESH_TAIL_COUNT',
  leafChunkTokens: 'LCM_LEAF_CHUNK_TOKENS',
  leafTargetTokens: 'LCM_LEAF_TARGET_TOKENS',
  condensedTargetTokens: 'LCM_CONDENSED_TARGET_TOKENS',
  incrementalMaxDepth: 'LCM_MAX_DEPTH',
  largeFileTokenThreshold: 'LCM_LARGE_FILE_TOKEN_THRESHOLD',
  summaryModel: 'LCM_SUMMARIZERS',
}

/** Its documentation names the second section, its loader of plugins reads the first. */
export const ownSettings: OwnSettings = {
  files: ({ home, env }) => [
    setIn(env, 'ARGENT_CONFIG_PATH') ?? join(setIn(env, 'ARGENT_STATE_DIR') ?? join(home, '.argentos'), 'argent.json'),
  ],
  format: 'json',
  sections: [
    { at: ['plugins', 'entries', 'aos-lcm', 'config'], names },
    { at: ['plugins', 'config', 'aos-lcm'], names },
  ],
}
