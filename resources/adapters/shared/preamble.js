/** What of the tools of the library a model is offered. */
export const TOOLS = ['lcm_grep', 'lcm_describe', 'lcm_expand']

/** It never changes, so that prompts with it stay cached. */
export const PREAMBLE = `Everything said in this session is kept in a memory, also what a compaction took out of the conversation. When something from earlier is missing or unclear, look it up instead of guessing: lcm_grep searches messages and summaries, lcm_expand opens a summary by its id, lcm_describe reads one id or gives an overview.`
