import { ORPCError } from '@orpc/client'
import { createRouterClient } from '@orpc/server'
import type { z } from 'zod'
import type { ErrorInfo } from '#core/contract/error.ts'
import type { JobResult, JobSpec } from '#core/contract/job.ts'
import type { Core } from '#core/core.ts'
import { createRouter } from '#core/router.ts'
import type { Client } from '../contract/doors.ts'

export type Asked = { readonly procedure: string; readonly input: unknown; readonly answer: unknown }

/** Asks a core through its router, and keeps every question with its answer. A refusal is an answer, too. */
export class Asker {
  readonly asked: Asked[] = []
  readonly #core: Core
  readonly #client: Client
  #latest: Pick<Asked, 'procedure' | 'input'> = { procedure: '', input: null }

  /** Only a part of the questions is asked, those that take little time. */
  readonly isBrief: boolean

  constructor(core: Core, isBrief: boolean) {
    this.#core = core
    this.isBrief = isBrief
    this.#client = overhear(createRouterClient(createRouter(core)) as Client, [], (procedure, input) => {
      this.#latest = { procedure, input }
    })
  }

  /** @returns null when the answer is an error of the contract */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T | null> {
    try {
      const answer = await question(this.#client)
      this.asked.push({ ...this.#latest, answer })
      return answer
    } catch (error) {
      const { code, message } = errorOf(error)
      this.asked.push({ ...this.#latest, answer: { error: code, message } })
      return null
    }
  }

  /** Runs a job that only reads; its result counts as an answer of the procedure `job <kind>`. */
  async runJob(spec: z.input<typeof JobSpec>): Promise<JobResult | null> {
    const { jobId } = await this.#client.jobs.start(spec)
    for (;;) {
      const job = this.#core.jobs.list().find((one) => one.jobId === jobId)
      if (job && job.state !== 'running') {
        const answer = job.result?.value ?? { error: job.error?.code, message: job.error?.message }
        this.asked.push({ procedure: `job ${spec.kind}`, input: spec, answer })
        return job.result
      }
      await new Promise((resume) => setTimeout(resume, 1))
    }
  }
}

/** @throws what no contract foresees */
function errorOf(error: unknown): ErrorInfo {
  if (!(error instanceof ORPCError) || error.code !== 'LCM') throw error
  const info = error.data as ErrorInfo
  if (info.code === 'internal') throw new Error(`An answer ended in an internal error: ${info.message}`)
  return info
}

/** A client that tells of each call by which name and with what it was made. */
function overhear<T extends object>(
  client: T,
  path: readonly string[],
  tell: (name: string, input: unknown) => void,
): T {
  return new Proxy(client, {
    get: (target, key) => {
      const child: unknown = Reflect.get(target, key)
      return typeof key === 'string' && child ? overhear(child as object, [...path, key], tell) : child
    },
    apply: (target, self, args: unknown[]) => {
      tell(path.join('.'), args[0] ?? null)
      return Reflect.apply(target as never, self, args)
    },
  })
}
