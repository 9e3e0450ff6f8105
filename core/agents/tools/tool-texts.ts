/**
 * All texts about the tools that an agent reads. They are constants, so that the description is byte for byte the same
 * in every turn, process and file, and prompts with it stay cached. What a file holds is learnt by calling the tools.
 */
export const TEXTS = {
  lcm_grep: {
    title: 'Search the memory',
    description:
      'Find messages and summaries by words, by characters, or by a regular expression. Full text takes words, "phrases", prefix*, OR and NOT. Each hit comes with its id, a snippet, and the summaries that cover it. The answer has a total and, when there are more hits, a cursor to go on with.',
  },
  lcm_describe: {
    title: 'Describe one id, or the whole memory',
    description:
      'Without an id: which conversations there are, and the topmost, newest or earliest summaries and messages of one. With an id: everything known of one message, summary or file: kind, times, tokens, sources and dependents, whether it is in the window, and its text. A long text is cut; go on with nextOffset. Of a file the text is a summary of what is in it; page, lines or find give its content.',
  },
  lcm_expand: {
    title: 'Expand a summary',
    description:
      'The sources of a summary, level by level: the summaries below it, and with includeMessages the original messages of those levels. Never returns more tokens than tokenCap; go on with the cursor in next, and with lcm_describe where one text is cut (nextOffset). For a question rather than a full reading use lcm_expand_query.',
  },
  lcm_expand_query: {
    title: 'Answer a question from what summaries cover',
    description:
      'Answers a question from the original messages below some summaries (or below what a search finds), with citations, so that you need not read them yourself. A sub-agent may only describe and expand, within a token cap and a time limit; without a configured model the best passages are returned.',
  },
  lcm_loss: {
    title: 'What left the window',
    description:
      'The details that left your window since a moment, or in the last compaction, and that nothing in the window says any more: decisions first, then constraints, numbers, paths, negations and the rest. Each comes with the id of its message, and with the summary at which it fell. Read the message with lcm_describe to have it back.',
  },
} as const

/** The descriptions of the arguments. The schemas that an agent gets with them state choices, ranges and defaults. */
export const ARGUMENTS = {
  lcm_grep: {
    query: 'What to look for.',
    mode: 'full_text: words; literal: these characters; regex: RE2 syntax.',
    caseSensitive: 'Tell capital from small letters in literal and regex.',
    match:
      'Full text only. auto: all words, or a question where there are three or more, or a question mark; question: any of the words in any form, the best first; all; any.',
    scope:
      'What to search. files searches the contents of large files line by line: a hit has the id of the file and the line, which lcm_describe reads with lines.',
    conversationIds: 'Only these conversations.',
    roles: 'Only messages of these roles.',
    depths: 'Only summaries of these depths (0 is a leaf).',
    after: 'Not before this time (ISO 8601).',
    before: 'Not after this time (ISO 8601).',
    within: 'Only what this summary stands for.',
    sort: 'Which hits come first.',
    limit: 'Hits in one answer.',
    full: 'Return the whole texts instead of snippets, as many as fit into one answer.',
    cursor: 'The nextCursor of an earlier answer to the same search.',
  },
  lcm_describe: {
    id: 'A message (msg_<number>), summary or file. Leave it out for an overview.',
    section:
      'Without id: overview, the topmost summaries; recent or earliest, the leaf summaries and messages at that end.',
    conversationId: 'Without id: this conversation. Default: the one that changed last.',
    offset: 'Where in its text to begin: the nextOffset of an earlier answer.',
    page: 'Of a file: this page of its content.',
    lines: 'Of a file: these lines of its content, such as 20-40 or 7.',
    find: 'Of a file: the lines of its content that contain this text.',
    regex: 'Take find for a regular expression (RE2 syntax).',
    fromRow: 'With find: the next of an earlier answer.',
    tokenCap: 'Tokens to return at most. Default: as configured, usually 4000.',
  },
  lcm_expand: {
    summaryId: 'The summary to expand.',
    depth: 'Levels to go down. 1: the direct sources.',
    includeMessages: 'Also return the messages of those levels.',
    tokenCap: 'Tokens to return at most. Default: as configured, usually 4000.',
    cursor: 'From next of an earlier answer to the same expansion.',
  },
  lcm_expand_query: {
    prompt: 'The question, complete in itself.',
    summaryIds: 'Where to look. Default: what a search for the question finds.',
    query: 'What to search for in place of the question.',
    conversationId: 'Only this conversation.',
    depth: 'Levels below those summaries that may be read.',
    tokenCap: 'Tokens of the memory that may be read for the answer.',
    summarizer: 'Who answers: deterministic quotes the best passages; a configured provider; or chain.',
  },
  lcm_loss: {
    conversationId: 'This conversation. Default: the one that changed last.',
    since: 'A message (msg_<number>), a run (run_…) or a time (ISO 8601). Default: before the last compaction.',
    limit: 'Details in one answer.',
  },
} as const
