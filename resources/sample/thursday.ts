import type { Random } from '#test/builders/random.ts'
import { allSuites, gatewayExport, loadTest, orderId, pods, table, testRun, workerLog } from './outputs.ts'
import { review, watchCanary } from './scenes.ts'
import { bash, type Repository, type Session } from './session.ts'

export type StoryFile = { readonly id: string; readonly name: string; readonly bytes: number; readonly summary: string }

/** Day four: a soak test that fails at night, files too large for any window, and a review. */
export function thursdayMorning(s: Session, repo: Repository, r: Random, files: readonly StoryFile[]): void {
  const [soakLog, exportCsv] = files
  s.at('2026-03-05 07:40')
  s.user('Morning! What did the soak test say?', 20)
  s.agent(
    'Looking at the end first, then at the first line that is not green.',
    bash('tail -30 soak.log', loadTest(r, 'soak, answers up to 75 s', 1240, 0.6), { seconds: 1 }),
    bash(
      'grep -n -m5 "double" soak.log',
      '88120:03:14:07 ERROR double capture order=KS-900412 shipment=1 cap_77ab01 cap_77ab9c\n90177:03:51:40 ERROR double capture order=KS-900588 shipment=1 cap_77c410 cap_77c4e2',
    ),
    { tool: 'read', input: { path: 'soak.log' }, output: reference(soakLog) },
  )
  s.agent(
    {
      think:
        'Two double captures despite stable keys! So the gateway captured twice with the same key? In sandbox or our fake? Staging uses Northgate sandbox. Or the key differs... The simulator in SLOW mode answers after 75 s, the key is registered only at the END of processing: two concurrent requests with the same key both pass.',
      say: '**Two double captures at 03:14 and 03:51, with the same key.** So the gateway does not recognise a key while the first request with it is still running. I want to see both requests.',
    },
    bash(
      'grep -n "KS-900412" soak.log',
      '88031:03:12:44 INFO outbox-2 capture start order=KS-900412 key=KS-900412:capture:1\n88077:03:12:52 WARN outbox-2 GatewayTimeout: no answer within 8000 ms order=KS-900412\n88079:03:12:53 INFO outbox-2 retry attempt=2 order=KS-900412 key=KS-900412:capture:1\n88118:03:14:05 INFO sandbox captured cap_77ab01 after 81 s\n88119:03:14:07 INFO sandbox captured cap_77ab9c after 74 s\n88120:03:14:07 ERROR double capture order=KS-900412 shipment=1 cap_77ab01 cap_77ab9c',
    ),
    bash('curl -s https://docs.northgate.example/idempotency.md | sed -n 40,70p', northgateDocs),
  )
  s.agent(
    'There it is, in a footnote: *“a key is stored when processing completes; concurrent requests with one key should be avoided by the caller.”* Our timeout of 8 s gives up on an answer, not on the request. So a retry must not start while the first request may still be running. **New rule: after a timeout, ask before you send again.** Northgate has `GET /v2/captures?key=…`, which also shows captures in progress.',
  )
  s.at('2026-03-05 08:40')
  s.user('Is that not what reconcile does, only later?', 20)
  s.agent(
    'Yes, the same question, asked at once instead of at night. I take the lookup out of the reconcile job and use it in both places.',
    repo.edit(
      'src/gateway/northgate-client.ts',
      '  async refund(',
      `  /** What the gateway knows of a key; also of a capture that is still running. */
  async find(idempotencyKey: string): Promise<{ state: 'none' | 'running' } | { state: 'captured'; gatewayId: string }> {
    const response = await request(\`\${this.#baseUrl}/v2/captures?key=\${encodeURIComponent(idempotencyKey)}\`, {
      headers: { authorization: \`Bearer \${this.#apiKey}\` },
    })
    if (response.statusCode === 404) return { state: 'none' }
    const { status, id } = (await response.body.json()) as { status: string; id: string }
    return status === 'processing' ? { state: 'running' } : { state: 'captured', gatewayId: id }
  }

  async refund(`,
    ),
    repo.edit(
      'src/charge/charge-service.ts',
      '    return this.#gateway.capture({',
      `    // A capture that was given up on may still be running: ask before sending it again.
    const known = isRetry ? await this.#gateway.find(captureKey(charge)) : { state: 'none' as const }
    if (known.state === 'captured') return { gatewayId: known.gatewayId }
    if (known.state === 'running') throw new GatewayTimeout('the first capture is still running')
    return this.#gateway.capture({`,
    ),
    repo.edit(
      'src/charge/charge-service.ts',
      '  async #attempt(charge: Charge): Promise',
      '  async #attempt(charge: Charge, isRetry: boolean): Promise',
    ),
    repo.edit(
      'src/charge/charge-service.ts',
      'retry(() => this.#attempt(charge), {',
      'retry((attempt) => this.#attempt(charge, attempt > 1), {',
    ),
    repo.edit(
      'src/charge/retry-policy.ts',
      'export async function retry<T>(action: () => Promise<T>,',
      'export async function retry<T>(action: (attempt: number) => Promise<T>,',
    ),
    repo.edit('src/charge/retry-policy.ts', '      return await action()', '      return await action(attempt)'),
    bash('npm test', testRun(r, allSuites), { seconds: 25 }),
    bash(
      'k6 run -e TARGET=staging -e SLOW=75s -e MINUTES=45 load/soak.js',
      loadTest(r, 'soak, answers up to 75 s, ask before retry', 1181, 0.3),
      { seconds: 2710 },
    ),
  )
  s.at('2026-03-05 10:02')
  s.agent(
    '45 minutes with answers of up to 75 s: **0 double captures**, where the night had 2 in 8 hours; to be fair, 45 minutes would have shown 0.2. I leave a longer run going in the background and compare the gateway’s own export instead of trusting our log.',
    {
      tool: 'bash',
      input: { command: 'northgate export --env sandbox --since 2026-03-04 > captures.csv' },
      output: reference(exportCsv),
      seconds: 41,
    },
    bash(
      'node scripts/compare-export.mjs captures.csv --group order,shipment | head -12',
      table(
        ['captures per key', 'keys', 'of which before 09:30'],
        [
          [1, 118_204, 59_377],
          [2, 2, 2],
        ],
      ),
      { seconds: 9 },
    ),
    bash('head -180 captures.csv', gatewayExport(r, Date.UTC(2026, 2, 5, 9, 31), 180)),
  )
  s.agent(
    'The export agrees: both doubles are from the night, none after the change. Rows above are the first 180 after 09:31.',
  )
  review(s, repo, r)
}

/** The afternoon: the canary, and what the auditor needs. */
export function thursdayAfternoon(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-05 12:57')
  s.user('I am convinced. Canary: one worker of six, retries 4, feature flag orderIdempotency on.', 20)
  s.agent(
    'Canary plan:\n\n1. `outbox-canary` with 1 replica, `GATEWAY_RETRIES=4`, `orderIdempotency: true`.\n2. Watch 60 minutes: double captures, unknown charges, p95, deadlocks.\n3. Abort at the first double capture, or p95 > 1.2 s for 5 minutes.\n\nThe abort is automatic: `scripts/canary-guard.mjs` scales the canary to 0.',
    bash(
      './deploy production PAY-1203-stable-keys --canary 1/6',
      'awaiting approval by mara … approved 13:02\n→ migrations: 0042_one_charge_a_shipment.sql\n  backfill 1,240,882 rows in 25 batches … 64 s\n  CREATE UNIQUE INDEX CONCURRENTLY … 41 s\n→ deployment/outbox-canary 1/1 updated\n✓ canary is running, guard pid 4117',
      { seconds: 140 },
    ),
    bash(
      'kubectl get pods -l app=outbox',
      pods(r, ['outbox', 'outbox', 'outbox', 'outbox', 'outbox', 'outbox-canary']),
    ),
  )
  s.at('2026-03-05 13:20')
  s.agent(
    'First quarter of an hour:',
    bash(
      'kubectl logs deploy/outbox-canary --since=15m | tail -300',
      workerLog(r, Date.UTC(2026, 2, 5, 13, 5), 300, 0.02),
    ),
    bash('scripts/canary-report.mjs --minutes 15', canaryReport(15, 1412, 31, 0, 2, 604)),
  )
  s.user('2 unknown?', 60)
  s.agent(
    {
      think: 'unknown are charges whose retries all ended with running.',
      say: 'Both are captures that were still running after four questions (about 45 s). They stay `unknown` and the claim brings them back after a minute. Let me verify that with the two orders.',
    },
    bash(
      `psql $REPLICA -c "select order_id, status, attempts from charges_with_attempts where order_id in ('${orderId(r)}', '${orderId(r)}')"`,
      table(
        ['order_id', 'status', 'attempts'],
        [
          ['KS-436120', 'captured', 5],
          ['KS-436178', 'captured', 6],
        ],
      ),
    ),
  )
  s.agent('Both were captured on the next round, once each. That is the behaviour we want: slow, never twice.')
  s.at('2026-03-05 14:15')
  s.user('Half of the fleet then, if the hour is clean.', 20)
  s.agent(
    'The hour is clean.',
    bash('scripts/canary-report.mjs --minutes 60', canaryReport(60, 5790, 118, 0, 0, 611)),
    bash(
      './deploy production PAY-1203-stable-keys --canary 3/6',
      'awaiting approval by mara … approved 14:21\n→ deployment/outbox-canary 3/3 updated\n✓ canary is running, guard pid 4290',
      { seconds: 70 },
    ),
    bash(
      'kubectl logs -l app=outbox-canary --since=10m | tail -240',
      workerLog(r, Date.UTC(2026, 2, 5, 14, 12), 240, 0.03),
    ),
  )
  s.at('2026-03-05 14:50')
  s.user(
    'Jonas hier: Der Export für den Prüfer ist fertig, aber die Datei hat 4 MB und Excel zeigt Umlaute falsch. Kannst du helfen?',
    20,
  )
  s.agent(
    'Das ist die Zeichenkodierung: Excel liest CSV ohne BOM als Windows-1252. Ich schreibe die Datei mit BOM und Semikolon, dann öffnet sie richtig. Spalten: Monat, Bestellung, erstattet, gefordert, Differenz in Cent.',
    repo.write('scripts/export-refund-differences.mjs', exportScript),
    bash(
      'node scripts/export-refund-differences.mjs > differenzen.csv && head -c 3 differenzen.csv | xxd && wc -l differenzen.csv',
      '00000000: efbb bf                                  ...\n8594 differenzen.csv',
    ),
  )
  s.at('2026-03-05 15:10')
  s.user('Funktioniert, vielen Dank!', 20)
  s.agent(
    'Schön. Zurück zum Canary: drei Arbeiter, 50 Minuten.',
    bash('scripts/canary-report.mjs --minutes 50', canaryReport(50, 14_380, 297, 0, 1, 598)),
    bash(
      'psql $REPLICA -c "select wait_event_type, count(*) from pg_stat_activity where datname = \'payments\' group by 1"',
      table(
        ['wait_event_type', 'count'],
        [
          ['Client', 21],
          ['', 6],
          ['IO', 1],
        ],
      ),
    ),
    bash(
      'kubectl logs -l app=outbox-canary --since=50m | tail -320',
      workerLog(r, Date.UTC(2026, 2, 5, 14, 26), 320, 0.03),
    ),
  )
  s.at('2026-03-05 15:58')
  s.user('All six. And tomorrow we give the money back.', 20)
  s.agent(
    'Rolled out to all six at 16:04. Retries are at 4 again, now with stable keys, one charge a shipment, and the question before each retry.',
    bash(
      './deploy production PAY-1203-stable-keys',
      'awaiting approval by mara … approved 16:01\n→ deployment/outbox 6/6 updated\n→ deployment/outbox-canary 0/0\n→ deployment/http 3/3 updated\n✓ production is at PAY-1203-stable-keys',
      { seconds: 110 },
    ),
    bash('kubectl get pods -l app=outbox', pods(r, ['outbox', 'outbox', 'outbox', 'outbox', 'outbox', 'outbox'])),
  )
  watchCanary(s, r)
}

const reference = (file: StoryFile | undefined): string =>
  `[${file?.id}: ${file?.name}, ${((file?.bytes ?? 0) / 1_000_000).toFixed(1)} MB, too large for the window]\n${file?.summary}`

const canaryReport = (
  minutes: number,
  charges: number,
  retries: number,
  doubles: number,
  unknown: number,
  p95: number,
): string =>
  `canary, last ${minutes} minutes
  charges            ${charges}
  retries            ${retries}
  asked before retry ${retries}
  double captures    ${doubles}
  unknown            ${unknown}
  deadlocks          0
  p95                ${p95} ms   (others 641 ms)
  verdict            ${doubles === 0 ? 'go on' : 'ABORT'}`

const northgateDocs = `## Idempotency keys

Send \`Idempotency-Key\` with every POST. We answer a repeated key with the stored response for 24 hours.[^1]

Keys are compared byte by byte and may have up to 120 characters.

### In progress
\`GET /v2/captures?key=…\` returns the capture with that key. \`status\` is \`processing\` while we wait for the card
network, then \`captured\` or \`failed\`. Unknown keys give 404.

[^1]: A key is stored when processing completes. Concurrent requests with one key should be avoided by the caller.`

const exportScript = `import { query } from '../src/db/replica.mjs'

const head = ['Monat', 'Bestellung', 'Erstattet', 'Gefordert', 'Differenz (Cent)']
const rows = await query(\`SELECT to_char(created_at, 'YYYY-MM'), order_id, paid, requested, requested - paid FROM refunds
  WHERE requested <> paid ORDER BY created_at\`)
// Excel needs the mark to see UTF-8, and semicolons where the comma is decimal.
process.stdout.write('\\ufeff')
for (const row of [head, ...rows]) process.stdout.write(\`\${row.join(';')}\\r\\n\`)
`
