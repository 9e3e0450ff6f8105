import { Command, CommanderError } from 'commander'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { despiteWrongValues } from '#core/systems/opening/wrong-values.ts'
import {
  ALIASES,
  type CommandContext,
  type CommandLine,
  type CommandList,
  type CommandSpec,
  type Installation,
} from './command.ts'
import type { RecordedCommand } from './commands/record-command.ts'
import { commandList, commandLists } from './commands.ts'
import { addCommand, listCommand, quiet, wrongUsage } from './input/parser.ts'
import { EXIT, prepareAnswer, printError, printNote } from './output/output.ts'

/**
 * Runs one command line and returns its exit code. Answers go to stdout, everything else to stderr. Only what the
 * command needs is loaded.
 * @param args without the interpreter and the script
 */
export async function runCli(args: readonly string[], installation: Installation, version: string): Promise<number> {
  const isCall = args[0] === 'call'
  const words = commandFirst(isCall ? args.slice(1) : args)
  const options = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const list = await commandList(isCall)
  const name = named(options)
  const spec = name === null ? null : await list.find(name)
  const running: CommandRun = { exitCode: EXIT.done, recorded: null }
  try {
    const isVersion = /^(?:-V|--version)$/.test(words[0] ?? '') && name === null
    const program = await programOf(list, spec, version, isVersion, (one, input, given) =>
      runCommand(one, input, { ...given, installation, version, lists: commandLists }, running),
    )
    await program.parseAsync([...checkedFirst(name, spec, options, words)], { from: 'user' })
    await running.recorded?.end(running.exitCode, null)
    return running.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const refused = wrongUsage(error, list.title, spec)
    const exitCode = printError(refused, options.includes('--json'))
    await running.recorded?.end(exitCode, refused)
    return exitCode
  }
}

/** Puts a memory that is named before the command behind it: `lcm --db FILE stats` is `lcm stats --db FILE`. */
function commandFirst(words: readonly string[]): readonly string[] {
  const length = words[0] === '--db' ? 2 : words[0]?.startsWith('--db=') ? 1 : 0
  if (length === 0 || words.length < length) return words
  const others = words.slice(length)
  const at = others.findIndex((word) => !word.startsWith('-'))
  return at === -1 ? others : [...others.slice(at, at + 1), ...words.slice(0, length), ...others.toSpliced(at, 1)]
}

type CommandRun = { exitCode: number; recorded: RecordedCommand | null }
type Act = (
  spec: CommandSpec,
  input: object,
  given: Omit<CommandContext, 'installation' | 'version' | 'lists'>,
) => Promise<void>

/** Returns the first word that is no option, behind `help` the second. */
function named(options: readonly string[]): string | null {
  const [first, second] = options.filter((option) => !option.startsWith('-'))
  return (first === 'help' ? second : first) ?? null
}

/** Builds the parser with one command, or with all of a list when none of them is named. */
async function programOf(
  list: CommandList,
  spec: CommandSpec | null,
  version: string,
  isVersion: boolean,
  act: Act,
): Promise<Command> {
  const program = quiet(new Command(list.title)).description(list.does).version(version)
  program.configureHelp({
    subcommandTerm: (one) => `${one.name()} ${one.usage().replace('[options]', '').trim()}`.trim(),
    subcommandDescription: (one) =>
      `${one.description()}${one.alias() === undefined ? '' : ` (also: ${one.aliases().join(', ')})`}`,
  })
  const named = (one: CommandLine, command: Command): Command => command.aliases(ALIASES[one.name] ?? [])
  if (spec !== null)
    named(
      spec,
      addCommand(program, spec, (input, given) => act(spec, input, given)),
    )
  else if (!isVersion) for (const one of await list.lines()) named(one, listCommand(program, one))
  return program
}

/**
 * Returns the words to parse. An unknown command is given to the parser alone, and words of a known one without --help,
 * when the parser refuses them: beside --help or --version it would not check them.
 */
function checkedFirst(
  name: string | null,
  spec: CommandSpec | null,
  options: readonly string[],
  words: readonly string[],
): readonly string[] {
  if (spec === null) return name === null ? words : [name]
  const [, ...rest] = options.filter((option) => option !== '--help' && option !== '-h')
  if (rest.length === options.length - 1) return words
  // A parser of its own: it keeps the values that it read.
  const command = addCommand(quiet(new Command()), spec, async () => undefined)
  try {
    for (const [index, operand] of command.parseOptions(rest).operands.entries()) {
      command.registeredArguments[index]?.parseArg?.(operand, undefined)
    }
    return words
  } catch {
    return [spec.name, ...rest]
  }
}

async function runCommand(spec: CommandSpec, input: object, given: CommandContext, running: CommandRun): Promise<void> {
  // Loaded only now, so that --help and --version start quickly.
  const { unknownVariablesText, unknownVariables } = await import('#core/settings/unknown-variables.ts')
  const unknown = unknownVariables(process.env)
  if (unknown.length > 0) printNote(unknownVariablesText(unknown))
  const { recordCommand } = await import('./commands/record-command.ts')
  running.recorded = recordCommand(spec.name, given.version)
  const { onFile } = await import('./memory-in-postgres.ts')
  const onOne = await onFile(spec, input, given)
  if (spec.stays) {
    running.exitCode = (await spec.run(input as never, onOne)).exitCode ?? EXIT.done
    return
  }
  const { answer, print } = await despiteWrongValues(
    await memoryOf(input, onOne),
    async () => {
      const answer = await spec.run(input as never, onOne)
      return { answer, print: prepareAnswer(answer, given.json) }
    },
    ({ answer }) => !('json' in answer) || spec.prints === undefined || spec.prints.safeParse(answer.json).success,
  )
  await print()
  running.exitCode = answer.exitCode ?? EXIT.done
}

/**
 * Returns the file that a command works on: --from of a command that makes another one, and otherwise --db or the
 * configured one. Null when it works on a database.
 */
async function memoryOf(input: { readonly from?: unknown }, { db }: CommandContext): Promise<string | null> {
  const path = (typeof input.from === 'string' ? input.from : db) ?? (await configuredMemory())
  return path === null || isDatabaseAddress(path) ? null : path
}

async function configuredMemory(): Promise<string | null> {
  const { loadSettings } = await import('#core/settings/settings-store.ts')
  try {
    return loadSettings(process.env).databasePath
  } catch (error) {
    // A command that needs the settings reports what is wrong with them.
    if (error instanceof LcmError) return null
    throw error
  }
}
