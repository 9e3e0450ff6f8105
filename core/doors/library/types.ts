import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import type { z } from 'zod'
import type * as compaction from '#core/contract/compaction.ts'
import type { Contract } from '#core/contract/contract.ts'
import type * as host from '#core/contract/host.ts'

/**
 * The types of the contract that the declarations of the package name. What is published in their place is written from
 * the schemas (`declarations.ts`), because others do not have zod.
 */
export type { CompactionResult } from '#core/contract/compaction.ts'
export type { ContextItem } from '#core/contract/context.ts'
export type { ErrorCode } from '#core/contract/error.ts'
export type { LcmEvent } from '#core/contract/event.ts'
export type { ExpandQueryResult } from '#core/contract/expand-query.ts'
export type { HostStatus, IngestResult, Recalled, StoredMessages, WindowForModel } from '#core/contract/host.ts'
export type { IntegrityReport } from '#core/contract/integrity.ts'
export type { JobResult } from '#core/contract/job.ts'
export type { Description } from '#core/contract/lineage.ts'
export type { MemoryInfo } from '#core/contract/memory.ts'
export type { Message } from '#core/contract/message.ts'
export type { Expansion, GrepResult } from '#core/contract/retrieval.ts'

export type IngestInput = z.input<typeof host.IngestInput>
export type HostMessage = z.input<typeof host.HostMessage>
export type WindowInput = z.input<typeof host.WindowInput>
export type HostCompactInput = z.input<typeof host.HostCompactInput>
export type RecallInput = z.input<typeof host.RecallInput>
export type StoredInput = z.input<typeof host.StoredInput>
export type HostStatusInput = z.input<typeof host.HostStatusInput>
export type CompactionSettings = z.input<typeof compaction.CompactionSettings>

type Inputs = InferContractRouterInputs<Contract>
type Outputs = InferContractRouterOutputs<Contract>
type Groups = { readonly [Area in Exclude<keyof Contract, 'events'>]: Contract[Area] }
type Names = { [Area in keyof Groups]: `${Area}.${keyof Groups[Area] & string}` }[keyof Groups]
type At<All, Name extends string> = Name extends `${infer Area extends keyof All & string}.${infer Rest}`
  ? Rest extends keyof All[Area]
    ? All[Area][Rest]
    : never
  : never

/** A procedure without an input takes anything there, and is declared to take nothing. */
type NoneIfAny<Given> = unknown extends Given ? undefined : Given

/** Every procedure of the contract by its name, with what it is given and what it answers. */
export type Procedures = {
  [Name in Names]: { readonly input: NoneIfAny<At<Inputs, Name>>; readonly output: At<Outputs, Name> }
} & { readonly events: { readonly input: undefined; readonly output: Outputs['events'] } }
export type JobSpec = Procedures['jobs.start']['input']
export type GrepInput = Procedures['retrieval.grep']['input']
export type ExpandInput = Procedures['retrieval.expand']['input']
export type ExpandQueryInput = Procedures['retrieval.expandQuery']['input']
