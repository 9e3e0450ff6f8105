import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { z } from 'zod'
import { isoTime } from '#core/clock.ts'
import type { WatchFinding } from '#core/contract/watch.ts'
import { onStopSignal } from '#core/doors/stop-signals.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import type { Lcm } from '#core/lcm.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import type { Watcher } from '#core/watch/watcher.ts'
import { defineCommand } from '../command.ts'
import { toCliJson } from '../output/cli-json.ts'
import { EXIT, printNote } from '../output/output.ts'
import { printable } from '../output/printable.ts'

const DEFAULT_SECONDS = 10

/** Says what goes wrong with memories while their agents work, and when it is over. */
export const watch = defineCommand({
  name: 'watch',
  example: 'watch memory.db --once',
  fields: z.object({
    files: z.array(z.string()).optional().meta({
      description: 'the memory files (default: that of --db, or the configured one)',
      value: 'file',
    }),
    once: z.boolean().default(false).describe('look once, and end: exit code 3 when something is wrong'),
    interval: z
      .number()
      .min(0.1)
      .max(3600)
      .default(DEFAULT_SECONDS)
      .meta({ description: 'seconds between two looks', value: 'seconds' }),
  }),
  positional: ['files'],
  memory: { instead: 'copy the conversation into a file with "lcm pull", and watch that.' },
  stays: true,
  run: async ({ files = [], once, interval }, { db, newer = false, json }) => {
    const { Watcher } = await import('#core/watch/watcher.ts')
    const given = files.length > 0 ? files : [db ?? loadSettings(process.env).databasePath]
    const where = { home: homedir(), env: process.env, cwd: process.cwd() }
    const watched = [...new Set(given.map((path) => resolve(path)))].map(
      (path) => new WatchedFile(path, newer, new Watcher(where, userFolders(process.env).data)),
    )
    const print = json ? jsonLine : textLine
    const abort = new AbortController()
    const removeListener = onStopSignal(() => abort.abort())
    try {
      for (;;) {
        for (const file of watched) {
          for (const change of await file.look(once, abort.signal))
            process.stdout.write(`${print(file.path, change)}\n`)
        }
        if (once) {
          const isWrong = watched.some(({ isWrong }) => isWrong)
          if (!isWrong && !json) process.stdout.write('Nothing is wrong.\n')
          return { exitCode: isWrong ? EXIT.findings : EXIT.done }
        }
        await later(interval * 1000, null, { signal: abort.signal }).catch(() => undefined)
        if (abort.signal.aborted) return { exitCode: EXIT.interrupted }
      }
    } catch (error) {
      if (abort.signal.aborted) return { exitCode: EXIT.interrupted }
      throw error
    } finally {
      removeListener()
      for (const file of watched) file.close()
    }
  },
})

type Change = { readonly atMs: number; readonly state: 'found' | 'gone'; readonly finding: WatchFinding }

/** A memory file that stays open between two looks. It is opened anew when another file took its place. */
class WatchedFile {
  readonly path: string
  readonly #allowNewer: boolean
  readonly #watcher: Watcher
  #lcm: Lcm | null = null
  #known: ReadonlyMap<string, WatchFinding> = new Map()
  /** The message of the error that was printed last, so that it is not printed at every look. */
  #failure: string | null = null

  constructor(path: string, allowNewer: boolean, watcher: Watcher) {
    this.path = path
    this.#allowNewer = allowNewer
    this.#watcher = watcher
  }

  get isWrong(): boolean {
    return this.#known.size > 0
  }

  /**
   * Returns what was not so at the look before, and what is no longer so.
   * @param isOnly whether a file that cannot be read is an error; otherwise that is printed once, and the next look tries again
   */
  async look(isOnly: boolean, signal: AbortSignal): Promise<Change[]> {
    try {
      const { atMs, findings } = await this.#watcher.look(await this.#opened(), signal)
      this.#failure = null
      const now = new Map(findings.map((finding) => [keyOf(finding), finding]))
      const before = this.#known
      this.#known = now
      return [
        ...[...now].flatMap(([key, finding]) => (before.has(key) ? [] : { atMs, state: 'found' as const, finding })),
        ...[...before].flatMap(([key, finding]) => (now.has(key) ? [] : { atMs, state: 'gone' as const, finding })),
      ]
    } catch (error) {
      if (isOnly || !(error instanceof LcmError) || error.code === 'cancelled') throw error
      if (this.#failure !== error.message) printNote(`${this.path}: ${error.message}`)
      this.#failure = error.message
      this.close()
      return []
    }
  }

  async #opened(): Promise<Lcm> {
    if (this.#lcm?.isOutdated()) this.close()
    const { openLcm } = await import('#core/lcm.ts')
    this.#lcm ??= await openLcm(this.path, { readOnly: true, allowNewer: this.#allowNewer })
    return this.#lcm
  }

  close(): void {
    this.#lcm?.close()
    this.#lcm = null
  }
}

/** What stays the same from look to look, while a text may count more each time. */
const keyOf = ({ kind, conversationId, command }: WatchFinding): string => `${kind} ${conversationId} ${command}`

const jsonLine = (path: string, { atMs, state, finding }: Change): string =>
  JSON.stringify(toCliJson({ atMs, path, state, ...finding }))

function textLine(path: string, { atMs, state, finding }: Change): string {
  const { severity, conversationId, text, mend, command } = finding
  const where = conversationId === null ? path : `${path}, conversation ${conversationId}`
  const head = `${isoTime(atMs)} ${state === 'gone' ? 'over' : severity}: ${where}: ${text}`
  const end = state === 'gone' ? '' : `\n  ${mend}${command === null ? '' : ` (${command})`}`
  return printable(head) + printable(end)
}
