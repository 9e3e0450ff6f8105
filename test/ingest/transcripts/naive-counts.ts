import { readFileSync } from 'node:fs'

/** Whatever a record may have: samples follow no schema. */
type Json = {
  readonly type: string
  readonly subtype: string | undefined
  readonly role: string
  readonly id: string
  readonly text: string
  readonly payload: Json
  readonly data: Json
  readonly content: Json[]
  readonly summary: Json[]
  readonly replacement_history: Json[]
  readonly message: Json | undefined
  readonly toolCalls: Json[] | undefined
  readonly toolCallStates: Json[] | undefined
  readonly result: unknown
  readonly parts: Json[]
  readonly info: Json
  readonly state: { readonly status: string }
  readonly event: Json
  readonly properties: Readonly<Record<string, Json>>
}
/** Messages by role, compactions of the agent where they can be counted, conversations where a file holds several. */
export type NaiveCounts = {
  readonly user?: number
  readonly assistant?: number
  readonly tool?: number
  readonly system?: number
  readonly compactions?: number
  readonly conversations?: number
}

const lines = (path: string): Json[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
const history = (path: string): Json[] => (JSON.parse(readFileSync(path, 'utf8')) as { history: Json[] }).history
const count = <T>(list: readonly T[], is: (item: T) => boolean): number => list.filter(is).length

/** Of messages as the API of Anthropic has them, where a result of a tool is a block in words of the user. */
function countedBlocks(messages: readonly Json[]): NaiveCounts {
  const isResult = ({ content }: Json): boolean => content.some(({ type }) => type === 'tool_result')
  return {
    user: count(messages, (message) => message.role === 'user' && !isResult(message)),
    assistant: count(messages, ({ role }) => role === 'assistant'),
    tool: count(messages, isResult),
  }
}

/** As plain a count of each format as can be: no code of the importers. */
export const naiveFormats: Readonly<Record<string, { readonly count: (path: string) => NaiveCounts }>> = {
  'claude-code': {
    count: (path) => {
      const all = lines(path)
      const blocks = (entry: Json): Json[] => (Array.isArray(entry.message?.content) ? entry.message.content : [])
      const answers = all.filter(({ type }) => type === 'assistant').map(({ message }) => message?.id)
      const asked = all.filter(({ type }) => type === 'user')
      const isResult = ({ type }: Json): boolean => type === 'tool_result'
      return {
        user: count(asked, (entry) => !blocks(entry).some(isResult)),
        assistant: new Set(answers).size,
        tool: count(asked.flatMap(blocks), isResult),
        compactions: 0,
      }
    },
  },
  messages: {
    count: (path) => {
      const said = (wanted: string): number => count(lines(path), ({ role }) => role === wanted)
      return { system: said('system'), user: said('user'), assistant: said('assistant'), compactions: 0 }
    },
  },
  codex: {
    count: (path) => {
      const all = lines(path)
      const items = all.filter(({ type }) => type === 'response_item').map(({ payload }) => payload)
      const said = (role: string): number => count(items, (item) => item.type === 'message' && item.role === role)
      const isReadable = (item: Json): boolean =>
        item.type === 'reasoning' && [...(item.summary ?? []), ...(item.content ?? [])].some(({ text }) => text !== '')
      const is = (item: Json, ...types: string[]): boolean => types.includes(item.type)
      const calls = count(items, (item) =>
        is(item, 'function_call', 'custom_tool_call', 'web_search_call', 'local_shell_call'),
      )
      const compactions = all.filter(({ type }) => type === 'compacted')
      // Context that a compaction brought anew, beside what it kept of the history.
      const texts = new Set(items.map((item) => JSON.stringify([item.role, item.content])))
      const ids = new Set(items.map(({ id }) => id))
      const fresh = compactions
        .flatMap(({ payload }) =>
          payload.replacement_history.filter(({ content: [first] = [] }) => first?.text !== payload.message),
        )
        .filter(
          (item) =>
            item.type === 'message' &&
            (item.id === undefined || !ids.has(item.id)) &&
            !texts.has(JSON.stringify([item.role, item.content.map(({ type, text }) => ({ type, text }))])),
        )
      const freshOf = (role: string): number => count(fresh, (item) => item.role === role)
      return {
        user:
          said('user') + count(items, (item) => item.type === 'agent_message') + compactions.length + freshOf('user'),
        assistant: said('assistant') + calls + count(items, isReadable) + freshOf('assistant'),
        tool: count(items, (item) => is(item, 'function_call_output', 'custom_tool_call_output')),
        system: said('developer') + freshOf('developer'),
        compactions: compactions.length,
      }
    },
  },
  pi: { count: countPi },
  openclaw: { count: countPi },
  'oh-my-pi': { count: countPi },
  'gemini-cli': {
    count: (path) => {
      const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }
      const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? [])
      return {
        user: count(messages, ({ type }) => type !== 'gemini'),
        assistant: count(messages, ({ type }) => type === 'gemini'),
        tool: count(calls, ({ result }) => result !== null && result !== undefined),
        compactions: 0,
      }
    },
  },
  'qwen-code': {
    count: (path) => {
      const all = lines(path)
      const compactions = count(all, ({ subtype }) => subtype === 'chat_compression')
      // Each compaction of the sample brings its summary and an acknowledgement of the model.
      return {
        user: count(all, ({ type }) => type === 'user') + compactions,
        assistant: count(all, ({ type }) => type === 'assistant') + compactions,
        tool: count(all, ({ type }) => type === 'tool_result'),
        compactions,
      }
    },
  },
  'copilot-cli': {
    count: (path) => {
      const of = (wanted: string): number => count(lines(path), ({ type }) => type === wanted)
      const compactions = of('session.compaction_complete')
      return {
        user: of('user.message') + compactions,
        assistant: of('assistant.message'),
        tool: of('tool.execution_complete'),
        system: of('system.message'),
        compactions,
      }
    },
  },
  cline: {
    count: (path) => {
      const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }
      return { ...countedBlocks(messages), system: 1 }
    },
  },
  continue: {
    count: (path) => {
      const items = history(path)
      const of = (wanted: string): number => count(items, ({ message }) => message?.role === wanted)
      return {
        user: of('user'),
        assistant: of('assistant') + of('thinking'),
        tool: items.reduce((sum, { toolCallStates }) => sum + (toolCallStates?.length ?? 0), 0),
        compactions: count(items, (item) => 'conversationSummary' in item),
      }
    },
  },
  'kimi-code': {
    count: (path) => {
      const all = lines(path)
      const of = (wanted: string): number => count(all, ({ type }) => type === wanted)
      const event = (wanted: string): number => count(all, (line) => 'event' in line && line.event.type === wanted)
      return {
        system: of('profile.bind'),
        user: of('context.append_message') + of('context.apply_compaction'),
        assistant: event('step.begin'),
        tool: event('tool.result'),
        compactions: of('context.apply_compaction'),
      }
    },
  },
  droid: {
    count: (path) =>
      countedBlocks(lines(path).flatMap(({ type, message }) => (type === 'message' && message ? message : []))),
  },
  opencode: {
    count: (path) => {
      const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }
      const parts = messages.flatMap((message) => message.parts)
      return {
        user: count(messages, ({ info }) => info.role === 'user'),
        assistant: count(messages, ({ info }) => info.role === 'assistant'),
        tool: count(parts, ({ type, state }) => type === 'tool' && /completed|error/.test(state.status)),
        compactions: count(messages, ({ info }) => (info.summary as unknown) === true),
      }
    },
  },
  'opencode-events': {
    count: (path) => {
      const events = lines(path).map(({ event }) => event)
      const last = (type: string, field: string): Json[] => {
        const found = events.filter((event) => event.type === type).flatMap(({ properties }) => properties[field] ?? [])
        return [...new Map(found.map((item) => [item.id, item])).values()]
      }
      const messages = last('message.updated', 'info')
      return {
        user: count(messages, ({ role }) => role === 'user'),
        assistant: count(messages, ({ role }) => role === 'assistant'),
        tool: count(
          last('message.part.updated', 'part'),
          ({ type, state }) => type === 'tool' && /completed|error/.test(state.status),
        ),
        compactions: 0,
      }
    },
  },
  entire: {
    count: (path) => {
      const all = lines(path)
      const blocks = all.flatMap(({ content }) => content)
      return {
        user: count(all, ({ type }) => type === 'user'),
        assistant: count(all, ({ type }) => type === 'assistant'),
        tool: count(blocks, ({ result }) => result !== undefined),
        compactions: 0,
      }
    },
  },
  aider: { count: countAider },
  specstory: {
    count: (path) => {
      const text = readFileSync(path, 'utf8')
      // In these samples no turn is quoted on lines of its own.
      const turns = text.split(/^_\*\*(?=User|Agent)/m).slice(1)
      const calls = text.split(/^<tool-use data-tool-type/m).slice(1)
      const outputs = calls.map((call) => call.slice(call.indexOf('</summary>') + 10, call.indexOf('</details>')))
      return {
        user: count(turns, (turn) => turn.startsWith('User')),
        assistant: count(turns, (turn) => turn.startsWith('Agent')),
        tool: count(outputs, (output) => output.trim() !== ''),
        compactions: 0,
      }
    },
  },
  'swe-agent': {
    count: (path) => {
      type Run = { history: Json[]; trajectory: { observation?: string }[] }
      const { history, trajectory } = JSON.parse(readFileSync(path, 'utf8')) as Run
      const said = (role: string): number => count(history, (item) => item.role === role)
      const all = JSON.stringify(history).replaceAll(/\\[rnt]|\s/g, '')
      // What a step saw and the history does not say, such as the patch that the last one handed in.
      const seenOnly = trajectory.filter(({ observation = '' }) =>
        observation.split(/[\r\n]+/).some(
          (line) =>
            !all.includes(
              JSON.stringify(line)
                .slice(1, -1)
                .replaceAll(/\\[rnt]|\s/g, ''),
            ),
        ),
      )
      return {
        system: said('system'),
        user: said('user') + seenOnly.length,
        assistant: said('assistant'),
        tool: said('tool'),
        compactions: 0,
      }
    },
  },
  openhands: {
    count: (path) => {
      type Task = { history: { action?: string; observation?: string }[] }
      const tasks = readFileSync(path, 'utf8').trim().split('\n')
      const all = tasks.flatMap((row) => (JSON.parse(row) as Task).history)
      return {
        assistant: count(all, ({ action }) => action !== undefined && action !== 'message'),
        tool: count(all, ({ observation }) => observation !== undefined),
        user: count(all, ({ action }) => action === 'message'),
        compactions: 0,
        conversations: tasks.length,
      }
    },
  },
}

function countPi(path: string): NaiveCounts {
  const all = lines(path)
  const said = (role: string): number => count(all, ({ message }) => message?.role === role)
  const compactions = count(all, ({ type }) => type === 'compaction')
  return {
    user: said('user') + said('bashExecution') + compactions,
    assistant: said('assistant'),
    tool: said('toolResult'),
    compactions,
  }
}

/** Aider's own rule, as it is: a run of marked lines is a message, other lines are one until a marked one comes. */
function countAider(path: string): NaiveCounts {
  const counts = { assistant: 0, tool: 0, user: 0 }
  type Role = keyof typeof counts | ''
  const sessions = readFileSync(path, 'utf8').split(/^# aider chat started at .*$/m)
  for (const session of sessions) {
    let before: Role = ''
    let isCounted = false
    for (const line of session.split('\n')) {
      const own: Role = line.startsWith('#### ') ? 'user' : line.startsWith('> ') ? 'tool' : 'assistant'
      const isBreak: boolean = own === 'assistant' && line.trim() === '' && before !== 'assistant'
      const role: Role = isBreak ? '' : own
      if (role !== before) isCounted = false
      before = role
      const text = own === 'assistant' ? line : line.replace(/^(#### |> )/, '')
      if (isCounted || role === '' || text.trim() === '') continue
      counts[role] += 1
      isCounted = true
    }
  }
  const isSaid = (session: string): boolean => session.replace(/^(#### |> )/gm, '').trim() !== ''
  return { ...counts, conversations: count(sessions, isSaid) }
}

/** Returns every text of a transcript unchanged, each of which has to be found again. */
export function saidIn(id: string, path: string): string[] {
  const messages = (): Json[] => (JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }).messages
  switch (id) {
    case 'codex':
      return textsIn(lines(path).filter(({ type }) => type === 'response_item'))
    case 'pi':
    case 'openclaw':
    case 'oh-my-pi':
      return textsIn(lines(path).map(({ message }) => message?.content))
    case 'opencode':
      return textsIn(messages().map(({ parts }) => parts))
    case 'cline':
      return textsIn(messages()).map((text) => text.replace(/^<user_input mode="act">(.*)<\/user_input>$/s, '$1'))
    case 'claude-code':
    case 'qwen-code':
    case 'droid':
    case 'entire':
    case 'kimi-code':
      return textsIn(lines(path))
    case 'gemini-cli':
      return textsIn(messages().map(({ content }) => ({ text: content })))
    case 'swe-agent':
      return textsIn(history(path).map(({ content }) => ({ text: content })))
    case 'continue':
      return textsIn(history(path).map(({ message }) => ({ text: message?.content })))
    case 'copilot-cli':
      return lines(path).flatMap(({ type, data }) =>
        type.endsWith('.message') ? [data.content as unknown as string] : [],
      )
    default:
      // Events come again and again, half written; Markdown has marks of its own around its texts.
      return []
  }
}

/** Every string of a transcript that says something, by the fields that hold such. */
function textsIn(value: unknown, out: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) textsIn(item, out)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'text' && typeof item === 'string') out.push(item)
      else textsIn(item, out)
    }
  }
  return out
}
