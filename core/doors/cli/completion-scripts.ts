import { ALIASES, type CommandList, type CommandSpec } from './command.ts'
import type { Flag } from './input/flags.ts'
import { commandFlags, isPath } from './input/parser.ts'

type Entry = {
  /** The names under which it is called. */
  readonly names: readonly string[]
  readonly does: string
  readonly options: readonly Flag[]
  readonly positional: readonly Flag[]
}
type Commands = { readonly commands: readonly Entry[]; readonly procedures: readonly Entry[] }
type Shell = 'bash' | 'zsh' | 'fish'

/** Returns the script for a shell. It asks no program while somebody types, so it answers at once. */
export async function completionScript(shell: Shell, lists: readonly CommandList[]): Promise<string> {
  const [commands = [], procedures = []] = await Promise.all(lists.map(async ({ all }) => (await all()).map(entryOf)))
  return SCRIPTS[shell]({ commands, procedures })
}

const SCRIPTS: Readonly<Record<Shell, (commands: Commands) => string>> = { bash, zsh, fish }

const entryOf = (spec: CommandSpec): Entry => ({
  names: [spec.name, ...(ALIASES[spec.name] ?? [])],
  does: spec.does,
  ...commandFlags(spec),
})

const long = ({ name, isOnByDefault }: Flag): string => `--${isOnByDefault ? 'no-' : ''}${name}`
const spellings = (flag: Flag): string[] => [long(flag), ...(flag.short === null ? [] : [`-${flag.short}`])]
const namesOf = (entries: readonly Entry[]): string => entries.flatMap(({ names }) => names).join(' ')
/** Quotes a text for all three shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`

function bash({ commands, procedures }: Commands): string {
  const called = procedures.map((entry) => ({ ...entry, names: entry.names.map((name) => `call ${name}`) }))
  const every = [...commands, ...called]
  const values = every.flatMap(({ names, options }) =>
    options.flatMap((flag) => {
      if (flag.kind === 'switch') return []
      const patterns = names.flatMap((name) => spellings(flag).map((spelling) => quoted(`${name} ${spelling}`)))
      return [`    ${patterns.join('|')}) ${bashValue(flag)} ;;`]
    }),
  )
  const words = every.map(({ names, options, positional }) => {
    const [first] = positional
    const offered = first === undefined ? '' : ` choices=${quoted(first.choices.join(' '))}`
    const files = positional.some(isPath) ? ' files=1' : ''
    return `    ${names.map(quoted).join('|')}) options=${quoted(options.flatMap(spellings).join(' '))}${offered}${files} ;;`
  })
  return `# Completion of lcm for bash. Made by "lcm completion bash".
_lcm() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} first=2
  local options='' choices='' files=''
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W ${quoted(`${namesOf(commands)} help --help --version`)} -- "$word"))
    return
  fi
  if [[ $command == call ]]; then
    if (( COMP_CWORD == 2 )); then
      COMPREPLY=($(compgen -W ${quoted(namesOf(procedures))} -- "$word"))
      return
    fi
    command="call \${COMP_WORDS[2]}" first=3
  fi
  case "$command $before" in
${values.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  elif [[ -n $choices ]] && (( COMP_CWORD == first )); then
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
  elif [[ -n $files ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _lcm lcm
`
}

function bashValue(flag: Flag): string {
  if (flag.choices.length > 0) return `COMPREPLY=($(compgen -W ${quoted(flag.choices.join(' '))} -- "$word")); return`
  return isPath(flag) ? 'COMPREPLY=($(compgen -f -- "$word")); return' : 'return'
}

function zsh({ commands, procedures }: Commands): string {
  const described = (entries: readonly Entry[]): string =>
    entries
      .flatMap(({ names, does }) => names.map((name) => `    ${quoted(`${name}:${does.replaceAll(':', '\\:')}`)}`))
      .join('\n')
  const cases = (entries: readonly Entry[]): string =>
    entries
      .map(({ names, options, positional }) => {
        const specs = [...positional.map(zshArgument), ...options.flatMap(zshOption)]
        return `    (${names.join('|')})\n      _arguments -s ${specs.join(' \\\n        ')} ;;`
      })
      .join('\n')
  return `#compdef lcm
# Completion of lcm for zsh. Made by "lcm completion zsh".
_lcm_call() {
  local -a procedures
  procedures=(
${described(procedures)}
  )
  if (( CURRENT == 2 )); then
    _describe 'procedure' procedures
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases(procedures)}
  esac
}
_lcm() {
  local -a commands
  commands=(
${described(commands)}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
    (call) _lcm_call ;;
${cases(commands.filter(({ names }) => !names.includes('call')))}
  esac
}
if [[ $funcstack[1] == _lcm ]]; then
  _lcm "$@"
else
  compdef _lcm lcm
fi
`
}

const zshText = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&')
const zshValue = (flag: Flag): string => {
  if (flag.kind === 'switch') return ''
  const action = flag.choices.length > 0 ? `(${flag.choices.join(' ')})` : isPath(flag) ? '_files' : ' '
  return `:${zshText(flag.placeholder)}:${action}`
}
const zshOption = (flag: Flag): string[] =>
  spellings(flag).map((spelling) =>
    quoted(`${flag.isList ? '*' : ''}${spelling}[${zshText(flag.does)}]${zshValue(flag)}`),
  )
const zshArgument = (flag: Flag): string => quoted(`${flag.isList ? '*' : ''}${zshValue(flag)}`)

function fish({ commands, procedures }: Commands): string {
  const lines = (entries: readonly Entry[], first: string): string[] =>
    entries.flatMap(({ names, does, options, positional }) => {
      const here = `complete -c lcm -n ${quoted(`__fish_seen_subcommand_from ${names.join(' ')}`)}`
      return [
        ...names.map((name) => `complete -c lcm -n ${quoted(first)} -a ${quoted(name)} -d ${quoted(does)}`),
        ...positional.flatMap((flag) => fishValue(flag).map((value) => `${here} ${value}`)),
        ...options.map((flag) =>
          [
            here,
            ...spellings(flag).map((spelling) => spelling.replace(/^--/, '-l ').replace(/^-(?=[a-z]$)/, '-s ')),
            ...(flag.kind === 'switch' ? [] : [flag.choices.length > 0 ? '-x' : '-r', ...fishValue(flag)]),
            `-d ${quoted(flag.does)}`,
          ].join(' '),
        ),
      ]
    })
  const names = namesOf(procedures)
  return `# Completion of lcm for fish. Made by "lcm completion fish".
complete -c lcm -f
${lines(commands, '__fish_use_subcommand').join('\n')}
${lines(procedures, `__fish_seen_subcommand_from call; and not __fish_seen_subcommand_from ${names}`).join('\n')}
`
}

function fishValue(flag: Flag): string[] {
  if (flag.choices.length > 0) return [`-a ${quoted(flag.choices.join(' '))}`]
  return isPath(flag) ? ['-F'] : []
}
