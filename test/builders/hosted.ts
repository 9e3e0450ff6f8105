import { join } from 'node:path'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { HostMessage } from '#core/contract/host.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { type HostCallName, HostedMemory } from '#core/host/hosted-memory.ts'
import { Machine } from '#core/machine/machine.ts'
import { readSettings } from '#core/settings/settings.ts'
import { STORY_BEGINS_MS } from './memory.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type Hosted = {
  readonly path: string
  readonly core: Core
  ask<T = Record<string, unknown>>(name: HostCallName, input: unknown, signal?: AbortSignal): Promise<T>
}

/** A new native memory as a program that runs an agent has it. */
export function hosted(compaction: Partial<CompactionSettings> = {}, isAutomatic = false): Hosted {
  const path = join(temporaryFolder(), 'lcm.db')
  const configured = readSettings({})
  const settings = { ...configured, compaction: { ...configured.compaction, ...compaction } }
  const open = { create: true, settings, clock: () => STORY_BEGINS_MS, cacheDir: temporaryFolder() }
  const machine = new Machine({ env: process.env, resourcesDir: '' })
  const core = new Core({ path, open, machine, execute: executeHere(open), isRemembered: false })
  const host = new HostedMemory({ core, agent: 'test', summarizer: 'deterministic', isAutomatic })
  return {
    path,
    core,
    ask: (name, input, signal = new AbortController().signal) => host.call(name, input, signal) as never,
  }
}

/** What a user and an agent say in turns. */
export const turns = (count: number, from = 0): HostMessage[] =>
  Array.from({ length: count }, (_, index) => {
    const n = from + index
    const role = n % 2 === 0 ? 'user' : 'assistant'
    const content = `Part ${n}: ${`the lighthouse keeper writes entry ${n} into the log. `.repeat(10)}`
    return { id: `m${n}`, role, content, createdAtMs: STORY_BEGINS_MS + n * 1000 }
  })
