import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type BrowserContext, expect } from '@playwright/test'
import { nodeBinary } from '#scripts/project.mjs'
import { cliPath } from '../builders/built-program.ts'
import type { OpenedApp } from './app.ts'
import { appEnvironment, type OpenRequest } from './app-environment.ts'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 5_000

/** A running browser host. */
export type RunningHost = {
  readonly pid: number
  /** An address that lets one page in. The host gives another one when it was used. */
  readonly address: () => Promise<string>
  readonly isRunning: () => boolean
  readonly stop: () => Promise<void>
}

/** Starts the browser host as a user would. */
export async function startHost(request: Pick<OpenRequest, 'path' | 'home' | 'env'>): Promise<RunningHost> {
  const file = request.path === undefined ? [] : ['--db', request.path]
  const host = spawn(nodeBinary, [cliPath, 'serve', '--json', '--no-open', ...file], {
    cwd: request.home,
    env: appEnvironment(request),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const isRunning = () => host.exitCode === null && host.signalCode === null
  const end = async () => {
    if (isRunning()) await stop(host)
  }
  try {
    let address: string | undefined = await firstAddress(host)
    createInterface(host.stderr).on('line', (line) => {
      address = /another one: (http\S+)/.exec(line)?.[1] ?? address
    })
    const next = async () => {
      await expect.poll(() => address).toBeDefined()
      const given = address ?? ''
      address = undefined
      return given
    }
    return { pid: host.pid ?? 0, address: next, isRunning, stop: end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Opens the page of a browser host in Chromium: of one that is started for it, or of one that others share. */
export async function openInBrowser(
  request: OpenRequest,
  context: BrowserContext,
  shared?: RunningHost,
): Promise<OpenedApp> {
  const host = shared ?? (await startHost(request))
  const close = async () => {
    await context.close()
    if (host !== shared) await host.stop()
  }
  try {
    const address = new URL(await host.address())
    if (shared && request.path !== undefined) address.searchParams.set('file', request.path)
    context.on('page', request.watch)
    const page = await context.newPage()
    await page.goto(address.href)
    return { page, isRunning: host.isRunning, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first line of standard output is `{"url": …}`. */
async function firstAddress(host: ChildProcess): Promise<string> {
  if (host.stdout === null || host.stderr === null) throw new Error('the host was started without pipes')
  let complaints = ''
  host.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const limit = AbortSignal.timeout(START_LIMIT_MS)
  const line = await Promise.race([
    once(createInterface(host.stdout), 'line', { signal: limit }).then(([first]) => String(first)),
    once(host, 'exit', { signal: limit }).then(([code]) => {
      throw new Error(`the browser host ended with ${code} before it gave its address:\n${complaints}`)
    }),
  ])
  // Keeps the pipe from filling up.
  host.stdout.resume()
  const answer: unknown = JSON.parse(line)
  if (typeof answer === 'object' && answer !== null && 'url' in answer && typeof answer.url === 'string')
    return answer.url
  throw new Error(`the browser host's first line is no address: ${line}`)
}

async function stop(host: ChildProcess): Promise<void> {
  const ended = once(host, 'exit')
  host.kill('SIGTERM')
  const insist = setTimeout(() => host.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(insist)
}
