import { z } from 'zod'
import { ConversationId } from '#core/contract/ids.ts'
import type { Lcm } from '#core/lcm.ts'
import type { Work } from './interruptible.ts'
import { type Answer, EXIT } from './output/output.ts'

/** The options of every command. */
export const SHARED = z.object({
  db: z.string().optional().meta({ description: 'the memory file (default: the configured one)', value: 'file' }),
  newer: z.boolean().optional().describe('read a file of a newer version, read-only'),
  json: z.boolean().default(false).describe('one JSON document on stdout'),
})

/** The options of a command that reads a memory. */
export const READING = SHARED.extend({
  db: z.string().optional().meta({
    description:
      'the memory file, or with --conversation a database: postgres://user@host/database?tenant=name (default: the configured one)',
    value: 'file',
  }),
  conversationId: ConversationId.optional().describe('which conversation of the database in --db'),
})

/**
 * What a command does with the memory in --db. One that reads it takes the address of a database, too, with the
 * conversation that is meant; a procedure that `may_read` may also be about something else. One that is of use with
 * files alone says what to do `instead`.
 */
export type MemoryUse = 'reads' | 'may_read' | 'changes' | { readonly instead: string }

/** Where the built or source files of this installation are. */
export type Installation = {
  /** The folder of the package. */
  readonly root: string
  readonly workerUrl: URL
  readonly rendererDir: string
  readonly resourcesDir: string
  /** Called when a thread was left in a statement, so that the process will not end by itself. */
  readonly onStuck?: () => void
}

/** What a command works with beside its own fields. */
export type CommandContext = z.output<typeof READING> & {
  /**
   * Brings the file of a conversation in PostgreSQL up to date, and returns its path. Undefined where `db` is a file of
   * the user's.
   */
  readonly upToDate?: (signal: AbortSignal) => Promise<string>
  readonly installation: Installation
  readonly version: string
  /** The commands of `lcm`, and those behind `lcm call`, for what is generated from all of them. */
  readonly lists: () => Promise<readonly [CommandList, CommandList]>
}

/** Commands of one level. */
export type CommandList = {
  /** The words before the name of a command. */
  readonly title: string
  readonly does: string
  /** The lines of a list of all commands. The commands themselves are not loaded for it where that takes long. */
  readonly lines: () => Promise<readonly CommandLine[]>
  readonly all: () => Promise<readonly CommandSpec[]>
  readonly find: (name: string) => Promise<CommandSpec | null>
}

/** A command as a list of all shows it. */
export type CommandLine = {
  readonly name: string
  readonly does: string
  /** The arguments without a flag, such as `<id>` or `[file]`. */
  readonly words?: string
}

/** Other names of a command, which decapod gives it. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  import: ['ingest'],
  messages: ['list'],
  compact: ['summarize'],
  describe: ['summary'],
}

/**
 * The one declaration of a command: help, parsing, completion, the reference and `lcm schema` follow from it. Ranges,
 * choices and defaults stand in its fields, which are those of the contract wherever it has them.
 */
export type CommandSpec = {
  readonly name: string
  readonly does: string
  /** The words behind `lcm` of an example. */
  readonly example: string
  /** Undefined when it opens no memory, or takes an address in its own way. */
  readonly memory?: MemoryUse | ((input: never, given: CommandContext) => MemoryUse | undefined)
  /** An object, or a union of objects. Undefined when there are no fields. */
  readonly fields?: z.ZodType
  /** Fields that are given without a flag, in this order. */
  readonly positional?: readonly string[]
  /** Pairs of which only one may be given. */
  readonly exclusive?: readonly (readonly [string, string])[]
  /** The schema of what it prints with --json. Undefined when none is promised. */
  readonly prints?: z.ZodType
  /** True when it runs until it is ended. */
  readonly stays?: boolean
  /** A check before everything else, of what was given. @throws LcmError */
  readonly first?: (input: never) => void
  readonly run: (input: never, given: CommandContext) => Promise<Answer>
}

/** A command without what the list of commands says of it. */
export type CommandDefinition = Omit<CommandSpec, 'does'>

type NoFields = z.ZodObject<Record<never, never>>
type CommandOf<Fields extends z.ZodObject> = Omit<
  CommandDefinition,
  'fields' | 'memory' | 'positional' | 'exclusive' | 'first' | 'run'
> & {
  readonly fields?: Fields
  readonly memory?: MemoryUse | ((input: z.output<Fields>, given: CommandContext) => MemoryUse | undefined)
  readonly positional?: readonly (keyof z.output<Fields> & string)[]
  readonly exclusive?: readonly (readonly [keyof z.output<Fields> & string, keyof z.output<Fields> & string])[]
  readonly first?: (input: Partial<z.output<Fields>>) => void
  readonly run: (input: z.output<Fields>, given: CommandContext) => Promise<Answer>
}

/** Declares a command whose fields are known to the type checker. */
export function defineCommand<Fields extends z.ZodObject = NoFields>(spec: CommandOf<Fields>): CommandDefinition {
  return spec
}

/**
 * Declares a command that asks a memory one question and changes nothing: what it asks, and the answer as text. The
 * memory is opened read-only and closed when the answer is there. Of a question that takes long, which is asked by
 * `work`, the progress is shown, and Ctrl-C stops it.
 */
export function defineQuestion<Found, Fields extends z.ZodObject = NoFields>({
  ask,
  work,
  text,
  json = (found) => found,
  exitCode = () => EXIT.done,
  ...spec
}: Omit<CommandOf<Fields>, 'run'> &
  Question<Found, z.output<Fields>> & {
    readonly text: (found: Found) => string
    /** The document that is printed with --json. Default: what was found. */
    readonly json?: (found: Found) => unknown
    readonly exitCode?: (found: Found) => number
  }): CommandDefinition {
  return defineCommand<Fields>({
    memory: 'reads',
    ...spec,
    run: async (input, given) => {
      // Loaded only when the command runs, so that help opens no memory.
      const { interruptible } = await import('./interruptible.ts')
      const { withMemory } = await import('./session.ts')
      const asked = ask ?? ((lcm: Lcm) => interruptible((signal) => work(lcm, input, signal)))
      const found = await withMemory(given, (lcm) => asked(lcm, input), { readOnly: true })
      return { json: json(found), text: () => text(found), exitCode: exitCode(found) }
    },
  })
}

type Question<Found, Input> =
  | { readonly ask: (lcm: Lcm, input: Input) => Found | Promise<Found>; readonly work?: never }
  | { readonly ask?: never; readonly work: (lcm: Lcm, input: Input, signal: AbortSignal) => Work<Found> }

/** The field of commands that narrow to one conversation. */
export const narrowed = { conversationId: ConversationId.optional().describe('narrow to one conversation') }

/** The field of commands that make a file. */
export const outputFile = z
  .string()
  .optional()
  .meta({ description: 'where it goes, where nothing may be; - is standard output', value: 'file', short: 'o' })
