import type { MessagePort } from 'node:worker_threads'
import { utilityProcess } from 'electron'

/**
 * Starts a process for a statement of the user, which can be killed in the middle of it, and passes its messages on.
 * Only this process may start others, because the app is built so that it does not run as Node.
 */
export function startStatement(modulePath: string, port: MessagePort): void {
  const child = utilityProcess.fork(modulePath, [], { stdio: 'ignore', serviceName: 'LCM Inspector statement' })
  let isRunning = true
  child.on('message', (reply: unknown) => port.postMessage(reply))
  child.once('exit', () => {
    isRunning = false
    port.close()
  })
  port.on('message', (task: unknown) => child.postMessage(task))
  port.once('close', () => {
    if (isRunning && child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
  })
}
