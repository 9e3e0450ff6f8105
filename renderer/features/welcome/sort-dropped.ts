import type { Probe } from '#core/contract/machine.ts'

/**
 * What was dropped together, after a look at each: transcripts and folders of them are imported together; of memories
 * the first is opened, also one that lies in a dropped folder. Where nothing can be used, the first one's page says why.
 */
export function sortDropped(probes: readonly Probe[]): {
  readonly memory: string | null
  readonly transcripts: readonly string[]
} {
  const memories = probes.flatMap(({ kind, path, error }) => {
    const inside = error?.details?.suggestion
    return kind === 'memory' ? [path] : typeof inside === 'string' ? [inside] : []
  })
  return {
    memory: memories[0] ?? probes.find(({ kind }) => kind === 'unusable')?.path ?? null,
    transcripts: probes.filter(({ kind }) => kind === 'transcript').map(({ path }) => path),
  }
}
