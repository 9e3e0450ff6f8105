import { resolve } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { isDatabaseAddress, parseAddress } from '../database-address.ts'
import { errorFields, logEvent } from '../log.ts'
import { serveCipher } from '../settings/cipher-port.ts'
import type { Answer, Confirm, Reach } from '../settings/confirmation.ts'
import type { KeyCipher } from '../settings/key-store.ts'
import { THREAD_LIMITS } from './heap.ts'
import { afterPatience, endsInTime } from './patience.ts'

export type CoreThreadData = {
  readonly role: 'interactive' | 'jobs'
  readonly path: string | null
  readonly resourcesDir: string
  readonly owner: string
  readonly allowNewer: boolean
  readonly autoCompact: boolean
  /** Where keys can be stored: the file, and a port to the keychain. */
  readonly keys: { readonly path: string; readonly cipher: MessagePort } | null
}
export type ToCoreThread =
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'prepare' }
  | { kind: 'ping' }
  | { kind: 'close' }
/** Asks the user, in the process that owns the windows or the terminal. The answer arrives over the port. */
type Question = { readonly kind: 'confirm'; readonly asked: readonly Reach[]; readonly port: MessagePort }
export type FromCoreThread =
  | Question
  /** Asks for a process that runs a statement. Its messages go over the port, and closing the port kills it. */
  | { readonly kind: 'statement'; readonly port: MessagePort }
  | { readonly kind: 'awake' }
  | { readonly kind: 'closing' }
  /**
   * `isWhole` is false when the thread of a job is in a statement that does not end, so that this thread cannot end
   * either.
   */
  | { readonly kind: 'closed'; readonly isWhole: boolean }

/** The largest call names some thousand paths of transcripts. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024

/**
 * What a core tells the other end of a port right before it closes the port. Frames are text, and this is not. The
 * codes are those of WebSocket (RFC 6455, section 7.4.1).
 */
export type Refusal = { readonly kind: 'refused'; readonly code: 1003 | 1007 | 1009 | 1011; readonly reason: string }

export const isRefusal = (message: unknown): message is Refusal =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'refused'

/** Keys in a file, encrypted by a cipher that only the process that owns the windows can use. */
export type KeyStorage = { readonly path: string; readonly cipher: KeyCipher }

export type CoreHostOptions = {
  /** The built or source `core/doors/worker`. */
  readonly workerUrl: URL
  readonly resourcesDir: string
  /** Compacts native memories that are past a threshold while a window is open on them. By default it does not. */
  readonly autoCompact?: boolean
  /** Called when a core starts. Without it, or with null, keys come from the environment only. */
  readonly keyStorage?: () => KeyStorage | null
  /** Asks the user about what a page wants the settings to reach. Without it nobody can be asked. */
  readonly confirm?: Confirm
  /** Starts a process for a statement of the user, where Node itself cannot. */
  readonly startStatement?: (port: MessagePort) => void
}

/** A window that reloads connects again within this time and finds its core, jobs and report. */
const LINGER_MS = 10_000
/** A thread that has not answered in this time of its own is in a statement, which cannot be interrupted. */
const ANSWER_MS = 1200
/** A thread that can be ended ends in less time. */
const TERMINATION_MS = 300
/** The time for closing what is open. */
const CLOSE_MS = 5000

type Running = { readonly thread: Worker; readonly ports: Set<MessagePort>; linger: NodeJS.Timeout | null }

/** Runs one core thread for each memory file. Windows on the same file share it. */
export class CoreHost {
  readonly #options: CoreHostOptions
  readonly #cores = new Map<string, Running>()
  /** Threads in a statement that does not end. */
  readonly #stuck = new Set<Worker>()

  constructor(options: CoreHostOptions) {
    this.#options = options
  }

  /**
   * Returns a port that speaks the contract for the file (null: a welcome core). The core ends when its last port is
   * closed, and a port is closed when its core has ended.
   */
  connect(shown: string | null, allowNewer = false): MessagePort {
    // A window on a database has no file: it asks the core of the welcome page.
    const path = shown !== null && isDatabaseAddress(shown) ? null : shown
    const key = keyOf(path, allowNewer)
    const running = this.#cores.get(key) ?? this.#start(key, path, allowNewer)
    if (running.linger) clearTimeout(running.linger)
    running.linger = null
    const { port1, port2 } = new MessageChannel()
    running.thread.postMessage({ kind: 'connect', port: port2 } satisfies ToCoreThread, [port2])
    running.ports.add(port1)
    port1.on('close', () => {
      running.ports.delete(port1)
      if (running.ports.size > 0 || this.#cores.get(key) !== running) return
      this.#linger(key, running)
      void this.#giveUpUnlessAwake(key, running)
    })
    return port1
  }

  /** Starts the core of a file that a window is about to use, and has it read what that will ask for first. */
  prepare(path: string, allowNewer = false): void {
    if (isDatabaseAddress(path)) return
    const key = keyOf(path, allowNewer)
    if (this.#cores.has(key)) return
    const running = this.#start(key, path, allowNewer)
    this.#post(running, { kind: 'prepare' })
    this.#linger(key, running)
  }

  /**
   * Ends every core and waits for it, so that files are checkpointed and closed. A core that does not answer is left.
   * @returns whether every core ended; otherwise this process will not end by itself
   */
  async close(): Promise<boolean> {
    const ended = await Promise.all([...this.#cores].map(([key, running]) => this.#stop(key, running)))
    return ended.every(Boolean) && this.#stuck.size === 0
  }

  #start(key: string, path: string | null, allowNewer: boolean): Running {
    const keys = keysFor(this.#options.keyStorage?.() ?? null)
    const workerData: CoreThreadData = {
      role: 'interactive',
      path: path === null ? null : resolve(path),
      resourcesDir: this.#options.resourcesDir,
      owner: `lcm-inspector pid ${process.pid}`,
      allowNewer,
      autoCompact: this.#options.autoCompact ?? false,
      keys,
    }
    const running: Running = {
      thread: new Worker(this.#options.workerUrl, {
        workerData,
        resourceLimits: THREAD_LIMITS,
        transferList: keys ? [keys.cipher] : [],
      }),
      ports: new Set(),
      linger: null,
    }
    const gone = (): void => {
      if (this.#cores.get(key) === running) this.#cores.delete(key)
      for (const port of running.ports) port.close()
    }
    running.thread.on('message', (message: FromCoreThread) => {
      if (message.kind === 'confirm') void this.#confirm(message)
      if (message.kind === 'statement') this.#options.startStatement?.(message.port)
    })
    running.thread.on('error', (error) => {
      console.error(`core thread stopped: ${error.stack ?? error.message}`)
      logEvent('error', 'process', 'core.stopped', { role: 'interactive', ...errorFields(error) })
      gone()
    })
    running.thread.on('exit', () => {
      this.#stuck.delete(running.thread)
      gone()
    })
    this.#cores.set(key, running)
    return running
  }

  async #confirm({ asked, port }: Question): Promise<void> {
    const { confirm = async () => 'nobody_to_ask' as const } = this.#options
    // A dialog that cannot be shown grants nothing.
    port.postMessage(await confirm(asked).catch((): Answer => 'nobody_to_ask'))
    port.close()
  }

  #linger(key: string, running: Running): void {
    running.linger = setTimeout(() => this.#stop(key, running), LINGER_MS)
    running.linger.unref()
  }

  /** Gives up a core that does not answer, so that the next window does not wait for it. */
  async #giveUpUnlessAwake(key: string, running: Running): Promise<void> {
    const awake = this.#hears(running, 'awake', ANSWER_MS)
    this.#post(running, { kind: 'ping' })
    if ((await awake) || running.ports.size > 0 || this.#cores.get(key) !== running) return
    this.#cores.delete(key)
    if (running.linger) clearTimeout(running.linger)
    await this.#leave(running)
  }

  /** @returns whether the thread ended */
  async #stop(key: string, running: Running): Promise<boolean> {
    if (this.#cores.get(key) === running) this.#cores.delete(key)
    if (running.linger) clearTimeout(running.linger)
    const ended = new Promise<true>((done) => running.thread.once('exit', () => done(true)))
    const closing = Promise.race([ended, this.#hears(running, 'closing', ANSWER_MS)])
    const closed = Promise.race([ended, this.#hears(running, 'closed', CLOSE_MS)])
    this.#post(running, { kind: 'close' })
    const said = (await closing) && (await closed)
    const isWhole = said === true || (said?.kind === 'closed' && said.isWhole)
    if (isWhole && (await endsInTime(ended, CLOSE_MS))) return true
    return this.#leave(running)
  }

  #post(running: Running, message: ToCoreThread): void {
    running.thread.postMessage(message)
  }

  /** Waits for a message of this kind. Returns null when none arrives in time, or the thread ends before. */
  #hears(running: Running, kind: FromCoreThread['kind'], limitMs: number): Promise<FromCoreThread | null> {
    const { thread } = running
    return new Promise((resolve) => {
      const end = (message: FromCoreThread | null): void => {
        stopWaiting()
        thread.off('message', onMessage)
        thread.off('exit', onExit)
        resolve(message)
      }
      const onMessage = (message: FromCoreThread): void => {
        if (message.kind === kind) end(message)
      }
      const onExit = (): void => end(null)
      const stopWaiting = afterPatience(limitMs, () => end(null))
      thread.on('message', onMessage)
      thread.once('exit', onExit)
    })
  }

  /** Ends a thread that does not answer: at once when it runs our code, and otherwise when its statement ends. */
  async #leave({ thread, ports }: Running): Promise<boolean> {
    this.#stuck.add(thread)
    thread.unref()
    for (const port of ports) port.close()
    return endsInTime(thread.terminate(), TERMINATION_MS)
  }
}

/** Returns the address of a database without a password, which would be seen in the address of the page. */
export const databaseAddress = (text: string): string | null =>
  isDatabaseAddress(text) ? parseAddress(text, 'environment').address.shown : null

const keyOf = (path: string | null, allowNewer: boolean): string =>
  path === null ? '' : `${allowNewer ? '+' : ''}${resolve(path)}`

/** Makes what a thread is given of a key storage: the cipher stays here, and answers over a port. */
export function keysFor(storage: KeyStorage | null): CoreThreadData['keys'] {
  if (storage === null) return null
  const { port1, port2 } = new MessageChannel()
  serveCipher(port1, storage.cipher)
  return { path: storage.path, cipher: port2 }
}
