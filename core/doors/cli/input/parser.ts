import { Argument, type Command, CommanderError, Option } from 'commander'
import { z } from 'zod'
import { LcmError } from '#core/errors.ts'
import { type CommandContext, type CommandLine, type CommandSpec, READING, SHARED } from '../command.ts'
import { type Flag, flagsOf } from './flags.ts'

export type CommandFlags = {
  readonly positional: readonly Flag[]
  readonly options: readonly Flag[]
  /** The schema of the options that other commands have, too. */
  readonly shared: z.ZodObject
}

/** Returns the arguments of a command in their order, and its options. */
export function commandFlags(spec: CommandSpec): CommandFlags {
  const { fields, positional = [] } = spec
  const own = flagsOf(fields)
  const shared = sharedOf(spec, own)
  return {
    shared,
    positional: positional.flatMap((field) => own.filter((flag) => flag.field === field)),
    options: [...flagsOf(shared), ...own.filter(({ field }) => !positional.includes(field))],
  }
}

/** The options that a command shares with others. Its own field for a conversation stands for the shared one. */
function sharedOf({ memory }: CommandSpec, own: readonly Flag[]): z.ZodObject {
  if (memory === undefined || memory === 'changes' || typeof memory === 'object') return SHARED
  return own.some(({ name }) => name === 'conversation') ? READING.omit({ conversationId: true }) : READING
}

/** Adds a command to a list of all, without its options, which take longer to make than to leave out. */
export function listCommand(program: Command, { name, does, words }: CommandLine): Command {
  const command = program.command(name).description(does)
  return words ? command.arguments(words) : command
}

type Input = Readonly<Record<string, unknown>>
type Act = (input: Input, shared: SharedOptions) => Promise<void>
type SharedOptions = Pick<CommandContext, keyof z.output<typeof READING>>

/** Adds a command to the parser. `act` is given what was checked against the fields. */
export function addCommand(program: Command, spec: CommandSpec, act: Act): Command {
  const { positional, options, shared } = commandFlags(spec)
  const command = quiet(program.command(spec.name).description(spec.does))
  command.addHelpText('after', `\nExample:\n  lcm ${spec.example}`)
  for (const flag of positional) command.addArgument(toArgument(flag))
  for (const flag of options) command.addOption(toOption(flag))
  return command.action(async () => {
    const input = inputOf(command, positional, options)
    spec.first?.(input as never)
    refuseEmptyPaths(input, [...positional, ...options])
    refuseBoth(input, options, spec)
    const own = checked(spec.fields ?? z.object({}), input, [...positional, ...options])
    await act(own, checked(shared, input, options) as SharedOptions)
  })
}

/** Errors are printed by us, in one line. */
export const quiet = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined })

/** A word that reads as in `--help`: `--limit <n>`. */
export function flagText({ name, short, kind, placeholder, isOnByDefault, isVariadic }: Flag): string {
  const long = `--${isOnByDefault ? 'no-' : ''}${name}`
  const value = kind === 'switch' ? '' : ` <${placeholder}${isVariadic ? '...' : ''}>`
  return `${short === null ? '' : `-${short}, `}${long}${value}`
}

function toArgument(flag: Flag): Argument {
  const name = `${flag.placeholder}${flag.isList ? '...' : ''}`
  const argument = new Argument(flag.isRequired ? `<${name}>` : `[${name}]`, flag.does)
  return argument.argParser((text, before: unknown) => collected(flag, text, before))
}

function toOption(flag: Flag): Option {
  const option = new Option(flagText(flag), flag.does).makeOptionMandatory(flag.isRequired)
  return flag.kind === 'switch' ? option : option.argParser((text, before: unknown) => collected(flag, text, before))
}

/** The parser keeps a list of values for every flag, because it would take a null for a missing text. */
function collected(flag: Flag, text: string, before: unknown): readonly unknown[] {
  const values = Array.isArray(before) ? before : []
  if (!flag.isList && values.length > 0) throw usage(`option '${flagText(flag)}' is given twice`)
  return [...values, flag.read(text)]
}

const attribute = (flag: Flag): string => new Option(flagText(flag)).attributeName()

/** Refuses two fields of which only one may be given. */
function refuseBoth(input: Input, flags: readonly Flag[], { exclusive = [] }: CommandSpec): void {
  const both = exclusive.find((fields) => fields.every((field) => input[field] !== undefined))
  if (both === undefined) return
  const names = flags.filter(({ field }) => both.includes(field)).map(({ name }) => `--${name}`)
  throw usage(`${names.join(' and ')} exclude each other: choose one`)
}

function inputOf(command: Command, positional: readonly Flag[], options: readonly Flag[]): Input {
  const given: Record<string, unknown> = {}
  const put = (flag: Flag, value: unknown): void => {
    given[flag.field] = flag.isList || !Array.isArray(value) ? value : value[0]
  }
  for (const [index, flag] of positional.entries()) put(flag, command.processedArgs[index])
  for (const flag of options) put(flag, command.getOptionValue(attribute(flag)))
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** The names of values that are paths. */
const PATHS: ReadonlySet<string> = new Set(['file', 'folder', 'path', 'ledger', 'backup'])
export const isPath = ({ placeholder }: Flag): boolean => PATHS.has(placeholder)

/** Refuses an empty path, as an unset variable of a shell gives it, because it would mean the current folder. */
function refuseEmptyPaths(input: Input, flags: readonly Flag[]): void {
  const empty = flags.find((flag) => isPath(flag) && [input[flag.field]].flat().includes(''))
  if (empty !== undefined) throw usage(`'${empty.name}' is given an empty path`)
}

/** Checks what only all fields together say, such as which belong to a kind of job. */
function checked<T>(schema: z.ZodType<T>, input: Input, flags: readonly Flag[]): T & Input {
  const result = schema.safeParse(input)
  if (result.success) return result.data as T & Input
  const [issue] = result.error.issues
  const flag = flags.find(({ field }) => field === issue?.path[0])
  const name = flag === undefined ? issue?.path.join('.') : `--${flag.name}`
  const isMissing = flag !== undefined && input[flag.field] === undefined
  throw usage(`${name}: ${isMissing ? 'it is missing' : (issue?.message ?? 'it is not accepted')}`)
}

const usage = (message: string): CommanderError => new CommanderError(2, 'lcm.usage', message)

/**
 * Turns what the parser refuses into wrong usage. Every other error is unchanged.
 * @param title the words before the command
 */
export function wrongUsage(error: unknown, title: string, spec: CommandSpec | null): unknown {
  if (!(error instanceof CommanderError)) return error
  if (error.code === 'commander.help') {
    return new LcmError('invalid_argument', `No command was given. "${title} --help" lists the commands.`)
  }
  const help = spec === null ? `${title} --help` : `${title} ${spec.name} --help`
  const [said = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n')
  const sentences = [said, ...suggestion.map((line) => line.replace(/^\((.*)\)$/, '$1'))]
  return new LcmError(
    'invalid_argument',
    [...sentences.map((sentence) => sentence.replace(/[^.?]$/, '$&.')), `"${help}" says more.`].join(' '),
  )
}
