import type { MessagePort } from 'node:worker_threads'
import { LcmError } from '../errors.ts'
import type { KeyCipher } from './key-store.ts'

type Request =
  | { readonly id: number; readonly kind: 'encrypt'; readonly text: string }
  | { readonly id: number; readonly kind: 'decrypt'; readonly bytes: Uint8Array }
/** A failure is sent without its text, because the text of a keychain may contain what it was given. */
type Answer = { readonly id: number; readonly value: string | Uint8Array | null }

/** Answers the other end of the port with this cipher while the port is open. It keeps no process alive. */
export function serveCipher(port: MessagePort, cipher: KeyCipher): void {
  const run = (request: Request): Promise<string | Uint8Array> =>
    request.kind === 'encrypt' ? cipher.encrypt(request.text) : cipher.decrypt(request.bytes)
  port.on('message', async (request: Request) => {
    // A cipher may throw before it returns a promise.
    const value = await Promise.try(run, request).catch(() => null)
    port.postMessage({ id: request.id, value } satisfies Answer)
  })
  port.unref()
}

/**
 * Uses the cipher at the other end of the port, where the keychain of the desktop can be reached. It keeps no thread
 * alive.
 */
export function cipherOver(port: MessagePort): KeyCipher {
  const waiting = new Map<number, (value: Answer['value']) => void>()
  let lastId = 0
  port.on('message', ({ id, value }: Answer) => {
    waiting.get(id)?.(value)
    waiting.delete(id)
  })
  port.on('close', () => {
    for (const answer of waiting.values()) answer(null)
    waiting.clear()
  })
  port.unref()

  const ask = <T>(
    requestOf: (id: number) => Request,
    isAnswer: (value: Answer['value']) => value is T & Answer['value'],
  ) =>
    new Promise<T>((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, (value) => (isAnswer(value) ? resolve(value) : reject(refusal())))
      port.postMessage(requestOf(lastId))
    })
  return {
    encrypt: (text) => ask((id) => ({ id, kind: 'encrypt', text }), isBytes),
    decrypt: (bytes) => ask((id) => ({ id, kind: 'decrypt', bytes }), isText),
  }
}

const isText = (value: Answer['value']): value is string => typeof value === 'string'
const isBytes = (value: Answer['value']): value is Uint8Array => value instanceof Uint8Array

const refusal = (): LcmError =>
  new LcmError(
    'unsupported',
    'The keychain of this desktop refused. Unlock it and try again, or set the key in the environment.',
  )
