import { z } from 'zod'
import { TimeMs } from './ids.ts'

/** How an agent is connected with a memory of this computer, as `lcm doctor` says it. */
export const AgentState = z.object({
  agent: z.string(),
  label: z.string(),
  /** Whether the agent has a folder for its settings on this computer. */
  isInstalled: z.boolean(),
  isConnected: z.boolean(),
  memory: z.string().nullable(),
  /** The version of LCM Inspector that it was connected with. */
  version: z.string().nullable(),
  connectedAtMs: TimeMs.nullable(),
  lastHeardAtMs: TimeMs.nullable(),
  lastEvent: z.string().nullable(),
  /** What is wrong, and how it is mended. */
  problems: z.array(z.string()),
  /** The command that connects it, or connects it again where that mends what is wrong. Null when there is nothing to do. */
  command: z.string().nullable(),
})
export type AgentState = z.infer<typeof AgentState>
