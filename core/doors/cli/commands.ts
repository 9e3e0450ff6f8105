import { LcmError } from '#core/errors.ts'
import {
  ALIASES,
  type CommandDefinition,
  type CommandLine,
  type CommandList,
  type CommandSpec,
  defineCommand,
} from './command.ts'

/** Stands for all procedures in the list of commands. What follows is read by the command of the procedure. */
const call = defineCommand({
  name: 'call',
  example: 'call strata.get --conversation 1 --axis tokens --db sample.db',
  run: async () => {
    throw new LcmError('invalid_argument', 'Say which procedure to call: "lcm call --help" lists them.')
  },
})

type CommandRow = Omit<CommandLine, 'name'> & { readonly load: () => Promise<CommandDefinition> }

/**
 * What `lcm --help` says of each command, and how it is loaded. Each is loaded alone and none for the list of all,
 * because a program that starts often has to start quickly.
 */
const COMMANDS: Readonly<Record<string, CommandRow>> = {
  discover: {
    does: 'memories and transcripts in their usual places on this machine',
    load: async () => (await import('./commands/discover-command.ts')).discover,
  },
  stats: {
    does: 'count what a memory holds',
    load: async () => (await import('./commands/read-commands.ts')).stats,
  },
  conversations: {
    does: 'conversations as families: forks and sub-agents with what they came from, counted once',
    load: async () => (await import('./commands/conversations-command.ts')).conversations,
  },
  tree: {
    does: 'the summary DAG from its roots to the messages',
    load: async () => (await import('./commands/read-commands.ts')).tree,
  },
  messages: {
    does: 'the messages of a conversation, oldest first',
    load: async () => (await import('./commands/messages-command.ts')).messages,
  },
  describe: {
    words: '<id>',
    does: 'everything known of a message, summary or file',
    load: async () => (await import('./commands/read-commands.ts')).describe,
  },
  expand: {
    words: '<id>',
    does: 'a summary back to its sources',
    load: async () => (await import('./commands/read-commands.ts')).expand,
  },
  lineage: {
    words: '<id>',
    does: 'sources down to the messages, dependents up to the roots',
    load: async () => (await import('./commands/read-commands.ts')).lineage,
  },
  context: {
    does: 'what the model sees next turn, and why',
    load: async () => (await import('./commands/context-command.ts')).context,
  },
  grep: {
    words: '<query>',
    does: 'find messages, summaries, and lines of large files',
    load: async () => (await import('./commands/grep-command.ts')).grep,
  },
  'expand-query': {
    words: '<prompt>',
    does: 'answer a question from what summaries cover, with the ids it rests on',
    load: async () => (await import('./commands/expand-query-command.ts')).expandQuery,
  },
  provenance: {
    words: '<id>',
    does: 'what the sentences of a summary rest on, and what stands in no source',
    load: async () => (await import('./commands/provenance-command.ts')).provenance,
  },
  trace: {
    words: '<what>',
    does: 'where something that was said stands now, where it was lost, and how to get it back',
    load: async () => (await import('./commands/trace-commands.ts')).trace,
  },
  probe: {
    does: 'whether the agent would still know what was said: in the window, by a search, or not at all',
    load: async () => (await import('./commands/probe-command.ts')).probe,
  },
  diff: {
    words: '[a] [b]',
    does: 'two memories beside each other, or one at two moments: what both have, and where they differ',
    load: async () => (await import('./commands/diff-command.ts')).diff,
  },
  loss: {
    does: 'what the last compaction dropped or changed, or what left the window between two moments',
    load: async () => (await import('./commands/trace-commands.ts')).loss,
  },
  integrity: {
    does: 'check the memory; exit code 3 when something is wrong',
    load: async () => (await import('./commands/integrity-command.ts')).integrity,
  },
  coverage: {
    does: 'compare a conversation with the agent’s own transcript; exit code 3 when it is not all there',
    load: async () => (await import('./commands/coverage-command.ts')).coverage,
  },
  repair: {
    does: 'plan repairs, or apply steps of the plan; exit code 3 while steps are left',
    load: async () => (await import('./commands/repair-command.ts')).repair,
  },
  rewrite: {
    words: '<id>',
    does: 'have a summary written anew from its sources; id and links stay',
    load: async () => (await import('./commands/surgery-commands.ts')).rewrite,
  },
  dissolve: {
    words: '<id>',
    does: 'put the sources of a summary in its place',
    load: async () => (await import('./commands/surgery-commands.ts')).dissolve,
  },
  transplant: {
    words: '<id>',
    does: 'copy a summary with all that it stands for into another conversation',
    load: async () => (await import('./commands/surgery-commands.ts')).transplant,
  },
  backups: {
    does: 'backups of a memory, newest first',
    load: async () => (await import('./commands/surgery-commands.ts')).backups,
  },
  undo: {
    words: '[backup]',
    does: 'take back the last compaction or --run, or restore summaries, links and windows from a backup; messages that came since stay',
    load: async () => (await import('./commands/surgery-commands.ts')).undo,
  },
  storage: {
    does: 'where the bytes of the file are, and what would make it smaller',
    load: async () => (await import('./commands/storage-command.ts')).storage,
  },
  import: {
    words: '<path...>',
    does: 'import transcripts into a native memory, which is created when missing',
    load: async () => (await import('./commands/import-command.ts')).importCommand,
  },
  compact: {
    does: 'replace old messages in the window by summaries',
    load: async () => (await import('./commands/compact-command.ts')).compact,
  },
  explore: {
    words: '[id...]',
    does: 'have large files of Markdown, plain text and text of PDFs described by a model',
    load: async () => (await import('./commands/explore-command.ts')).explore,
  },
  embed: {
    does: 'have a model turn texts into vectors, so that questions find what says the same in other words',
    load: async () => (await import('./commands/embed-command.ts')).embed,
  },
  copy: {
    does: 'a working copy: the same memory as a native file that may be compacted',
    load: async () => (await import('./commands/copy-command.ts')).copy,
  },
  pull: {
    words: '[address]',
    does: 'copy a conversation out of PostgreSQL into a native file, or bring that file up to date',
    load: async () => (await import('./commands/postgres-commands.ts')).pull,
  },
  push: {
    words: '[address]',
    does: 'write the changes of a pulled file back; exit code 4 when a row was changed meanwhile',
    load: async () => (await import('./commands/postgres-commands.ts')).push,
  },
  fleet: {
    words: '[address]',
    does: 'all conversations of all tenants in PostgreSQL that you may see: how full, when last added to, what failed',
    load: async () => (await import('./commands/fleet-command.ts')).fleet,
  },
  find: {
    words: '<query>',
    does: 'find words, an answer to a question, characters or a pattern in all conversations of a tenant in PostgreSQL',
    load: async () => (await import('./commands/find-command.ts')).find,
  },
  worker: {
    words: '[address]',
    does: 'compact conversations in PostgreSQL whose windows are full; many workers share the work',
    load: async () => (await import('./commands/worker-command.ts')).worker,
  },
  pg: {
    words: '<action> [address]',
    does: 'the tables in PostgreSQL: migrate makes or updates them, status says their version, roles prints SQL for roles',
    load: async () => (await import('./commands/postgres-commands.ts')).pgCommand,
  },
  objects: {
    words: '[address]',
    does: 'large files of conversations in PostgreSQL, in S3 or a folder: those that nothing names, to be removed',
    load: async () => (await import('./commands/postgres-commands.ts')).objects,
  },
  map: {
    words: '<action> [command...]',
    does: 'the same work for every item of a list: llm asks a model, agentic delegates to a command; started again, a run goes on; list shows the runs',
    load: async () => (await import('./commands/map-command.ts')).map,
  },
  mend: {
    does: 'a copy of a transcript whose chain of records breaks, so that a resume loads all of it',
    load: async () => (await import('./commands/mend-command.ts')).mend,
  },
  salvage: {
    does: 'save what can still be read of a damaged file into a new one; exit code 3 when rows were lost',
    load: async () => (await import('./commands/salvage-command.ts')).salvage,
  },
  ledger: {
    words: '<action> [ledger]',
    does: 'verify, rebuild, export or keep the append-only ledger, or agree to one that a memory names; exit code 3 when it cannot be relied on',
    load: async () => (await import('./commands/ledger-command.ts')).ledger,
  },
  files: {
    does: 'large files that messages refer to',
    load: async () => (await import('./commands/file-commands.ts')).files,
  },
  file: {
    words: '<id>',
    does: 'a large file: its content and what was made out of it',
    load: async () => (await import('./commands/file-commands.ts')).file,
  },
  export: {
    does: 'a memory as a document, a graph or a ledger; on standard output without -o',
    load: async () => (await import('./commands/export-command.ts')).exportCommand,
  },
  sql: {
    words: '<sql>',
    does: 'one SELECT over the tables of a memory, of any system; writing is refused',
    load: async () => (await import('./commands/sql-command.ts')).sql,
  },
  metrics: {
    does: 'what was done with a memory, and what it holds, in the text format of Prometheus',
    load: async () => (await import('./commands/metrics-command.ts')).metrics,
  },
  schema: {
    does: 'commands, options and JSON schemas, for programs',
    load: async () => (await import('./commands/schema-command.ts')).schema,
  },
  completion: {
    words: '<shell>',
    does: 'a script that completes commands, options and their values in a shell',
    load: async () => (await import('./commands/completion-command.ts')).completion,
  },
  call: {
    does: 'any procedure of the contract by its name: "lcm call --help" lists them',
    load: async () => call,
  },
  serve: {
    does: 'the window, in the browser of this machine',
    load: async () => (await import('./commands/serve-command.ts')).serveCommand,
  },
  mcp: {
    does: 'give an agent its tools on the memory: MCP over standard input and output',
    load: async () => (await import('./commands/mcp-command.ts')).mcpCommand,
  },
  grant: {
    words: '<action> [id]',
    does: 'let another program read a part of a memory: issue, list and revoke permissions',
    load: async () => (await import('./commands/grant-command.ts')).grant,
  },
  pin: {
    words: '[id]',
    does: 'keep a message, a summary or a sentence of it: an agent is told it first after a compaction; without an id, list what is pinned',
    load: async () => (await import('./commands/pin-commands.ts')).pin,
  },
  unpin: {
    words: '<id>',
    does: 'take a pin away, or one sentence of it',
    load: async () => (await import('./commands/pin-commands.ts')).unpin,
  },
  install: {
    words: '<agent>',
    does: 'have an agent on this computer keep its sessions in a memory; shows what it changes first',
    load: async () => (await import('./commands/connection-commands.ts')).install,
  },
  uninstall: {
    words: '<agent>',
    does: 'take back what install changed, byte for byte',
    load: async () => (await import('./commands/connection-commands.ts')).uninstall,
  },
  doctor: {
    does: 'which agents keep their sessions here, when each was last heard of, and what is wrong; exit code 3 when something is',
    load: async () => (await import('./commands/connection-commands.ts')).doctor,
  },
  watch: {
    words: '[file...]',
    does: 'say what goes wrong while agents work: nothing arrives, windows over their limit, failed compactions, empty summaries, broken caches and chains, growth; with --once exit code 3 when something is wrong',
    load: async () => (await import('./commands/watch-command.ts')).watch,
  },
  hook: {
    words: '<agent>',
    does: 'what a hook of Claude Code or Codex starts: store the session, and after a compaction tell what left the window',
    load: async () => (await import('./commands/hook-command.ts')).hook,
  },
  statusline: {
    does: 'one line about a memory, for a shell prompt or the footer of an agent',
    load: async () => (await import('./commands/statusline-command.ts')).statusline,
  },
  engine: {
    does: 'a memory for a program that runs an agent: JSON-RPC 2.0 over standard input and output',
    load: async () => (await import('./commands/engine-command.ts')).engine,
  },
  open: {
    words: '[file]',
    does: 'the window: the desktop app where it is installed, otherwise as serve',
    load: async () => (await import('./commands/open-command.ts')).openCommand,
  },
}

const commands: CommandList = {
  title: 'lcm',
  does: 'Look into, search, check and compact the memory of agents with lossless context management.',
  lines: async () => Object.entries(COMMANDS).map(([name, { does, words }]) => ({ name, does, words })),
  all: () => Promise.all(Object.values(COMMANDS).map(loaded)),
  find: async (name) => {
    const [command = name] = Object.entries(ALIASES).find(([, names]) => names.includes(name)) ?? []
    const listed = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
    return listed === undefined ? null : loaded(listed)
  },
}

async function loaded({ does, load }: CommandRow): Promise<CommandSpec> {
  return { ...(await load()), does }
}

/** Returns the commands of `lcm`, or the procedures behind `lcm call`, which need the whole contract. */
export const commandList = async (isCall: boolean): Promise<CommandList> =>
  isCall ? (await import('./commands/procedure-commands.ts')).procedureList : commands

export const commandLists = (): Promise<[CommandList, CommandList]> =>
  Promise.all([commandList(false), commandList(true)])
