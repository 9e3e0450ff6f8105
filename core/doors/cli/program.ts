import { Command, CommanderError } from 'commander'
import { z } from 'zod'
import { LcmError } from '../../errors.ts'
import { despiteWrongValues } from '../../systems/wrong-values.ts'
import { MAX_ID } from './command.ts'
import { addCompactCommand } from './compact-command.ts'
import { addContextCommand } from './context-command.ts'
import { addCopyCommand } from './copy-command.ts'
import { addCoverageCommand } from './coverage-command.ts'
import { addDiscoverCommand } from './discover-command.ts'
import { addEngineCommand } from './engine-command.ts'
import { addExpandQueryCommand } from './expand-query-command.ts'
import { addExportCommand } from './export-command.ts'
import { addFileCommands } from './file-commands.ts'
import { addGrantCommand } from './grant-command.ts'
import { addGrepCommand } from './grep-command.ts'
import { addImportCommand } from './import-command.ts'
import { addIntegrityCommand } from './integrity-command.ts'
import { addLedgerCommand } from './ledger-command.ts'
import { addMapCommand, refuseWithoutRetention } from './map-command.ts'
import { type McpCommandOptions, mcp } from './mcp-command.ts'
import { addMetricsCommand } from './metrics-command.ts'
import { open } from './open-command.ts'
import { type Answer, EXIT, prepareAnswer, printError, printNote } from './output.ts'
import { integer, refuseEmptyPaths } from './parse.ts'
import { addProvenanceCommand } from './provenance-command.ts'
import { addReadCommands } from './read-commands.ts'
import type { RecordedCommand } from './record-command.ts'
import { addRepairCommand } from './repair-command.ts'
import { addSalvageCommand } from './salvage-command.ts'
import { addSchemaCommand } from './schema-command.ts'
import { type Installation, type ServeOptions, serve } from './serve-command.ts'
import { addStatuslineCommand } from './statusline-command.ts'
import { addStorageCommand } from './storage-command.ts'
import { addSurgeryCommands } from './surgery-commands.ts'

/**
 * Runs one command line and returns its exit code. Answers go to stdout, everything else to stderr.
 * @param args without the interpreter and the script
 */
export async function runCli(args: readonly string[], installation: Installation, version: string): Promise<number> {
  const [options] = splitAt(args, '--')
  const asJson = options.includes('--json')
  const state: CommandState = { exitCode: EXIT.done, recorded: null }
  const program = buildProgram(asJson, installation, version, state)
  program.hook('preAction', async (_program, command) => {
    // Loaded only now, so that --help and --version start quickly.
    const { recordCommand } = await import('./record-command.ts')
    state.recorded = recordCommand(command.name(), version)
    const { toldUnknown, unknownVariables } = await import('../../settings/unknown-variables.ts')
    const unknown = unknownVariables(process.env)
    if (unknown.length > 0) printNote(toldUnknown(unknown))
  })
  try {
    await program.parseAsync(unknownCommand(program, options) ?? wrongArgument(program, options) ?? args, {
      from: 'user',
    })
    await state.recorded?.end(state.exitCode, null)
    return state.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const refused = wrongUsage(error, options[0])
    const exitCode = printError(refused, asJson)
    await state.recorded?.end(exitCode, refused)
    return exitCode
  }
}

type CommandState = { exitCode: number; recorded: RecordedCommand | null }

/**
 * Returns an unknown command alone, so that the parser refuses it, because beside --help or --version it would not
 * check it.
 */
function unknownCommand(program: Command, options: readonly string[]): readonly string[] | null {
  const [first, second] = options.filter((option) => !option.startsWith('-'))
  const named = first === 'help' ? second : first
  if (named === undefined || program.commands.some((command) => command.name() === named)) return null
  return [named]
}

/**
 * Returns the command line without --help when its command does not accept an argument, so that the parser refuses that
 * too.
 */
function wrongArgument(program: Command, options: readonly string[]): readonly string[] | null {
  const [name, ...rest] = options.filter((option) => option !== '--help' && option !== '-h')
  const command = program.commands.find((one) => one.name() === name)
  if (command === undefined || rest.length === options.length - 1) return null
  try {
    const { operands } = command.parseOptions(rest)
    for (const [index, operand] of operands.entries()) {
      command.registeredArguments[index]?.parseArg?.(operand, undefined)
    }
    return null
  } catch {
    return [command.name(), ...rest]
  }
}

/** Turns what the parser, or a schema behind it, refuses into wrong usage. Every other error is unchanged. */
function wrongUsage(error: unknown, command: string | undefined): unknown {
  const help = command === undefined || command.startsWith('-') ? 'lcm --help' : `lcm ${command} --help`
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    const message = `${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'not accepted'}. "${help}" says more.`
    return new LcmError('invalid_argument', message)
  }
  if (!(error instanceof CommanderError)) return error
  if (error.code === 'commander.help') {
    return new LcmError('invalid_argument', 'No command was given. "lcm --help" lists the commands.')
  }
  const said = error.message.replace(/^error: /, '')
  const where = error.code === 'commander.unknownCommand' ? 'lcm --help' : help
  return new LcmError('invalid_argument', `${said.replace(/\.?$/, '.')} "${where}" says more.`)
}

function splitAt<T>(list: readonly T[], separator: T): [readonly T[], readonly T[]] {
  const at = list.indexOf(separator)
  return at < 0 ? [list, []] : [list.slice(0, at), list.slice(at + 1)]
}

/**
 * Returns the memory that a command works on: --from of a command that makes another file, and otherwise --db or the
 * configured one.
 */
async function memoryOf(command: Command): Promise<string | null> {
  const { from, db } = command.opts<{ from?: unknown; db?: string }>()
  const named = typeof from === 'string' ? from : db
  if (named !== undefined) return named
  const { loadSettings } = await import('../../settings/settings-store.ts')
  try {
    return loadSettings(process.env).databasePath
  } catch (error) {
    // A command that needs the settings reports what is wrong with them.
    if (error instanceof LcmError) return null
    throw error
  }
}

/** Says whether the answer matches the schema of its command. Every answer about a sound file does. */
async function isPossible(command: Command, answer: Answer): Promise<boolean> {
  if ('pieces' in answer) return true
  const { isPromised } = await import('./answers.ts')
  return isPromised(command.name(), answer.json)
}

/** Builds every command with its arguments and options. The reference is generated from it. */
export function buildProgram(
  asJson: boolean,
  installation: Installation,
  version: string,
  state: { exitCode: number },
): Command {
  const program = new Command('lcm')
    .description('Look into, search, check and compact the memory of agents with lossless context management.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .hook('preAction', (_program, command) => {
      refuseWithoutRetention(command)
      refuseEmptyPaths(command)
    })

  const define = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--db <file>', 'the memory file (default: the configured one)')
      .option('--newer', 'read a file of a newer version, read-only')
      .option('--json', 'one JSON document on stdout')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })

  const run = (command: Command, action: (...args: never[]) => Promise<Answer>): void => {
    command.action(async (...given: unknown[]) => {
      const { answer, print } = await despiteWrongValues(
        await memoryOf(command),
        async () => {
          const answer = await action(...(given as never[]))
          return { answer, print: prepareAnswer(answer, asJson) }
        },
        ({ answer }) => isPossible(command, answer),
      )
      await print()
      state.exitCode = answer.exitCode ?? EXIT.done
    })
  }

  addDiscoverCommand(define, run, installation)
  addReadCommands(define, run)
  addContextCommand(define, run)
  addGrepCommand(define, run)
  addExpandQueryCommand(define, run)
  addProvenanceCommand(define, run)
  addIntegrityCommand(define, run)
  addCoverageCommand(define, run)
  addRepairCommand(define, run)
  addSurgeryCommands(define, run)
  addStorageCommand(define, run)
  addImportCommand(define, run)
  addCompactCommand(define, run)
  addCopyCommand(define, run)
  addMapCommand(define, run)
  addSalvageCommand(define, run)
  addLedgerCommand(define, run)
  addFileCommands(define, run)
  addExportCommand(define, run)
  addMetricsCommand(define, run)
  addGrantCommand(define, run)
  addStatuslineCommand(define, run)
  addSchemaCommand(define, run, program)
  define('serve', 'the window, in the browser of this machine')
    .option('--port <n>', 'port (default: a free one)', integer(0, 65_535))
    .option('--no-open', 'only print the address')
    .option(
      '--auto-compact',
      'compact native memories that are past a threshold: this one (default: the configured one) and those of open pages',
    )
    .action(async (options: Omit<ServeOptions, 'json'>) => {
      state.exitCode = await serve({ ...options, json: asJson }, installation)
    })
  define('mcp', 'give an agent four tools on the memory: MCP over standard input and output')
    .option('--conversation <id>', 'give access to this conversation only', integer(0, MAX_ID))
    .option('--grant <id>', 'give access to what this grant allows ("lcm grant issue"); it names its memory')
    .action(async (options: McpCommandOptions) => {
      state.exitCode = await mcp(options, installation, version)
    })
  addEngineCommand(define, installation, (exitCode) => {
    state.exitCode = exitCode
  })
  define('open', 'the window: the desktop app where it is installed, otherwise as serve')
    .argument('[file]', 'the memory file')
    .option('--port <n>', 'port (default: a free one)', integer(0, 65_535))
    .option('--no-open', 'only print the address')
    .action(async (file: string | undefined, options: Omit<ServeOptions, 'json'>) => {
      state.exitCode = await open({ ...options, db: file ?? options.db, json: asJson }, installation)
    })

  return program
}
