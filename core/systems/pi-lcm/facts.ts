import { join } from 'node:path'
import type { Preset } from '#core/contract/settings.ts'
import { type Surroundings, setIn } from '../places.ts'
import { isBehindDeeper, isSummary, type KnownException } from '../rules/known-exceptions.ts'
import type { Finding, ScanContext } from '../rules/scanned-memory.ts'
import { count, text, type ValueRule } from '../rules/value-rules.ts'
import type { OwnSettings } from '../system.ts'
import { indexTrigger, jsonByRow, type SystemFacts, usualFacts } from '../system-facts.ts'

export const facts: SystemFacts = {
  ...usualFacts,
  hidesMessages: true,
  showsOnlyNewest: true,
  jsonColumns: [
    jsonByRow('messages', 'content_json', 'message', 'any'),
    jsonByRow('summaries', 'metadata_json', 'summary', 'any'),
  ],
  triggers: ['ai', 'ad', 'au'].map((on) => indexTrigger(`messages_fts_${on}`, ['messages_fts'])),
  isUncoveredByDesign: (context, message) => context.memory.coverage.leaf[message] !== -1,
  isOrphanByDesign: () => true,
}

export const valueRules: readonly ValueRule[] = [
  count('summaries', 'depth', 'its depth is'),
  count('summaries', 'token_estimate', 'its number of tokens is'),
  count('messages', 'token_estimate', 'its number of tokens is'),
  text('messages', 'content_text', 'its text is'),
]

/** The other half of the pair is in the file, and merely not in the window. */
const hasOtherHalf = (_: ScanContext, { mark }: Finding): boolean => mark?.startsWith('msg_') === true

export const knownExceptions: readonly KnownException[] = [
  {
    rule: 'orphan_summary',
    why: (label) =>
      `${label} shows only the newest summary of each depth and names the others in a line, so that an agent may ask for them.`,
  },
  {
    rule: 'coverage_gap',
    why: (label) =>
      `These messages are in a summary that is not the newest of its depth, and ${label} shows only those. An agent has to ask for it.`,
  },
  {
    rule: 'double_inclusion',
    why: (label) =>
      `${label} shows the newest summary of each depth, also where the deeper one was made from the other. Its model reads about the same messages twice.`,
    matches: isSummary,
  },
  {
    rule: 'sequence_gap',
    why: (label) => `${label} does not number messages without gaps: one that it takes for a repetition is dropped.`,
  },
  {
    rule: 'context_order',
    why: (label) =>
      `${label} sends the newest summary of each depth, the deepest first, whatever time they are of. The copy keeps the order that the model saw.`,
    matches: isBehindDeeper,
  },
  {
    rule: 'fresh_tail_compacted',
    why: (label) =>
      `${label} keeps no newest messages back: what is long enough is compacted up to the newest message. Pi itself adds the messages that it still holds.`,
  },
  {
    rule: 'tool_pair_split',
    why: (label) =>
      `${label} compacts up to any message, also between a call and its result. Pi itself adds the messages that it still holds, so that its model sees both.`,
    matches: hasOtherHalf,
  },
]

/** Its defaults, from its code and documentation. */
export const preset: Preset = {
  name: 'pi-lcm',
  label: 'pi-lcm',
  settings: {
    freshTailCount: 0,
    leafChunkTokens: 4_000,
    leafConcurrency: 4,
    condensedMinFanout: 6,
    maxDepth: 5,
    minMessagesToCompact: 10,
    maxActiveMessages: 0,
  },
  note: 'Pi decides when to compact and which newest messages it keeps; both are not in the file. Of the summaries it shows only the newest of each depth, in at most 8,000 tokens; all of them stay in the window here. It counts a token for every 3.5 characters and states no length for summaries: those are as configured.',
}

/** The folder of Pi's agent. */
export const agentFolder = ({ home, env }: Surroundings): string =>
  setIn(env, 'PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent')

export const ownSettings: OwnSettings = {
  files: (surroundings) => [
    join(surroundings.cwd, '.pi', 'settings.json'),
    join(agentFolder(surroundings), 'settings.json'),
  ],
  format: 'json',
  sections: [
    {
      at: ['lcm'],
      names: {
        leafChunkTokens: 'LCM_LEAF_CHUNK_TOKENS',
        leafPassConcurrency: 'LCM_LEAF_CONCURRENCY',
        condensationThreshold: 'LCM_CONDENSED_MIN_FANOUT',
        maxDepth: 'LCM_MAX_DEPTH',
        minMessagesForCompaction: 'LCM_MIN_MESSAGES_TO_COMPACT',
        largeFileThresholdTokens: 'LCM_LARGE_FILE_TOKEN_THRESHOLD',
        // Its plan spells it so.
        largFileThresholdTokens: 'LCM_LARGE_FILE_TOKEN_THRESHOLD',
        debugMode: 'LCM_DEBUG_MODE',
      },
    },
  ],
}
