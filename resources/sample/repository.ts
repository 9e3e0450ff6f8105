/** The invented payments service that the sample's agent works on, as it stands when the story begins. */
export const repositoryFiles: Readonly<Record<string, string>> = {
  'src/charge/charge-service.ts': `import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { GatewayDeclined, GatewayTimeout, type NorthgateClient } from '../gateway/northgate-client.ts'
import { toMinorUnits } from '../money/amounts.ts'
import { retry } from './retry-policy.ts'
import type { Charge, ChargeRequest, ChargeResult } from './types.ts'

/** Takes money for an order, once. */
export class ChargeService {
  readonly #db: Database
  readonly #gateway: NorthgateClient
  readonly #clock: Clock

  constructor(db: Database, gateway: NorthgateClient, clock: Clock) {
    this.#db = db
    this.#gateway = gateway
    this.#clock = clock
  }

  async charge(request: ChargeRequest): Promise<ChargeResult> {
    const charge = await this.#createPending(request)
    try {
      const result = await retry(() => this.#attempt(charge), {
        attempts: 4,
        baseDelayMs: 400,
        retryOn: (error) => error instanceof GatewayTimeout,
      })
      await this.#settle(charge, result.gatewayId)
      return { kind: 'captured', chargeId: charge.id, gatewayId: result.gatewayId }
    } catch (error) {
      if (error instanceof GatewayDeclined) return this.#decline(charge, error)
      await this.#markUnknown(charge, error)
      throw error
    }
  }

  async #attempt(charge: Charge): Promise<{ gatewayId: string }> {
    const attemptId = randomUUID()
    await this.#db.run('INSERT INTO charge_attempts (id, charge_id, started_at) VALUES ($1, $2, $3)', [
      attemptId,
      charge.id,
      this.#clock(),
    ])
    return this.#gateway.capture({
      idempotencyKey: attemptId,
      amount: toMinorUnits(charge.amount, charge.currency),
      currency: charge.currency,
      paymentMethod: charge.paymentMethod,
      reference: charge.orderId,
    })
  }

  async #createPending(request: ChargeRequest): Promise<Charge> {
    return this.#db.one(
      \`INSERT INTO charges (id, order_id, amount, currency, payment_method, status, created_at)
       VALUES ($1, $2, $3, $4, $5, 'pending', $6) RETURNING *\`,
      [randomUUID(), request.orderId, request.amount, request.currency, request.paymentMethod, this.#clock()],
    )
  }

  async #settle(charge: Charge, gatewayId: string): Promise<void> {
    await this.#db.run("UPDATE charges SET status = 'captured', gateway_id = $2, settled_at = $3 WHERE id = $1", [
      charge.id,
      gatewayId,
      this.#clock(),
    ])
  }

  async #decline(charge: Charge, error: GatewayDeclined): Promise<ChargeResult> {
    await this.#db.run("UPDATE charges SET status = 'declined', decline_code = $2 WHERE id = $1", [charge.id, error.code])
    return { kind: 'declined', chargeId: charge.id, code: error.code }
  }

  async #markUnknown(charge: Charge, error: unknown): Promise<void> {
    await this.#db.run("UPDATE charges SET status = 'unknown', last_error = $2 WHERE id = $1", [charge.id, String(error)])
  }
}
`,
  'src/charge/retry-policy.ts': `export type RetryOptions = {
  readonly attempts: number
  readonly baseDelayMs: number
  readonly retryOn: (error: unknown) => boolean
}

/** Runs the action until it succeeds, with doubled delays and jitter in between. */
export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action()
    } catch (error) {
      if (attempt >= options.attempts || !options.retryOn(error)) throw error
      const delay = options.baseDelayMs * 2 ** (attempt - 1)
      await sleep(delay / 2 + Math.random() * delay)
    }
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
`,
  'src/charge/types.ts': `export type Currency = 'EUR' | 'USD' | 'GBP' | 'JPY' | 'CHF'

export type ChargeRequest = {
  readonly orderId: string
  /** Decimal string, as the order has it: '19.90'. */
  readonly amount: string
  readonly currency: Currency
  readonly paymentMethod: string
}

export type Charge = ChargeRequest & {
  readonly id: string
  readonly status: 'pending' | 'captured' | 'declined' | 'unknown' | 'refunded'
  readonly gatewayId: string | null
}

export type ChargeResult =
  | { readonly kind: 'captured'; readonly chargeId: string; readonly gatewayId: string }
  | { readonly kind: 'declined'; readonly chargeId: string; readonly code: string }
`,
  'src/gateway/northgate-client.ts': `import { request } from 'undici'

export class GatewayTimeout extends Error {
  override readonly name = 'GatewayTimeout'
}

export class GatewayDeclined extends Error {
  override readonly name = 'GatewayDeclined'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type CaptureRequest = {
  readonly idempotencyKey: string
  /** In the smallest unit of the currency. */
  readonly amount: number
  readonly currency: string
  readonly paymentMethod: string
  readonly reference: string
}

const TIMEOUT_MS = 8_000

/** The card processor's HTTP interface. */
export class NorthgateClient {
  readonly #baseUrl: string
  readonly #apiKey: string

  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl
    this.#apiKey = apiKey
  }

  async capture(capture: CaptureRequest): Promise<{ gatewayId: string }> {
    const body = await this.#post('/v2/captures', capture, capture.idempotencyKey)
    return { gatewayId: body.id }
  }

  async refund(gatewayId: string, amount: number, idempotencyKey: string): Promise<{ refundId: string }> {
    const body = await this.#post(\`/v2/captures/\${gatewayId}/refunds\`, { amount }, idempotencyKey)
    return { refundId: body.id }
  }

  async #post(path: string, payload: unknown, idempotencyKey: string): Promise<{ id: string }> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS)
    try {
      const response = await request(\`\${this.#baseUrl}\${path}\`, {
        method: 'POST',
        headers: { authorization: \`Bearer \${this.#apiKey}\`, 'idempotency-key': idempotencyKey },
        body: JSON.stringify(payload),
        signal: controller.signal,
      })
      if (response.statusCode === 402) throw await declined(response)
      if (response.statusCode >= 500) throw new GatewayTimeout(\`gateway answered \${response.statusCode}\`)
      return (await response.body.json()) as { id: string }
    } catch (error) {
      if (controller.signal.aborted) throw new GatewayTimeout(\`no answer within \${TIMEOUT_MS} ms\`)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

async function declined(response: { body: { json(): Promise<unknown> } }): Promise<GatewayDeclined> {
  const { code, message } = (await response.body.json()) as { code: string; message: string }
  return new GatewayDeclined(code, message)
}
`,
  'src/queue/outbox-worker.ts': `import type { ChargeService } from '../charge/charge-service.ts'
import type { Database } from '../db/database.ts'
import { log } from '../log.ts'

const BATCH = 20
const CLAIM_SECONDS = 30

/** Takes due charges from the outbox and runs them. Several workers may run at the same time. */
export class OutboxWorker {
  readonly #db: Database
  readonly #charges: ChargeService
  readonly #owner: string

  constructor(db: Database, charges: ChargeService, owner: string) {
    this.#db = db
    this.#charges = charges
    this.#owner = owner
  }

  async tick(): Promise<number> {
    const jobs = await this.#db.all(
      \`UPDATE outbox SET claimed_by = $1, claimed_until = now() + interval '\${CLAIM_SECONDS} seconds'
       WHERE id IN (
         SELECT id FROM outbox
         WHERE done_at IS NULL AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY id LIMIT \${BATCH}
         FOR UPDATE SKIP LOCKED
       ) RETURNING *\`,
      [this.#owner],
    )
    for (const job of jobs) {
      try {
        await this.#charges.charge(job.payload)
        await this.#db.run('UPDATE outbox SET done_at = now() WHERE id = $1', [job.id])
      } catch (error) {
        log.warn('charge failed, left in the outbox', { job: job.id, error })
      }
    }
    return jobs.length
  }
}
`,
  'src/money/amounts.ts': `import type { Currency } from '../charge/types.ts'

/** '19.90' EUR -> 1990. */
export function toMinorUnits(amount: string, currency: Currency): number {
  return Math.round(Number(amount) * 100)
}

/** 1990 EUR -> '19.90'. */
export function toDecimal(minor: number, currency: Currency): string {
  return (minor / 100).toFixed(2)
}

/** Splits a refund over the lines of an order, in proportion to their prices. */
export function splitRefund(total: number, prices: readonly number[]): number[] {
  const sum = prices.reduce((a, b) => a + b, 0)
  return prices.map((price) => Math.floor((total * price) / sum))
}
`,
  'src/webhooks/webhook-handler.ts': `import type { Database } from '../db/database.ts'
import { log } from '../log.ts'
import { verifySignature } from './signature.ts'

type GatewayEvent =
  | { readonly type: 'capture.succeeded'; readonly id: string; readonly captureId: string; readonly reference: string }
  | { readonly type: 'capture.failed'; readonly id: string; readonly captureId: string; readonly reference: string }
  | { readonly type: 'refund.succeeded'; readonly id: string; readonly captureId: string; readonly amount: number }

/** Takes the gateway's word for what happened to a charge. */
export class WebhookHandler {
  readonly #db: Database
  readonly #secret: string

  constructor(db: Database, secret: string) {
    this.#db = db
    this.#secret = secret
  }

  async handle(rawBody: Buffer, signature: string): Promise<{ status: number }> {
    if (!verifySignature(rawBody, signature, this.#secret)) return { status: 401 }
    const event = JSON.parse(rawBody.toString('utf8')) as GatewayEvent
    const isNew = await this.#db.run('INSERT INTO webhook_events (id, type) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      event.id,
      event.type,
    ])
    if (isNew === 0) return { status: 200 }
    switch (event.type) {
      case 'capture.succeeded':
        await this.#db.run(
          "UPDATE charges SET status = 'captured', gateway_id = $2 WHERE order_id = $1 AND status <> 'refunded'",
          [event.reference, event.captureId],
        )
        break
      case 'capture.failed':
        await this.#db.run("UPDATE charges SET status = 'declined' WHERE order_id = $1 AND status = 'pending'", [
          event.reference,
        ])
        break
      case 'refund.succeeded':
        await this.#db.run("UPDATE charges SET status = 'refunded' WHERE gateway_id = $1", [event.captureId])
        break
    }
    log.info('webhook handled', { id: event.id, type: event.type })
    return { status: 200 }
  }
}
`,
  'migrations/0041_charge_attempts.sql': `-- One row an attempt, so that support can see what was tried.
CREATE TABLE charge_attempts (
  id          uuid PRIMARY KEY,
  charge_id   uuid NOT NULL REFERENCES charges (id),
  started_at  timestamptz NOT NULL,
  finished_at timestamptz,
  outcome     text
);
CREATE INDEX charge_attempts_charge ON charge_attempts (charge_id);
`,
  'test/charge/charge-service.test.ts': `import { describe, expect, it } from 'vitest'
import { ChargeService } from '../../src/charge/charge-service.ts'
import { fakeGateway } from '../fakes/gateway.ts'
import { freshDatabase } from '../fakes/database.ts'

describe('ChargeService', () => {
  it('captures the amount of the order', async () => {
    const gateway = fakeGateway()
    const service = new ChargeService(await freshDatabase(), gateway, () => new Date(0))
    const result = await service.charge({ orderId: 'o-1', amount: '19.90', currency: 'EUR', paymentMethod: 'pm_1' })
    expect(result.kind).toBe('captured')
    expect(gateway.captures).toEqual([expect.objectContaining({ amount: 1990, reference: 'o-1' })])
  })

  it('reports a declined card without trying again', async () => {
    const gateway = fakeGateway({ declineWith: 'insufficient_funds' })
    const service = new ChargeService(await freshDatabase(), gateway, () => new Date(0))
    const result = await service.charge({ orderId: 'o-1', amount: '19.90', currency: 'EUR', paymentMethod: 'pm_1' })
    expect(result).toMatchObject({ kind: 'declined', code: 'insufficient_funds' })
    expect(gateway.calls).toBe(1)
  })

  it('tries again when the gateway does not answer', async () => {
    const gateway = fakeGateway({ timeoutsFirst: 2 })
    const service = new ChargeService(await freshDatabase(), gateway, () => new Date(0))
    const result = await service.charge({ orderId: 'o-1', amount: '19.90', currency: 'EUR', paymentMethod: 'pm_1' })
    expect(result.kind).toBe('captured')
    expect(gateway.calls).toBe(3)
  })
})
`,
  'test/money/amounts.test.ts': `import { expect, it } from 'vitest'
import { splitRefund, toDecimal, toMinorUnits } from '../../src/money/amounts.ts'

it.each([
  ['19.90', 1990],
  ['0.01', 1],
  ['1000', 100000],
])('%s EUR is %i cents', (amount, minor) => {
  expect(toMinorUnits(amount, 'EUR')).toBe(minor)
  expect(toDecimal(minor, 'EUR')).toBe(Number(amount).toFixed(2))
})

it('splits a refund by price', () => {
  expect(splitRefund(1000, [1500, 500])).toEqual([750, 250])
})
`,
  'docs/runbooks/gateway-outage.md': `# Gateway outage

1. Check https://status.northgate.example and the \`gateway_latency_p99\` panel.
2. If p99 is above 8 s, attempts time out and are retried (4 attempts, 0.4 s base delay).
3. Do **not** restart the workers: claimed jobs come back after 30 s on their own.
4. When the outage is over, look for charges in status \`unknown\` and reconcile them with the gateway's export.
`,
  'config/production.yaml': `service: payments
gateway:
  baseUrl: https://api.northgate.example
  timeoutMs: 8000
  retries: 4            # raised from 1 on 2026-02-27 (PAY-1187)
workers:
  replicas: 6
  batch: 20
  claimSeconds: 30
features:
  retryRollout: true    # PAY-1187
  orderIdempotency: false
`,
}
