export type GlossaryEntry = {
  readonly meaning: string
  /** Words that stood for it before. */
  readonly replaced?: readonly string[]
  /** What the window calls it, whose readers need not know the term. */
  readonly inWindow?: string
  /** Words for it that stand nowhere in the window. */
  readonly notInWindow?: readonly string[]
}

/** One word for one thing. The window explains its terms from here, and docs/glossary.md is generated from it. */
export const GLOSSARY = {
  advice: { meaning: 'What people can do about a finding that no fix settles.' },
  baseline: { meaning: 'The findings that a working copy inherited from the file it was made of.', replaced: ['seal'] },
  candidate: {
    meaning: 'A row that an index names and that may be a hit; it is verified by its text.',
    replaced: ['perhaps'],
  },
  compaction: { meaning: 'Replacing the oldest items of a window by a summary of them.' },
  conversation: { meaning: 'An ordered list of messages with the summaries and the window that belong to it.' },
  covered: {
    meaning:
      'Reached from a summary through its sources. A message in no window is covered when a summary in the window reaches it.',
    replaced: ['beneath'],
    inWindow: 'reached, lost',
    notInWindow: ['fell', 'falls out', 'fall out'],
  },
  dependent: { meaning: 'A summary that was made from this node; dependents lead towards the root.' },
  depth: {
    meaning: 'How far a summary stands above the messages: 0 for a first summary, 1 for a summary of those, and so on.',
  },
  draft: { meaning: 'A changed memory that is not written yet; what differs from the file are the rows to write.' },
  'event message': { meaning: 'A message that records something and that nobody said; nothing has to cover it.' },
  extent: { meaning: 'The part of a file that is read into a memory: one conversation, or all of it.' },
  finding: { meaning: 'One thing that a rule found wrong, with the rows it is about.' },
  fix: { meaning: 'The repair of what a rule finds.', replaced: ['fixer'] },
  'fresh tail': {
    meaning: 'The newest messages of a conversation, which are never compacted.',
    inWindow: 'newest messages',
    notInWindow: ['fresh tail'],
  },
  guest: { meaning: 'A summary of another conversation that is linked with this one.' },
  'known exception': { meaning: 'Something that is damage elsewhere and by design in one system.', replaced: ['way'] },
  'leaf, condensed': {
    meaning: 'A first summary is made from messages; a summary of summaries is made from other summaries.',
    inWindow: 'first summary, summary of summaries',
    notInWindow: ['leaf', 'condensed'],
  },
  lineage: {
    meaning: 'The DAG of the summaries of a conversation over its messages.',
    inWindow: 'lineage, layers',
    notInWindow: ['strata'],
  },
  link: { meaning: 'A row that names one source of a summary.' },
  memory: { meaning: 'What a file holds, without texts, and what follows from it. It never changes.' },
  node: { meaning: 'The number of a summary in a memory.', inWindow: 'summary', notInWindow: ['node', 'nodes'] },
  ordinal: { meaning: 'The stored place of a row in a list of rows.' },
  plan: { meaning: 'The steps that repair a file, in order, each with its row changes.' },
  position: { meaning: 'The index of a message in its conversation, from the oldest.' },
  range: { meaning: 'A half-open run of positions.', replaced: ['span', 'stretch'] },
  release: { meaning: 'Closing a file between two reads, so that its writer is alone with it.' },
  route: { meaning: 'How a file is opened so that nothing changes beside it: image, immutable or in place.' },
  rule: {
    meaning: 'An invariant of a file, how a breach is found, and its fix or advice.',
    inWindow: 'check',
    notInWindow: ['integrity', 'scan'],
  },
  seq: {
    meaning:
      'The number of a message as the file stores it; the oldest has the smallest. People call a message by its place in the conversation, from 1 on.',
    inWindow: 'number',
    notInWindow: ['seq', 'sequence number'],
  },
  'side index': { meaning: "A search index in the app's cache, for a file whose own index cannot be relied on." },
  snapshot: { meaning: 'One state of a file; all reads within it agree.' },
  source: { meaning: 'A message or summary that a summary was made from; sources lead towards the messages.' },
  step: { meaning: 'One change of a plan that is written as a whole or not at all.' },
  summary: { meaning: 'A text that stands for its sources in a window.' },
  system: { meaning: 'A program that writes memories, with all that is known of its files.', replaced: ['dialect'] },
  transcript: { meaning: "The agent's own record of a conversation, outside of the memory." },
  window: {
    meaning: 'What a model is given of a conversation: summaries and messages in order.',
    notInWindow: ['active tokens', 'context window', 'pressure'],
  },
  'working copy': { meaning: "A native file with the content of another system's file, made to be changed." },
  yield: {
    meaning: "Letting other work have its turn in the middle of one's own.",
    replaced: ['breath', 'breathe', 'breather', 'pause'],
  },
  'τ soft, τ hard': {
    meaning:
      'The shares of the token budget at which a window is compacted: from the lower one on soon, from the higher one on before the next turn.',
    inWindow: 'compact at, must compact at',
    notInWindow: ['τ', 'soft threshold', 'hard threshold'],
  },
} as const satisfies Readonly<Record<string, GlossaryEntry>>

export type GlossaryTerm = keyof typeof GLOSSARY

export const meaningOf = (term: GlossaryTerm): string => GLOSSARY[term].meaning
