import { z } from 'zod'
import { Job } from './job.ts'

/** Events announce that something happened. They never command. */
export const LcmEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('database_changed'), atMs: z.number() }),
  z.object({ kind: z.literal('notes'), atMs: z.number() }),
  z.object({ kind: z.literal('job'), job: Job }),
])
export type LcmEvent = z.infer<typeof LcmEvent>
