/**
 * All texts about the tools that an agent reads. They are constants, so that the description is byte for byte the same
 * in every turn, process and file, and prompts with it stay cached. What a file holds is learnt by calling the tools.
 */
export const TEXTS = {
  lcm_grep: {
    title: 'Search the memory',
    description:
      'Find messages and summaries by words, by exact characters, or by a regular expression. Full text takes words, "phrases", prefix*, OR and NOT. Each hit comes with its id, a snippet, and the summaries that cover it. The answer has a total and, when there are more hits, a cursor to go on with.',
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
} as const

export const ARGUMENTS = {
  query: 'What to look for.',
  mode: 'full_text (default): words; literal: these characters exactly; regex: RE2 syntax.',
  match: 'Full text only. auto (default): all words, or else any of them; all; any.',
  scope:
    'What to search: messages, summaries, both (default) or files. files searches the contents of large files line by line: a hit has the id of the file and the line, which lcm_describe reads with lines.',
  conversationIds: 'Only these conversations.',
  roles: 'Only messages of these roles.',
  depths: 'Only summaries of these depths (0 is a leaf).',
  after: 'Not before this time (ISO 8601).',
  before: 'Not after this time (ISO 8601).',
  within: 'Only what this summary stands for.',
  sort: 'relevance (default), newest or oldest.',
  limit: 'Hits in one answer, at most 50. Default 20.',
  full: 'Return the whole texts instead of snippets, as many as fit into one answer. Default false.',
  cursor: 'The nextCursor of an earlier answer to the same search.',
  id: 'A message (msg_<number>), summary or file. Leave it out for an overview.',
  section:
    'Without id: overview (default), the topmost summaries; recent or earliest, the leaf summaries and messages at that end.',
  outlinedConversation: 'Without id: this conversation. Default: the one that changed last.',
  offset: 'Where in its text to begin: the nextOffset of an earlier answer. Default 0.',
  page: 'Of a file: this page of its content. The first is 1.',
  lines: 'Of a file: these lines of its content, such as 20-40 or 7.',
  find: 'Of a file: the lines of its content that contain this text.',
  findRegex: 'Take find for a regular expression (RE2 syntax).',
  fromRow: 'With find: the next of an earlier answer.',
  tokenCap: 'Tokens to return at most, up to 8000. Default: as configured, usually 4000.',
  summaryId: 'The summary to expand.',
  depth: 'Levels to go down. Default 1: the direct sources.',
  includeMessages: 'Also return the messages of those levels. Default false.',
  expandCursor: 'From next of an earlier answer to the same expansion.',
  prompt: 'The question, complete in itself.',
  summaryIds: 'Where to look. Default: what a search for the question finds.',
  searchQuery: 'What to search for in place of the question.',
  conversationId: 'Only this conversation.',
  readDepth: 'Levels below those summaries that may be read. Default 8.',
  readTokenCap: 'Tokens of the memory that may be read for the answer, up to 8000.',
  summarizer: 'Who answers: deterministic (default) quotes the best passages; a configured provider; or chain.',
} as const
