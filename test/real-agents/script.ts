import type { Answer, Asked, Parameter, Script, Tool } from './model-server.ts'

/** What is said in a session, in the order in which a memory should have it. Each text has a word of its own. */
export const SAID = [
  { role: 'user', word: 'AMBERFINCH' },
  { role: 'assistant', word: 'MAROONIBIS' },
  { role: 'tool', word: 'COPPERWREN' },
  { role: 'assistant', word: 'INDIGOLARK' },
  { role: 'user', word: 'VIOLETHERON' },
  { role: 'assistant', word: 'SILVERCRANE' },
] as const

export const PROMPTS = ['Run the command of AMBERFINCH please.', 'Now say the last word to VIOLETHERON.'] as const

/** The output has a word that the call does not have. */
const COMMAND = "printf '%s%s' COPPER WREN"
const CALLING = 'I run it for MAROONIBIS.'
const CALLED = 'The command of INDIGOLARK has run.'
const LAST = 'The last word is SILVERCRANE.'
/** What is asked beside the conversation: titles, names, memories. */
const BESIDE = 'Scripted words'

const SHELL =
  /^(?:bash|shell|sh|exec|exec_command|shell_command|run_shell_command|run_commands?|execute_command|execute|terminal)$/i

/**
 * What was said last of the conversation in a request, or null for a request beside it: those offer no tools, or end with
 * an answer. Programs send words of their own before and behind those of the person.
 */
export function lastSaid({ messages, hasTools }: Pick<Asked, 'messages' | 'hasTools'>): string | null {
  const last = messages.findLast(({ text }) => SAID.some(({ word }) => text.includes(word)))
  const said = SAID.findLast(({ word }) => last?.text.includes(word))
  return !hasTools || said === undefined || said.role === 'assistant' ? null : said.word
}

/** Two turns, the first of which runs a command. */
export const script: Script = (asked, tools): Answer => {
  const last = lastSaid(asked)
  if (last === null) return { text: BESIDE, call: null }
  if (last === 'VIOLETHERON') return { text: LAST, call: null }
  if (last === 'COPPERWREN') return { text: CALLED, call: null }
  return { text: CALLING, call: shellCall(tools, COMMAND) }
}

/** The call by which an agent runs a command in its shell, or null when it offers no shell. */
export function shellCall(tools: readonly Tool[], command: string): Answer['call'] {
  const shell = tools.find(({ name }) => SHELL.test(name))
  return shell ? { name: shell.name, input: inputOf(shell, command) } : null
}

function inputOf({ parameters }: Tool, text: string): Readonly<Record<string, unknown>> {
  const command = parameters.find(({ name }) => /^(?:command|cmd|commands)$/.test(name))
  return Object.fromEntries(
    parameters.flatMap((one) => {
      if (one === command) return [[one.name, commandAs(one, text)]]
      return one.isRequired ? [[one.name, filled(one)]] : []
    }),
  )
}

const commandAs = ({ name, type }: Parameter, command: string): unknown =>
  type !== 'array' ? command : name === 'commands' ? [command] : ['sh', '-c', command]

const filled = ({ type }: Parameter): unknown =>
  type === 'boolean' ? false : type === 'number' || type === 'integer' ? 10_000 : type === 'array' ? [] : 'a word'
