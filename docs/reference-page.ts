import { ErrorCode } from '../core/contract/error.ts'
import type { MemoryInfo } from '../core/contract/memory.ts'
import { rules } from '../core/doctor/rules/rules.ts'
import { ALIASES, type CommandSpec, SHARED } from '../core/doors/cli/command.ts'
import { commandLists } from '../core/doors/cli/commands.ts'
import { type Flag, flagsOf } from '../core/doors/cli/input/flags.ts'
import { commandFlags, flagText } from '../core/doors/cli/input/parser.ts'
import { EXIT } from '../core/doors/cli/output/output.ts'
import { NOTE } from './note.ts'

const [lcm, call] = await commandLists()
/** Every command of `lcm`. */
export const everyCommand = await lcm.all()
const everyProcedure = await call.all()

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong usage',
  findings: 'findings',
  retry: 'try again',
  unopenable: 'the file cannot be opened',
  interrupted: 'interrupted',
}
/** Every exit code of `lcm` with its meaning. */
export const exitCodes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => ({
  code: String(EXIT[name]),
  meaning: MEANINGS[name],
}))

export function referencePage(): string {
  return `${NOTE}

# Reference

## Commands

Every command has these options, and one for each field of the procedure behind it. Names of values in angle brackets are required. A word with dashes in front is no option behind \`--\`.

${shared()}

A command that reads a memory takes the address of a database in the place of a file, too: \`--db 'postgres://user@host/database?tenant=name' --conversation ID\` ([scale.md](scale.md#read-from-the-command-line)).

${commands()}

## Exit codes

${exitCodes.map(({ code, meaning }) => `${code} ${meaning}`).join(' · ')}

## Error codes

${ErrorCode.options.map((code) => `\`${code}\``).join(' · ')}

## Integrity checks

| check | severity | what must hold |
|---|---|---|
${rules.map((rule) => `| \`${rule.id}\` | ${severityOf(rule.severity)} | ${rule.invariant} |`).join('\n')}

## Procedures

\`lcm call\` asks for any of them. Its options are the fields of the input: a flag has the name of its field without the unit (\`freshTailCount\` is \`--fresh-tail\`), a list may be repeated, times are ISO 8601, and what has no shorter form is JSON. The answer is printed as YAML, and with \`--json\` as one JSON document. A procedure that starts a job is answered when the job has ended; a stream is printed while it comes.

${procedures()}
`
}

/** One that depends on the file is told for native files and for others. */
function severityOf(severity: (typeof rules)[number]['severity']): string {
  if (typeof severity === 'string') return severity
  const [native, foreign] = (['native', 'lossless-claw'] as const).map((system) => severity({ system } as MemoryInfo))
  return `${native} (native), ${foreign} (others)`
}

const commands = (): string => everyCommand.map((spec) => section('lcm', spec)).join('\n\n')
const procedures = (): string => everyProcedure.map((spec) => section('lcm call', spec)).join('\n\n')

/** The options of all commands are listed once. */
const shared = (): string => flagTable([], flagsOf(SHARED))

/** What every page about a command says: its name with the words that it is given, its flags, and its other names. */
export function partsOf(spec: CommandSpec) {
  const { positional } = commandFlags(spec)
  const words = positional.map(({ placeholder, isRequired }) => (isRequired ? `<${placeholder}>` : `[${placeholder}]`))
  const aliases = (ALIASES[spec.name] ?? []).map((name) => `\`lcm ${name}\``)
  return {
    title: [spec.name, ...words].join(' '),
    does: `${spec.does}${aliases.length > 0 ? `. Also: ${aliases.join(', ')}` : ''}`,
    positional,
    own: flagsOf(spec.fields).filter((flag) => !positional.some(({ field }) => field === flag.field)),
  }
}

function section(before: string, spec: CommandSpec): string {
  const { title, does, positional, own } = partsOf(spec)
  return [
    `### ${before} ${title}`,
    does,
    ...(positional.length + own.length > 0 ? [flagTable(positional, own)] : []),
    `Example: \`lcm ${spec.example}\``,
  ].join('\n\n')
}

function flagTable(positional: readonly Flag[], options: readonly Flag[]): string {
  const rows = [
    ...positional.map((flag) => [`<${flag.placeholder}>`, flag.does]),
    ...options.map((flag) => [flagText(flag), flag.does]),
  ]
  return ['| option | |', '|---|---|', ...rows.map(([name, does]) => `| \`${name}\` | ${does} |`)].join('\n')
}
