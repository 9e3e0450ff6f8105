import type { MessagePort } from 'node:worker_threads'
import { isRefusal } from '#core/doors/core-host.ts'
import { logEvent } from '#core/log.ts'

/** The part of Electron's `MessagePortMain` that a relay needs. */
export type PagePort = {
  on(name: 'message', listener: (event: { readonly data: unknown }) => void): unknown
  on(name: 'close', listener: () => void): unknown
  postMessage(message: unknown): void
  start(): void
  close(): void
}

/**
 * Passes frames between a page and a core, because a `MessagePortMain` cannot be given to a thread. Frames are text.
 * Other values may be impossible to pass on, which would be an error of the main process.
 */
export function relay(page: PagePort, core: MessagePort): void {
  page.on('message', ({ data }) => {
    if (typeof data === 'string') core.postMessage(data)
    else page.close()
  })
  core.on('message', (frame: unknown) => {
    if (isRefusal(frame)) {
      console.error(`a window was cut off from its core: ${frame.reason}`)
      logEvent('warn', 'process', 'page.refused', { role: 'page', exit_code: frame.code })
    } else page.postMessage(frame)
  })
  page.on('close', () => core.close())
  core.on('close', () => page.close())
  page.start()
}
