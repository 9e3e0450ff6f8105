import type { KnownException } from '../rules/known-exceptions.ts'
import { count, text, type ValueRule } from '../rules/value-rules.ts'
import { jsonByRow, type SystemFacts, usualFacts } from '../system-facts.ts'

export const facts: SystemFacts = {
  ...usualFacts,
  jsonColumns: [jsonByRow('summaries', 'original_hashes', 'summary', 'array')],
}

export const valueRules: readonly ValueRule[] = [
  count('summaries', 'token_estimate', 'its number of tokens is'),
  text('summaries', 'summary_text', 'its text is'),
]

const unwindowed = (label: string): string => `${label} makes summaries of whatever it is asked for`

export const knownExceptions: readonly KnownException[] = [
  {
    rule: 'orphan_summary',
    why: (label) => `${unwindowed(label)}, beside the messages. They stand in no window, and nothing is lost by it.`,
  },
  {
    rule: 'double_coverage',
    why: (label) =>
      `${unwindowed(label)}, again and again over the same messages. They stand in no window, so that the model is told nothing twice.`,
  },
  {
    rule: 'cross_conversation_edge',
    why: (label) => `${unwindowed(label)}, across sessions too. They stand in no window.`,
  },
  {
    rule: 'not_smaller_than_sources',
    why: (label) =>
      `${label} lists what it summarises with a heading each instead of shortening it. The list stands in no window.`,
  },
]
