import { LcmError } from '../../errors.ts'
import { ALIASES, type CommandList, type CommandSpec, defineCommand } from './command.ts'

/** Stands for all procedures in the list of commands. What follows is read by the command of the procedure. */
const call = defineCommand({
  name: 'call',
  does: 'any procedure of the contract by its name: "lcm call --help" lists them',
  example: 'call strata.get --conversation 1 --axis tokens --db sample.db',
  run: async () => {
    throw new LcmError('invalid_argument', 'Say which procedure to call: "lcm call --help" lists them.')
  },
})

/** Loads each command alone, because a program that starts often has to start quickly. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandSpec>>> = {
  discover: async () => (await import('./discover-command.ts')).discover,
  stats: async () => (await import('./read-commands.ts')).stats,
  tree: async () => (await import('./read-commands.ts')).tree,
  messages: async () => (await import('./messages-command.ts')).messages,
  describe: async () => (await import('./read-commands.ts')).describe,
  expand: async () => (await import('./read-commands.ts')).expand,
  lineage: async () => (await import('./read-commands.ts')).lineage,
  context: async () => (await import('./context-command.ts')).context,
  grep: async () => (await import('./grep-command.ts')).grep,
  'expand-query': async () => (await import('./expand-query-command.ts')).expandQuery,
  provenance: async () => (await import('./provenance-command.ts')).provenance,
  trace: async () => (await import('./trace-commands.ts')).trace,
  probe: async () => (await import('./probe-command.ts')).probe,
  loss: async () => (await import('./trace-commands.ts')).loss,
  integrity: async () => (await import('./integrity-command.ts')).integrity,
  coverage: async () => (await import('./coverage-command.ts')).coverage,
  repair: async () => (await import('./repair-command.ts')).repair,
  rewrite: async () => (await import('./surgery-commands.ts')).rewrite,
  dissolve: async () => (await import('./surgery-commands.ts')).dissolve,
  transplant: async () => (await import('./surgery-commands.ts')).transplant,
  backups: async () => (await import('./surgery-commands.ts')).backups,
  undo: async () => (await import('./surgery-commands.ts')).undo,
  storage: async () => (await import('./storage-command.ts')).storage,
  import: async () => (await import('./import-command.ts')).importCommand,
  compact: async () => (await import('./compact-command.ts')).compact,
  explore: async () => (await import('./explore-command.ts')).explore,
  copy: async () => (await import('./copy-command.ts')).copy,
  map: async () => (await import('./map-command.ts')).map,
  salvage: async () => (await import('./salvage-command.ts')).salvage,
  ledger: async () => (await import('./ledger-command.ts')).ledger,
  files: async () => (await import('./file-commands.ts')).files,
  file: async () => (await import('./file-commands.ts')).file,
  export: async () => (await import('./export-command.ts')).exportCommand,
  metrics: async () => (await import('./metrics-command.ts')).metrics,
  schema: async () => (await import('./schema-command.ts')).schema,
  completion: async () => (await import('./completion-command.ts')).completion,
  call: async () => call,
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  mcp: async () => (await import('./mcp-command.ts')).mcpCommand,
  grant: async () => (await import('./grant-command.ts')).grant,
  statusline: async () => (await import('./statusline-command.ts')).statusline,
  engine: async () => (await import('./engine-command.ts')).engine,
  open: async () => (await import('./open-command.ts')).openCommand,
}

const commands: CommandList = {
  title: 'lcm',
  does: 'Look into, search, check and compact the memory of agents with lossless context management.',
  all: () => Promise.all(Object.values(COMMANDS).map((load) => load())),
  find: async (name) => {
    const [command = name] = Object.entries(ALIASES).find(([, names]) => names.includes(name)) ?? []
    return Object.hasOwn(COMMANDS, command) ? ((await COMMANDS[command]?.()) ?? null) : null
  },
}

/** Returns the commands of `lcm`, or the procedures behind `lcm call`, which need the whole contract. */
export const commandList = async (isCall: boolean): Promise<CommandList> =>
  isCall ? (await import('./procedure-commands.ts')).procedureList : commands

export const commandLists = (): Promise<[CommandList, CommandList]> =>
  Promise.all([commandList(false), commandList(true)])
