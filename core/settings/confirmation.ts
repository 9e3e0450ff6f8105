import { z } from 'zod'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import type { SettingsFile } from './settings-file.ts'
import { UserFile } from './user-file.ts'
import { VARIABLES } from './variables.ts'

/**
 * What reaches outside of the memory: a server that is sent texts and perhaps a key, a path that is read or written, or
 * a command that is run. A page may ask for it, and only the user can grant it, outside of the page.
 */
export type Reach =
  | {
      readonly kind: 'server'
      readonly provider: string
      readonly keyVariable: string | null
      readonly address: string
    }
  | { readonly kind: 'path'; readonly variable: string; readonly path: string }
  | { readonly kind: 'database'; readonly address: string }
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly input: string }

export type Answer = 'granted' | 'refused' | 'nobody_to_ask'
/** Asks the user where no page can answer: in a dialog of the desktop or at the terminal. */
export type Confirm = (asked: readonly Reach[]) => Promise<Answer>

const PATHS: readonly string[] = [
  VARIABLES.databasePath,
  VARIABLES.databaseUrl,
  VARIABLES.filesDir,
  VARIABLES.ledgerPath,
  VARIABLES.promptsDir,
].map(({ name }) => name)

/** Returns what `after` reaches and `before` did not. What the file contained already is the user's own decision. */
export function newReach(before: SettingsFile, after: SettingsFile): Reach[] {
  const known = new Set(reachOf(before).map(keyOf))
  return reachOf(after).filter((reach) => !known.has(keyOf(reach)))
}

function reachOf({ providers, values }: SettingsFile): Reach[] {
  const paths = PATHS.flatMap((variable) => {
    const path = String(values[variable] ?? '').trim()
    return path === '' ? [] : [{ kind: 'path' as const, variable, path }]
  })
  return [...providers.map(serverOf), ...paths]
}

const serverOf = ({ name, keyVariable, baseUrl }: ProviderSettings): Reach => ({
  kind: 'server',
  provider: name,
  keyVariable,
  address: new URL(baseUrl).href.replace(/\/$/, ''),
})

/** The same key leads to the same question. The name of a provider makes no difference. */
function keyOf(reach: Reach): string {
  switch (reach.kind) {
    case 'server':
      return JSON.stringify(['server', reach.keyVariable, reach.address])
    case 'path':
      return JSON.stringify(['path', reach.variable, reach.path])
    case 'database':
      return JSON.stringify(['database', reach.address])
    case 'command':
      return JSON.stringify(['command', reach.command, reach.input])
  }
}

/** What the user is asked, for the line above what is asked for. */
export const askedTo = (asked: readonly Reach[]): string =>
  asked.some(({ kind }) => kind === 'command')
    ? 'run a command'
    : asked.some(({ kind }) => kind === 'database')
      ? 'connect to a database'
      : 'change the settings'

/** Writes one line for people. Its content cannot imitate a line of ours or hide a part of it. */
export function reachText(reach: Reach): string {
  if (reach.kind === 'command')
    return `Run ${reach.command.map(word).join(' ')} for each item of ${visible(reach.input)}`
  if (reach.kind === 'database') return `Connect to ${visible(reach.address)}, with the password for it if there is one`
  if (reach.kind === 'path') return `Use the path ${visible(reach.path)} for ${reach.variable}`
  const key = reach.keyVariable === null ? '' : `the key in ${reach.keyVariable}, and `
  return `Send ${key}texts of your memories to ${visible(reach.address)} (model "${visible(reach.provider)}")`
}

/** A word of a command. What could be taken for several words stands in quotation marks. */
const word = (text: string): string => visible(/^[\w./:=@%+,-]+$/.test(text) ? text : JSON.stringify(text))

const visible = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What the user granted on this machine before, in a file of this app. */
export class GrantedReach {
  readonly #file: UserFile<readonly string[]>

  constructor(path: string) {
    this.#file = new UserFile({ path, schema: z.array(z.string()), content: 'a list of what you granted', empty: [] })
  }

  /** @throws LcmError invalid_argument when the file is damaged; file_not_readable */
  missing(asked: readonly Reach[]): Reach[] {
    const granted = this.#file.read()
    return asked.filter((reach) => !granted.includes(keyOf(reach)))
  }

  /**
   * Adds a grant.
   * @throws LcmError as `missing`, locked, disk_full
   */
  async add(reach: readonly Reach[]): Promise<void> {
    await this.#file.change((granted) => [...new Set([...granted, ...reach.map(keyOf)])])
  }
}

/**
 * The error for a page that was not granted what it asked for.
 * @param otherWay what the user can do where nobody can be asked
 */
export function notGranted(answer: Exclude<Answer, 'granted'>, asked: readonly Reach[], otherWay: string): LcmError {
  const what = asked.map(reachText).join('; ')
  const isOf = (kind: Reach['kind']): boolean => asked.some((reach) => reach.kind === kind)
  const not = isOf('command') ? 'Not started' : isOf('database') ? 'Not connected' : 'Not saved'
  return answer === 'refused'
    ? new LcmError('cancelled', `${not}, since it was not confirmed: ${what}.`)
    : new LcmError(
        'unsupported',
        `${not}: this has to be confirmed outside of the page, and there is no terminal to ask at. ${what}. Start "lcm serve" in a terminal, or ${otherWay}.`,
      )
}
