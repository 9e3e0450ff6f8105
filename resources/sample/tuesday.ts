import type { Random } from '#test/builders/random.ts'
import { allSuites, pods, table, testRun, workerLog } from './outputs.ts'
import { flakyTest } from './scenes.ts'
import { bash, type Repository, type Session } from './session.ts'

/** Day two: the constraint, a deadlock, a decision that is taken back, and cents that go missing. */
export function tuesday(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-03 08:31')
  s.user('Good morning. Open question first: how long does Northgate remember an idempotency key?', 20)
  s.agent(
    'Their documentation is vague, so I measure it in the sandbox: capture once, repeat with the same key after growing delays.',
    bash('node scripts/sandbox/key-lifetime.mjs --steps 1m,1h,6h,12h,23h,25h --replay recorded', keyLifetime, {
      seconds: 11,
    }),
    repo.read('src/gateway/northgate-client.ts'),
  )
  s.agent(
    'Between 23 and 25 hours the gateway **forgets**: the same key captured again. So the key alone protects a day, not for ever. A job that sits in the outbox over a weekend outage would be charged twice even with yesterday’s fix. That makes the unique constraint mandatory, not optional.',
  )
  s.at('2026-03-03 09:10')
  s.user('Ouch. Good that you measured. Go for the constraint.', 20)
  s.agent(
    'Writing the migration. `NOT VALID` is not available for unique constraints, so: backfill `shipment`, then build the index concurrently, then attach it.',
    repo.write('migrations/0042_one_charge_a_shipment.sql', migration42),
    bash('npm run migrate -- --database test', 'Applying 0042_one_charge_a_shipment.sql … failed', {
      isError: true,
      seconds: 3,
    }),
    bash('tail -20 migrate.log', duplicateKeyLog),
  )
  s.agent(
    {
      think:
        'The test database has orders with two charges: one declined, then one captured with another card. That is legitimate. The constraint must ignore declined ones: partial unique index.',
      say: "The migration is right to fail and I was wrong: an order may have a **declined** charge and then a captured one with another card. The rule is “at most one charge that may hold money”, so the index must be partial: `WHERE status IN ('pending', 'captured', 'unknown')`.",
    },
    repo.edit(
      'migrations/0042_one_charge_a_shipment.sql',
      'CREATE UNIQUE INDEX CONCURRENTLY charges_one_a_shipment ON charges (order_id, shipment);',
      "CREATE UNIQUE INDEX CONCURRENTLY charges_one_a_shipment ON charges (order_id, shipment)\n  WHERE status IN ('pending', 'captured', 'unknown');",
    ),
    bash('npm run migrate -- --database test', 'Applying 0042_one_charge_a_shipment.sql … done in 412 ms', {
      seconds: 2,
    }),
  )
  s.agent(
    'Now `#createPending` has to cope: a second run for the same shipment must find the existing charge and go on with it, not fail.',
    repo.edit(
      'src/charge/charge-service.ts',
      `      \`INSERT INTO charges (id, order_id, amount, currency, payment_method, status, created_at)
       VALUES ($1, $2, $3, $4, $5, 'pending', $6) RETURNING *\`,
      [randomUUID(), request.orderId, request.amount, request.currency, request.paymentMethod, this.#clock()],`,
      `      \`INSERT INTO charges (id, order_id, shipment, amount, currency, payment_method, status, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7)
       ON CONFLICT (order_id, shipment) WHERE status IN ('pending', 'captured', 'unknown')
       DO UPDATE SET order_id = excluded.order_id RETURNING *\`,
      [randomUUID(), request.orderId, request.shipment ?? 1, request.amount, request.currency, request.paymentMethod, this.#clock()],`,
    ),
    bash('npm test -- test/charge test/queue', testRun(r, allSuites.slice(0, 7)), { seconds: 9 }),
    bash('npm run stress -- --workers 6 --orders 400', deadlock, { isError: true, seconds: 31 }),
  )
  s.agent({
    think:
      'Deadlock: worker A holds row X (upsert takes a row lock) and waits for Y, worker B the other way round, because tick() processes a batch in one transaction? No: run() uses a pooled connection with a transaction per tick in stress mode. Order of locks differs between batches.',
    say: 'A **deadlock** under load: two workers hold charges of each other’s batch. Stack of the victim is above; `ShareLock on transaction` both ways. Two ways out: (a) take a Postgres advisory lock per order before anything else, (b) one transaction per job instead of per batch. (a) is the smaller change.',
  })
  s.at('2026-03-03 10:32')
  s.user('Do (a) for now, but tell me if you start to dislike it.', 20)
  s.agent(
    'Trying advisory locks: `pg_advisory_xact_lock(hashtext(order_id))` at the start of each charge.',
    repo.edit(
      'src/charge/charge-service.ts',
      '    const charge = await this.#createPending(request)\n',
      "    await this.#db.run('SELECT pg_advisory_xact_lock(hashtext($1))', [request.orderId])\n    const charge = await this.#createPending(request)\n",
    ),
    bash('npm run stress -- --workers 6 --orders 400', stress('advisory locks', 388, 12, 41.2), { seconds: 44 }),
    bash(
      'psql $TEST -c "select wait_event, count(*) from pg_stat_activity where state = \'active\' group by 1"',
      table(
        ['wait_event', 'count'],
        [
          ['advisory', 17],
          ['ClientRead', 4],
          ['transactionid', 2],
        ],
      ),
    ),
  )
  s.agent(
    'I start to dislike it. No deadlock, but the lock is held **while we wait for the gateway** (up to 8 s), so 17 of 23 connections stand in line and throughput falls from 118 to 41 charges a second. And `hashtext` may collide, so unrelated orders wait for each other. I take back my recommendation: (b), one transaction per job, and no lock over a network call.',
  )
  s.at('2026-03-03 11:31')
  s.user('Thanks for saying so. Revert (a), do (b).', 20)
  s.agent(
    'Reverted. `tick()` claims in one short statement and each job then runs in transactions of its own; the upsert never spans the gateway call.',
    repo.edit(
      'src/charge/charge-service.ts',
      "    await this.#db.run('SELECT pg_advisory_xact_lock(hashtext($1))', [request.orderId])\n",
      '',
    ),
    repo.edit(
      'src/queue/outbox-worker.ts',
      'const BATCH = 20\nconst CLAIM_SECONDS = 30',
      '// A claim must outlast the slowest job: four attempts of 8 s and the pauses between them.\nconst BATCH = 1\nconst CLAIM_SECONDS = 60',
    ),
    bash('npm run stress -- --workers 6 --orders 400', stress('one job at a time', 400, 0, 116.8), { seconds: 40 }),
    bash('npm test', testRun(r, allSuites), { seconds: 22 }),
  )
  s.agent(
    '400 of 400, no deadlock, 117 charges a second. **Decision (replaces the one of an hour ago):** no advisory locks; batch of one with a 60 s claim; the partial unique index is the guarantee. This also closes yesterday’s hypothesis A.',
  )
  flakyTest(s, repo, r)
  s.at('2026-03-03 13:20')
  s.user(
    'Hallo, hier ist Jonas aus der Buchhaltung. Mir fehlt bei den Rückerstattungen immer wieder ein Cent. Beispiel: Bestellung KS-431907, drei Artikel, Erstattung 10,00 €, im Export stehen nur 9,99 €. Hat das mit den doppelten Abbuchungen zu tun?',
    20,
  )
  s.agent(
    {
      think: 'splitRefund floors each share. 1000 over three equal lines = 333*3 = 999. Unrelated to double charges.',
      say: 'Guten Morgen Jonas. Ich schaue nach, wie Erstattungen auf die Positionen verteilt werden.',
    },
    repo.read('src/money/amounts.ts'),
    repo.grep('splitRefund', 'test'),
    bash(
      'node -e "import(\'./src/money/amounts.ts\').then(m => console.log(m.splitRefund(1000, [1290, 1290, 1290])))"',
      '[ 333, 333, 333 ]',
    ),
  )
  s.agent(
    'Nein, das ist ein eigener Fehler, und er ist älter: `splitRefund` rundet **jeden** Anteil ab (`Math.floor`). 1000 Cent auf drei gleiche Positionen ergibt 333 + 333 + 333 = 999, der letzte Cent verschwindet. Richtig ist das Verfahren der größten Reste: erst abrunden, dann die übrigen Cents an die Positionen mit dem größten Rest geben. Die Summe stimmt dann immer.',
  )
  s.at('2026-03-03 13:31')
  s.user('Ja bitte. Und wie viel fehlt uns insgesamt? Der Wirtschaftsprüfer kommt am Freitag.', 20)
  s.agent(
    'Erst die Summe aus der Replik, dann die Korrektur mit einem Test, der die Summe für beliebige Preise prüft.',
    bash(
      'psql $REPLICA -c "select date_trunc(\'month\', created_at)::date as month, count(*) as refunds, sum(requested - paid) as missing_cents from refunds where requested <> paid group by 1 order by 1"',
      table(
        ['month', 'refunds', 'missing_cents'],
        [
          ['2025-10-01', 1204, 1711],
          ['2025-11-01', 1566, 2240],
          ['2025-12-01', 3108, 4402],
          ['2026-01-01', 1430, 2019],
          ['2026-02-01', 1188, 1690],
          ['2026-03-01', 97, 133],
        ],
      ),
      { seconds: 8 },
    ),
    repo.edit(
      'src/money/amounts.ts',
      `  const sum = prices.reduce((a, b) => a + b, 0)
  return prices.map((price) => Math.floor((total * price) / sum))
`,
      `  const sum = prices.reduce((a, b) => a + b, 0)
  const shares = prices.map((price) => Math.floor((total * price) / sum))
  // Largest remainder: what rounding left over goes to those who lost most, so that nothing is lost altogether.
  const byRemainder = prices.map((price, line) => ({ line, rest: (total * price) % sum })).sort((a, b) => b.rest - a.rest)
  let left = total - shares.reduce((a, b) => a + b, 0)
  for (const { line } of byRemainder) {
    if (left === 0) break
    shares[line] = (shares[line] ?? 0) + 1
    left -= 1
  }
  return shares
`,
    ),
    repo.edit(
      'test/money/amounts.test.ts',
      "it('splits a refund by price', () => {",
      `it('never loses a cent, whatever the prices', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e7 }), fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1 }), (total, prices) => {
      expect(splitRefund(total, prices).reduce((a, b) => a + b, 0)).toBe(total)
    }),
  )
})

it('splits a refund by price', () => {`,
    ),
    bash(
      'npm test -- test/money',
      testRun(r, [
        { name: 'test/money/amounts.test.ts', tests: 13 },
        { name: 'test/money/refunds.test.ts', tests: 10 },
      ]),
      { seconds: 4 },
    ),
  )
  s.agent(
    'Seit Oktober fehlen **121,95 €** in 8 593 Erstattungen, im Mittel 1,4 Cent. Korrigiert auf dem Zweig `PAY-1209-refund-cents`, mit einem Eigenschaftstest (die Summe der Anteile ist immer der Gesamtbetrag). Für den Prüfer: der Fehler betrifft nur die Verteilung auf Positionen, keine Abbuchung, und ist von PAY-1203 unabhängig.',
  )
  s.at('2026-03-03 14:50')
  s.user('Sehr gut, danke. Das reicht mir für Freitag.', 20)
  s.at('2026-03-03 15:19')
  s.user('Mara again. While you were at it: who else writes to charges.status? I do not trust the webhooks.', 20)
  s.agent(
    'I will look from two sides: a sub-agent maps everything that acknowledges or handles webhooks, and I read the handler itself.',
    {
      tool: 'task',
      input: {
        description: 'Map webhook handling',
        prompt:
          'Find every place that receives, acknowledges, stores or replays gateway webhooks. For each: file and line, what it writes, in which transaction, and what happens if it runs twice or out of order. Do not change anything.',
      },
      output: webhookReport,
      seconds: 312,
    },
    repo.read('src/webhooks/webhook-handler.ts'),
  )
  s.agent({
    think:
      'Two problems: event row inserted and status updated in separate statements without a transaction: crash in between loses the event since the retry sees it as known. And order: capture.failed after capture.succeeded cannot override because status = pending check. refund then late capture.succeeded is guarded by <> refunded. But capture.succeeded updates all charges of an order, both shipments!',
    say: [
      'You were right not to trust them. Three findings:',
      '',
      '1. `webhook_events` is inserted and `charges` updated in **two transactions**. A crash between them loses the event for good, because the gateway’s redelivery then counts as known.',
      '2. `capture.succeeded` matches by `order_id` only. With split shipments it marks **every** charge of the order as captured and gives them all the same `gateway_id`.',
      '3. The replay endpoint (`src/http/admin.ts:88`, found by the sub-agent) skips the signature check.',
    ].join('\n'),
  })
  s.at('2026-03-03 15:41')
  s.user('3 is an incident of its own. Is it reachable from outside?', 20)
  s.agent(
    'Checking the ingress before anything else.',
    bash('kubectl get ingress -A -o yaml | grep -n -B2 -A6 "path: /admin"', ingress),
    bash('kubectl logs deploy/http --since=720h | grep -c "POST /admin/webhooks/replay"', '14'),
    bash(
      'kubectl logs deploy/http --since=720h | grep "POST /admin/webhooks/replay" | awk \'{print $5}\' | sort | uniq -c',
      '     14 10.20.4.17',
    ),
  )
  s.agent(
    'Not reachable: `/admin` is on the internal ingress only, and the 14 calls of the last 30 days all come from `10.20.4.17`, which is the reconciliation job. So no incident, but the check should be there. I add it to the list for tomorrow.',
    bash(
      'git push && gh pr create --title "PAY-1203 One charge a shipment" --draft',
      `remote: Resolving deltas: 100% (11/11), done.\nhttps://git.kestrel.example/payments/pulls/1488`,
    ),
    bash('kubectl get pods -l app=outbox', pods(r, ['outbox', 'outbox', 'outbox', 'outbox', 'outbox', 'outbox'])),
    bash('kubectl logs deploy/outbox --since=2h | tail -180', workerLog(r, Date.UTC(2026, 2, 3, 15, 10), 180, 0)),
  )
  s.at('2026-03-03 16:30')
  s.user('Good day’s work. Tomorrow webhooks, then staging.', 20)
  s.agent(
    'Noted for tomorrow: webhook transaction, match by capture instead of order, signature on replay, then PR 1488 to staging. Retries stay at 1 until then.',
  )
}

const keyLifetime = `sandbox key lifetime, merchant ks_sandbox_7, recorded 2026-02-11
delay   first capture   second answer            verdict
   1m   cap_19f0aa      200 cap_19f0aa replayed  same capture
   1h   cap_19f0b1      200 cap_19f0b1 replayed  same capture
   6h   cap_19f0c8      200 cap_19f0c8 replayed  same capture
  12h   cap_19f0d3      200 cap_19f0d3 replayed  same capture
  23h   cap_19f0e0      200 cap_19f0e0 replayed  same capture
  25h   cap_19f0ee      201 cap_1a2b41           NEW CAPTURE`

const migration42 = `ALTER TABLE charges ADD COLUMN shipment integer NOT NULL DEFAULT 1;

UPDATE charges AS c SET shipment = s.number
FROM shipments AS s
WHERE s.order_id = c.order_id AND s.charge_id = c.id;

CREATE UNIQUE INDEX CONCURRENTLY charges_one_a_shipment ON charges (order_id, shipment);
`

const duplicateKeyLog = `[migrate] 0042_one_charge_a_shipment.sql
[migrate] ALTER TABLE … ok (18 ms)
[migrate] UPDATE 48211 (322 ms)
[migrate] ERROR:  could not create unique index "charges_one_a_shipment"
[migrate] DETAIL:  Key (order_id, shipment)=(KS-402118, 1) is duplicated.
[migrate] HINT:   41 further keys are duplicated; see charges with status 'declined'.`

const deadlock = `stress: 6 workers, 400 orders, 3 % slow answers
  elapsed 00:12  done 151
error: deadlock detected
    at Parser.parseErrorMessage (node_modules/pg-protocol/src/parser.ts:369:69)
    at Parser.handlePacket (node_modules/pg-protocol/src/parser.ts:188:21)
    at Socket.<anonymous> (node_modules/pg-protocol/src/index.ts:7:48)
    at ChargeService.#createPending (src/charge/charge-service.ts:62:12)
    at ChargeService.charge (src/charge/charge-service.ts:25:20)
    at OutboxWorker.tick (src/queue/outbox-worker.ts:38:9)
  code: '40P01',
  detail: 'Process 4121 waits for ShareLock on transaction 88120; blocked by process 4127.\\n' +
    'Process 4127 waits for ShareLock on transaction 88116; blocked by process 4121.',
  where: 'while inserting index tuple (114,7) in relation "charges_one_a_shipment"'`

const stress = (title: string, done: number, lost: number, rate: number): string =>
  `stress: 6 workers, 400 orders, 3 % slow answers (${title})
  elapsed 00:${rate > 100 ? '04' : '10'}  done ${done}
  captured once   ${done}
  captured twice  0
  timed out       ${lost}
  throughput      ${rate} charges/s`

const webhookReport = `I found five places.

1. src/webhooks/webhook-handler.ts:22 handle(): verifies the signature, inserts into webhook_events, updates charges. Two statements, no transaction. Twice: second is ignored. Out of order: a late capture.failed is ignored when the charge is captured.
2. src/http/routes.ts:141 POST /webhooks/northgate: acknowledges with 200 before handle() has finished (setImmediate). If handle() throws, the gateway is not told.
3. src/http/admin.ts:88 POST /admin/webhooks/replay: calls the handler's private path directly, no signature check.
4. src/jobs/reconcile.ts:57: reads the gateway's export and synthesises capture.succeeded events for charges in status unknown.
5. scripts/replay-from-s3.ts: manual, last used in 2024.

Most likely to lose something: 2 together with 1.`

const ingress = `34-      - host: payments.internal.kestrel.example
35-        http:
36:          paths: [{ path: /admin, pathType: Prefix, backend: { service: http } }]
37-    ingressClassName: internal
38-    annotations:
39-      nginx.ingress.kubernetes.io/whitelist-source-range: 10.20.0.0/16`

export const webhookAgentReport = webhookReport
