import { join } from 'node:path'
import { openLcm } from '../../core/lcm.ts'
import { readSettings } from '../../core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { clawMemory } from './claw-memory.ts'

export type OpeningMeasure = {
  readonly access: string
  /** Milliseconds of this process at work, by step; time on a busy machine says little. */
  readonly cpuMs: Readonly<Record<string, number>>
  /** Until a window shows its conversations and a page of a transcript. */
  readonly usableCpuMs: number
  readonly usableWallMs: number
  readonly rssMb: number
}

/** Opens another system's file as a window does. */
export function measureOpening(path: string): OpeningMeasure {
  const cacheDir = join(temporaryFolder(), 'cache')
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const cpuMs: Record<string, number> = {}
  const step = <T>(name: string, body: () => T): T => {
    const before = cpu()
    const made = body()
    cpuMs[name] = Math.round(cpu() - before)
    return made
  }
  const [cpuBefore, wallBefore] = [cpu(), performance.now()]
  const lcm = step('open', () => openLcm(path, { cacheDir, settings: readSettings({}) }))
  const [conversation] = step('conversations', () => lcm.stats.conversations())
  const conversationId = conversation?.conversationId ?? 0
  step('transcript', () => lcm.transcript.page({ conversationId, offset: 0, limit: 60, contentChars: 2000 }))
  const usableCpuMs = Math.round(cpu() - cpuBefore)
  const usableWallMs = Math.round(performance.now() - wallBefore)
  step('strata', () => lcm.strata.get({ conversationId, axis: 'tokens' }))
  step('strata again', () => lcm.strata.get({ conversationId, axis: 'messages' }))
  const rssMb = Math.round(process.memoryUsage().rss / 1e6)
  lcm.close()
  return { access: lcm.info.access, cpuMs, usableCpuMs, usableWallMs, rssMb }
}

if (import.meta.main) console.log(JSON.stringify(measureOpening(process.argv[2] ?? clawMemory(700))))
