import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import { type SettingsFile, writeWhole } from './settings-file.ts'
import { VARIABLES } from './variables.ts'

/**
 * What a setting reaches outside of the memory: a server that is sent texts and perhaps a key, or a path that is read or
 * written. A page may ask for it, and only the user may grant it, outside of the page.
 */
export type Reach =
  | {
      readonly kind: 'server'
      readonly provider: string
      readonly keyVariable: string | null
      readonly address: string
    }
  | { readonly kind: 'path'; readonly variable: string; readonly path: string }

export type Answer = 'granted' | 'refused' | 'nobody_to_ask'
/** Asks the user where no page can answer: a dialog of the desktop, a terminal. */
export type Confirm = (asked: readonly Reach[]) => Promise<Answer>

const PATHS: readonly string[] = [
  VARIABLES.databasePath,
  VARIABLES.databaseUrl,
  VARIABLES.filesDir,
  VARIABLES.ledgerPath,
  VARIABLES.promptsDir,
].map(({ name }) => name)

/** What `after` reaches and `before` did not. What stood in the file already is the user's own decision. */
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

/** The same key, the same question: what a provider is called makes no difference. */
const keyOf = (reach: Reach): string =>
  JSON.stringify(
    reach.kind === 'server' ? ['server', reach.keyVariable, reach.address] : ['path', reach.variable, reach.path],
  )

/** One line for people. Nothing in it can pass for a line of ours, or hide what stands there. */
export function toldReach(reach: Reach): string {
  if (reach.kind === 'path') return `Use the path ${visible(reach.path)} for ${reach.variable}`
  const key = reach.keyVariable === null ? '' : `the key in ${reach.keyVariable}, and `
  return `Send ${key}texts of your memories to ${visible(reach.address)} (model "${visible(reach.provider)}")`
}

const visible = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

const Granted = z.array(z.string())

/** What the user granted on this machine before, in a file of this app. */
export class GrantedReach {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  missing(asked: readonly Reach[]): Reach[] {
    const granted = this.#read()
    return asked.filter((reach) => !granted.includes(keyOf(reach)))
  }

  /** @throws LcmError file_not_readable, disk_full */
  add(reach: readonly Reach[]): void {
    writeWhole(this.#path, `${JSON.stringify([...new Set([...this.#read(), ...reach.map(keyOf)])], null, 2)}\n`)
  }

  #read(): string[] {
    try {
      return Granted.parse(JSON.parse(readFileSync(this.#path, 'utf8')))
    } catch {
      // Not there, or not ours: nothing was granted, and the user is asked again.
      return []
    }
  }
}

/** What a page is told that got no grant. */
export function notGranted(
  answer: Exclude<Answer, 'granted'>,
  asked: readonly Reach[],
  settingsPath: string,
): LcmError {
  const what = asked.map(toldReach).join('; ')
  return answer === 'refused'
    ? new LcmError('cancelled', `Not saved, since it was not confirmed: ${what}.`)
    : new LcmError(
        'unsupported',
        `Not saved: this has to be confirmed outside of the page, and there is no terminal to ask at. ${what}. Start "lcm serve" in a terminal, or write it into ${settingsPath} yourself.`,
      )
}
