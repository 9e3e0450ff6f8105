import { z } from 'zod'
import { ErrorInfo } from './error.ts'
import { TimeMs } from './ids.ts'
import { SystemId } from './memory.ts'

export const FoundMemory = z.object({
  path: z.string(),
  /** The project folder or a short name, which is better than a hash or a file name. */
  label: z.string(),
  system: SystemId.nullable(),
  bytes: z.int(),
  modifiedAtMs: TimeMs,
})
export type FoundMemory = z.infer<typeof FoundMemory>

/** The sessions that an agent keeps of one project. */
export const FoundTranscripts = z.object({
  /** The files or folders to import. */
  paths: z.array(z.string()),
  /** The folder of the project when it is known, otherwise a short name. */
  label: z.string(),
  /** The name of the agent for people. */
  agent: z.string(),
  files: z.int(),
  bytes: z.int(),
  modifiedAtMs: TimeMs,
})
export type FoundTranscripts = z.infer<typeof FoundTranscripts>

export const RecentMemory = FoundMemory.extend({
  openedAtMs: TimeMs,
  exists: z.boolean(),
  /** The database from which the file is a copy of a conversation, without a password. */
  address: z.string().optional(),
})
export type RecentMemory = z.infer<typeof RecentMemory>

export const FolderEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['folder', 'memory', 'transcript', 'file']),
  bytes: z.int().nullable(),
  modifiedAtMs: TimeMs.nullable(),
})
export type FolderEntry = z.infer<typeof FolderEntry>

export const Folder = z.object({ path: z.string(), parent: z.string().nullable(), entries: z.array(FolderEntry) })
export type Folder = z.infer<typeof Folder>

/** What is at a path, before it is opened in a window. */
export const Probe = z.object({
  path: z.string(),
  kind: z.enum(['memory', 'transcript', 'unusable']),
  system: SystemId.nullable(),
  error: ErrorInfo.nullable(),
})
export type Probe = z.infer<typeof Probe>
