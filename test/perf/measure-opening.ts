import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { clawMemory } from './claw-memory.ts'

export type OpeningMeasure = {
  readonly access: string
  /** Milliseconds of this process at work, by step; time on a busy machine says little. */
  readonly cpuMs: Readonly<Record<string, number>>
  /** Megabytes that it asked the system for, by step, in the page cache or not; all 0 where only Linux could tell. */
  readonly readMb: Readonly<Record<string, number>>
  /** Until a window shows its conversations and a page of a transcript. */
  readonly usableCpuMs: number
  readonly usableWallMs: number
  /** The longest that anything else had to wait while sizes and strata were read. */
  readonly longestBlockMs: number
  readonly rssMb: number
}

/** Opens another system's file as a window does. */
export async function measureOpening(path: string): Promise<OpeningMeasure> {
  const cacheDir = join(temporaryFolder(), 'cache')
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const cpuMs: Record<string, number> = {}
  const readMb: Record<string, number> = {}
  const step = async <T>(name: string, body: () => T | Promise<T>): Promise<T> => {
    const [before, readBefore] = [cpu(), bytesRead()]
    const made = await body()
    cpuMs[name] = Math.round(cpu() - before)
    readMb[name] = Math.round((bytesRead() - readBefore) / 1e5) / 10
    return made
  }
  const [cpuBefore, wallBefore] = [cpu(), performance.now()]
  const lcm = await step('open', () => openLcm(path, { cacheDir, settings: readSettings({}) }))
  const listed = await step('conversations', () => lcm.stats.listed())
  const { conversationId } = listed.reduce((a, b) => (b.messages > a.messages ? b : a))
  await step('transcript', () => lcm.transcript.page({ conversationId, offset: 0, limit: 60, contentChars: 2000 }))
  const usableCpuMs = Math.round(cpu() - cpuBefore)
  const usableWallMs = Math.round(performance.now() - wallBefore)
  const delay = monitorEventLoopDelay({ resolution: 2 })
  delay.enable()
  await step('history', () => lcm.reader.prepare(conversationId))
  await step('strata', () => lcm.strata.get({ conversationId, axis: 'messages' }))
  await step('strata again', () => lcm.strata.get({ conversationId, axis: 'tokens' }))
  await step('sizes', () => lcm.stats.measure())
  await step('overview', () => lcm.stats.overview(conversationId))
  delay.disable()
  const longestBlockMs = Math.round(delay.max / 1e6)
  const rssMb = Math.round(process.memoryUsage().rss / 1e6)
  lcm.close()
  return { access: lcm.info.access, cpuMs, readMb, usableCpuMs, usableWallMs, longestBlockMs, rssMb }
}

const IO = '/proc/self/io'
const bytesRead = (): number =>
  existsSync(IO) ? Number(/^rchar: (\d+)$/m.exec(readFileSync(IO, 'utf8'))?.[1] ?? 0) : 0

if (import.meta.main) console.log(JSON.stringify(await measureOpening(process.argv[2] ?? clawMemory(700))))
