import { basename, dirname, join } from 'node:path'
import { valueBeside } from '#core/ingest/transcripts/files-beside.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'

/** What the path of a log and the file with the state of its session say of it. */
export type KimiSession = {
  /** Null for a log that was moved away from its session. */
  readonly id: string | null
  /** The session that started this sub-agent, or from which this one was forked. */
  readonly parentId: string | null
  /** The sessions from which this one has copies, the latest first. */
  readonly forkedFrom: readonly string[]
  /**
   * How often the log of a sub-agent was copied since its agent said something. Such a copy belongs to the session from
   * which it was made. 0 for the main agent.
   */
  readonly copies: number
  readonly title: string | null
  readonly cwd: string | null
}

const MAIN = 'main'
/** A damaged state could name its own session as its origin. */
const MOST_FORKS = 100

const agentOf = (path: string): string => basename(dirname(path))
/** The folder of the session: `<session>/agents/<agent>/wire.jsonl`. */
const folderOf = (path: string): string => dirname(dirname(dirname(path)))
const stateIn = (folder: string): string => join(folder, 'state.json')

export const filesBeside = (path: string): readonly string[] => [stateIn(folderOf(path))]

/**
 * @param copies how often the session was forked since its agent said something. A sub-agent that said nothing since
 * belongs to the session from which it was copied.
 */
export function sessionOf(path: string, copies: number): KimiSession {
  if (basename(dirname(dirname(path))) !== 'agents')
    return { id: null, parentId: null, forkedFrom: [], copies: 0, title: null, cwd: null }
  const folder = folderOf(path)
  const agent = agentOf(path)
  const state = stateOf(folder)
  const sessions = [basename(folder), ...originsOf(folder, state)]
  const cwd = textAt(state, 'cwd')
  if (agent === MAIN) {
    const [id = null, ...forkedFrom] = sessions
    const title = textAt(state, 'title')
    const named = title === null ? null : oneLine(title)
    return { id, parentId: forkedFrom[0] ?? null, forkedFrom, copies: 0, cwd, title: named }
  }
  const [own = '', ...origins] = sessions.slice(Math.min(copies, sessions.length - 1))
  const forkedFrom = origins.map((session) => `${session}/${agent}`)
  const starter = textAt(objectAt(objectAt(state, 'agents'), agent), 'parentAgentId') ?? MAIN
  const parentId = forkedFrom[0] ?? (starter === MAIN ? own : `${own}/${starter}`)
  return { id: `${own}/${agent}`, parentId, forkedFrom, copies, title: null, cwd }
}

const stateOf = (folder: string): JsonObject => {
  const state = valueBeside(stateIn(folder))
  return isObject(state) ? state : {}
}

/** The sessions from which a session was forked, the latest first. They end behind one whose folder was removed. */
function originsOf(folder: string, state: JsonObject): string[] {
  const origins: string[] = []
  for (let origin = textAt(state, 'forkedFrom'); origin !== null && origins.length < MOST_FORKS; ) {
    origins.push(origin)
    origin = textAt(stateOf(join(folder, '..', origin)), 'forkedFrom')
  }
  return origins
}
