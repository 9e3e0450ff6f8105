import type { Random } from '#test/builders/random.ts'

/** What programs print in the story. Everything comes from the seeded generator, so that it is the same on each run. */

const customers = ['Ansel', 'Brightwater', 'Cordoba', 'Delft', 'Eiger', 'Fjell', 'Granada', 'Hollis', 'Inari', 'Jura']
const cities = ['Leeds', 'Graz', 'Osaka', 'Porto', 'Utrecht', 'Bergen', 'Lyon', 'Aarhus', 'Zürich', '京都']

export const orderId = (random: Random): string => `KS-${random.int(410_000, 489_999)}`
export const shortId = (random: Random): string => random.int(0x100000, 0xffffff).toString(16)

const clock = (startMs: number): string => new Date(startMs).toISOString().slice(11, 23)

/** Lines of a worker's log; `timeouts` is the share of attempts that get no answer. */
export function workerLog(
  random: Random,
  startMs: number,
  lines: number,
  timeouts: number,
  keys: 'per attempt' | 'per order' = 'per order',
): string {
  const keyOf = (order: string): string => (keys === 'per order' ? `${order}:capture:1` : shortId(random))
  let now = startMs
  const out: string[] = []
  while (out.length < lines) {
    now += random.int(20, 1900)
    const worker = `outbox-${random.int(0, 6)}`
    const order = orderId(random)
    const attempt = shortId(random)
    out.push(`${clock(now)} INFO  ${worker} claimed job=${random.int(880_000, 899_999)} order=${order}`)
    if (random.chance(timeouts)) {
      const delay = random.int(200, 3200)
      out.push(
        `${clock(now + 8000)} WARN  ${worker} GatewayTimeout: no answer within 8000 ms order=${order} key=${keyOf(order)}`,
      )
      out.push(
        `${clock(now + 8000 + delay)} INFO  ${worker} retry attempt=2 delay=${delay}ms order=${order} key=${keyOf(order)}`,
      )
      now += 8000
    }
    const took = random.int(180, 2400)
    out.push(`${clock(now + took)} INFO  ${worker} captured order=${order} gateway=cap_${attempt} took=${took}ms`)
    if (random.chance(0.08)) {
      out.push(`${clock(now + took)} INFO  webhook handled id=evt_${shortId(random)} type=capture.succeeded`)
    }
  }
  return out.slice(0, lines).join('\n')
}

export type TestSpec = { readonly name: string; readonly tests: number; readonly failing?: string }

export function testRun(random: Random, suites: readonly TestSpec[], failure = ''): string {
  const out = [' RUN  v3.2.1 /srv/kestrel/payments', '']
  let failed = 0
  let passed = 0
  for (const { name, tests, failing } of suites) {
    if (failing === undefined) {
      out.push(` ✓ ${name} (${tests} tests) ${random.int(8, 420)}ms`)
      passed += tests
    } else {
      out.push(` ❯ ${name} (${tests} tests | 1 failed) ${random.int(40, 900)}ms`, `   × ${failing}`)
      passed += tests - 1
      failed += 1
    }
  }
  if (failure !== '') out.push('', '⎯⎯⎯⎯⎯⎯⎯ Failed Tests ⎯⎯⎯⎯⎯⎯⎯', '', failure)
  const files = failed > 0 ? `${failed} failed | ${suites.length - failed} passed` : `${suites.length} passed`
  out.push('', ` Test Files  ${files} (${suites.length})`)
  out.push(`      Tests  ${failed > 0 ? `${failed} failed | ` : ''}${passed} passed (${passed + failed})`)
  out.push(`   Duration  ${(random.int(180, 900) / 100).toFixed(2)}s`)
  return out.join('\n')
}

/** A table as psql prints it. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(String))]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string => ` ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')}`
  const rule = `-${widths.map((width) => '-'.repeat(width)).join('-+-')}-`
  return [line(head), rule, ...cells.slice(1).map(line), `(${rows.length} row${rows.length === 1 ? '' : 's'})`].join(
    '\n',
  )
}

export type DoubleCharge = { readonly order: string; readonly amount: string; readonly seconds: number }

/** The customers who paid twice: the same ones whenever the story comes back to them. */
export function doubleCharges(random: Random, count: number): DoubleCharge[] {
  return Array.from({ length: count }, () => ({
    order: orderId(random),
    amount: (random.int(890, 24_990) / 100).toFixed(2),
    seconds: random.int(8, 13),
  }))
}

/** The gateway's export of captures, as CSV. */
export function gatewayExport(random: Random, startMs: number, rows: number): string {
  const out = ['capture_id,reference,amount_minor,currency,idempotency_key,created_at,city,merchant_note']
  for (let row = 0; row < rows; row += 1) {
    const at = new Date(startMs + row * random.int(400, 9000)).toISOString()
    const order = orderId(random)
    const note = `${random.pick(customers)} ${random.pick(['web', 'app', 'invoice', 'pos'])}`
    out.push(
      `cap_${shortId(random)},${order},${random.int(500, 30_000)},${random.pick(['EUR', 'EUR', 'GBP', 'JPY'])},${order}:capture:1,${at},${random.pick(cities)},${note}`,
    )
  }
  return out.join('\n')
}

export function pods(random: Random, names: readonly string[], restarts = 0): string {
  const suffix = (): string => Array.from({ length: 5 }, () => random.pick([...'bcdfghjklmnpqrstvwxz2456789'])).join('')
  const rows = names.map((name) => {
    const age = `${random.int(2, 60)}${random.pick(['m', 'h'])}`
    return `${`${name}-7d9f8b6c5-${suffix()}`.padEnd(40)}1/1     Running   ${String(restarts).padEnd(11)}${age}`
  })
  return [`${'NAME'.padEnd(40)}READY   STATUS    RESTARTS   AGE`, ...rows].join('\n')
}

/** The summary of a load test. */
export function loadTest(random: Random, title: string, p95: number, failures: number): string {
  const requests = random.int(58_000, 61_000)
  const rows = Array.from({ length: 24 }, (_, minute) => {
    const median = Math.round(p95 * (0.3 + random.next() * 0.15))
    const ninety = Math.round(p95 * (0.85 + random.next() * 0.3))
    return `  ${String(minute * 25).padStart(4)}s  vus=120  rps=${random.int(95, 105)}  p50=${median}ms  p95=${ninety}ms  failed=${random.chance(failures) ? random.int(1, 5) : 0}`
  })
  return [
    `scenario: ${title} (120 VUs, 10m)`,
    ...rows,
    '',
    `  http_reqs..........: ${requests}  ${(requests / 600).toFixed(1)}/s`,
    `  http_req_duration..: avg=${Math.round(p95 * 0.42)}ms med=${Math.round(p95 * 0.36)}ms p(90)=${Math.round(p95 * 0.81)}ms p(95)=${p95}ms max=${p95 * 6}ms`,
    `  checks.............: ${(100 - failures * 3).toFixed(2)}%`,
  ].join('\n')
}

/** Test files of the invented project, with the number of tests in each. */
export const allSuites: readonly TestSpec[] = [
  ['test/charge/charge-service.test.ts', 11],
  ['test/charge/retry-policy.test.ts', 9],
  ['test/charge/reconcile.test.ts', 14],
  ['test/gateway/northgate-client.test.ts', 17],
  ['test/gateway/contract.test.ts', 22],
  ['test/queue/outbox-worker.test.ts', 13],
  ['test/queue/claims.test.ts', 8],
  ['test/money/amounts.test.ts', 12],
  ['test/money/refunds.test.ts', 10],
  ['test/webhooks/signature.test.ts', 6],
  ['test/webhooks/webhook-handler.test.ts', 15],
  ['test/http/routes.test.ts', 31],
  ['test/http/limits.test.ts', 7],
  ['test/db/migrations.test.ts', 19],
  ['test/log.test.ts', 4],
].map(([name, tests]) => ({ name: String(name), tests: Number(tests) }))
