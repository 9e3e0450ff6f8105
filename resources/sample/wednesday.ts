import type { Random } from '#test/builders/random.ts'
import { allSuites, loadTest, table, testRun, workerLog } from './outputs.ts'
import { bash, type Repository, type Session } from './session.ts'

/** Day three: webhooks that arrive in the wrong order, yen that are not cents, and the first staging run. */
export function wednesday(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-04 08:12')
  s.user('Webhooks today. Please start with the lost-event problem, it scares me most.', 20)
  s.agent(
    'Red first: a test that throws between the two statements and then delivers the event again.',
    repo.write('test/webhooks/crash.test.ts', crashTest),
    bash(
      'npm test -- test/webhooks',
      testRun(
        r,
        [
          { name: 'test/webhooks/signature.test.ts', tests: 6 },
          { name: 'test/webhooks/webhook-handler.test.ts', tests: 15 },
          {
            name: 'test/webhooks/crash.test.ts',
            tests: 2,
            failing: 'handles an event again when the first attempt died half way',
          },
        ],
        " FAIL  test/webhooks/crash.test.ts > handles an event again when the first attempt died half way\nAssertionError: expected 'pending' to be 'captured'\n ❯ test/webhooks/crash.test.ts:19:54",
      ),
      { isError: true, seconds: 5 },
    ),
  )
  s.agent(
    'Now one transaction around both, and matching by capture. The reference alone cannot tell shipments apart, but since Monday our key carries the shipment and Northgate echoes it in `idempotencyKey`.',
    repo.edit(
      'src/webhooks/webhook-handler.ts',
      "    const isNew = await this.#db.run('INSERT INTO webhook_events (id, type) VALUES ($1, $2) ON CONFLICT DO NOTHING', [\n      event.id,\n      event.type,\n    ])\n    if (isNew === 0) return { status: 200 }\n    switch (event.type) {",
      "    return this.#db.transaction((tx) => this.#apply(tx, event))\n  }\n\n  /** Event and effect in one transaction: an event is known if and only if it was applied. */\n  async #apply(tx: Database, event: GatewayEvent): Promise<{ status: number }> {\n    const isNew = await tx.run('INSERT INTO webhook_events (id, type) VALUES ($1, $2) ON CONFLICT DO NOTHING', [\n      event.id,\n      event.type,\n    ])\n    if (isNew === 0) return { status: 200 }\n    switch (event.type) {",
    ),
    repo.edit(
      'src/webhooks/webhook-handler.ts',
      "\"UPDATE charges SET status = 'captured', gateway_id = $2 WHERE order_id = $1 AND status <> 'refunded'\",\n          [event.reference, event.captureId],",
      "`UPDATE charges SET status = 'captured', gateway_id = $3\n           WHERE order_id = $1 AND shipment = $2 AND status <> 'refunded'`,\n          [...chargeOfKey(event.idempotencyKey), event.captureId],",
    ),
    repo.edit('src/charge/idempotency.ts', '?? 1}`\n}\n', chargeOfKeyFunction),
    bash('npm test', testRun(r, allSuites), { seconds: 23 }),
  )
  s.agent(
    'Green. Two smaller things from yesterday’s list: the route acknowledged before the work was done (now it waits, and answers 500 when it fails, so that the gateway delivers again), and the replay endpoint checks the signature of the stored raw body.',
    bash(
      'git diff --stat',
      ' src/charge/idempotency.ts           |  6 ++++++\n src/http/admin.ts                   |  9 +++++++--\n src/http/routes.ts                  |  4 ++--\n src/webhooks/webhook-handler.ts     | 31 ++++++++++++++++++-------------\n test/webhooks/crash.test.ts         | 34 ++++++++++++++++++++++++++++++++++\n 5 files changed, 67 insertions(+), 17 deletions(-)',
    ),
  )
  s.at('2026-03-04 09:50')
  s.user(
    '青井です(東京オフィス)。昨日から日本のお客様で、1,500円の注文が150,000円で請求されているケースが3件あります。今回の修正と関係ありますか？至急確認をお願いします。',
    20,
  )
  s.agent(
    {
      think:
        'toMinorUnits multiplies by 100 whatever the currency. JPY has no minor unit. But why since yesterday? JPY orders used another path before? Check first captures in JPY.',
      say: '青井さん、ご連絡ありがとうございます。すぐに確認します。まず該当の3件と、金額の変換処理を見ます。',
    },
    bash(
      'psql $REPLICA -c "select order_id, amount, currency, created_at from gateway_captures where currency = \'JPY\' order by created_at desc limit 8"',
      table(
        ['order_id', 'amount_minor', 'currency', 'created_at'],
        [
          ['KS-433018', 150000, 'JPY', '2026-03-04 00:51'],
          ['KS-432977', 98000, 'JPY', '2026-03-03 22:17'],
          ['KS-432960', 320000, 'JPY', '2026-03-03 21:40'],
          ['KS-431422', 2400, 'JPY', '2026-03-03 08:02'],
          ['KS-431007', 1980, 'JPY', '2026-03-03 04:33'],
          ['KS-430551', 12800, 'JPY', '2026-03-02 23:09'],
        ],
      ),
    ),
    repo.read('src/money/amounts.ts'),
    repo.grep('toMinorUnits'),
    bash(
      'git log -3 --format="%h %ad %an %s" --date=iso -- src/gateway src/money',
      '7c1e2aa 2026-03-03 17:20 release-bot Merge PAY-1198 Drop the legacy JPY adapter\ne77f013 2026-02-19 11:02 hkraus Record every attempt in charge_attempts\n88d1f6e 2026-01-30 09:44 tmoreau Use undici for the gateway',
    ),
  )
  s.agent(
    [
      '原因がわかりました。**今回の二重請求の修正とは別の問題です。**',
      '',
      '- `toMinorUnits` は通貨に関係なく100倍しています。円には小数の単位がないため、1,500円が150,000円になります。',
      '- これまでは古い JPY アダプターが100で割り戻していましたが、昨日17:20に PAY-1198 で削除されました。',
      '- 影響: 昨日21:40以降の JPY の請求3件(KS-432960、KS-432977、KS-433018)のみです。',
      '',
      '修正として、通貨ごとの小数桁数(ISO 4217)を使います。',
    ].join('\n'),
    repo.edit(
      'src/money/amounts.ts',
      `/** '19.90' EUR -> 1990. */
export function toMinorUnits(amount: string, currency: Currency): number {
  return Math.round(Number(amount) * 100)
}

/** 1990 EUR -> '19.90'. */
export function toDecimal(minor: number, currency: Currency): string {
  return (minor / 100).toFixed(2)
}`,
      `/** Digits after the decimal point, https://www.iso.org/iso-4217-currency-codes.html */
const DIGITS: Readonly<Record<Currency, number>> = { EUR: 2, USD: 2, GBP: 2, CHF: 2, JPY: 0 }

/** '19.90' EUR -> 1990, '1500' JPY -> 1500. */
export function toMinorUnits(amount: string, currency: Currency): number {
  return Math.round(Number(amount) * 10 ** DIGITS[currency])
}

/** 1990 EUR -> '19.90', 1500 JPY -> '1500'. */
export function toDecimal(minor: number, currency: Currency): string {
  return (minor / 10 ** DIGITS[currency]).toFixed(DIGITS[currency])
}`,
    ),
    repo.edit(
      'test/money/amounts.test.ts',
      "it('splits a refund by price', () => {",
      "it('knows that yen have no hundredths', () => {\n  expect(toMinorUnits('1500', 'JPY')).toBe(1500)\n  expect(toDecimal(1500, 'JPY')).toBe('1500')\n})\n\nit('splits a refund by price', () => {",
    ),
    bash(
      'npm test -- test/money',
      testRun(r, [
        { name: 'test/money/amounts.test.ts', tests: 14 },
        { name: 'test/money/refunds.test.ts', tests: 10 },
      ]),
      { seconds: 4 },
    ),
  )
  s.at('2026-03-04 10:12')
  s.user('ありがとうございます。3件のお客様への返金と、それまでの間 JPY の受付を止めることはできますか？', 20)
  s.agent(
    'はい。返金は本番への書き込みになるため、私は準備だけ行い、実行は Mara さんにお願いします。受付停止は設定 `features.acceptJpy: false` で可能です。返金額は差額ではなく、**全額返金して正しい金額で再請求**する方が、お客様の明細が分かりやすいと思います。',
    repo.edit(
      'config/production.yaml',
      '  orderIdempotency: false\n',
      '  orderIdempotency: false\n  acceptJpy: false      # until PAY-1211 is live\n',
    ),
    bash(
      'node scripts/prepare-refunds.mjs --orders KS-432960,KS-432977,KS-433018 --dry-run',
      'KS-432960  refund 320000 JPY  capture again 3200 JPY  prepared\nKS-432977  refund  98000 JPY  capture again  980 JPY  prepared\nKS-433018  refund 150000 JPY  capture again 1500 JPY  prepared\nNothing was sent. Approve with: payments approve --batch jpy-0304',
    ),
  )
  s.at('2026-03-04 11:10')
  s.user(
    'Mara: approved and sent, JPY is paused, hotfix PAY-1211 is live since 10:55. Thanks Aoi for being so quick. How could this pass the tests?',
    20,
  )
  s.agent(
    'Because no test used yen: the fake gateway accepted any integer, and PAY-1198 removed the adapter together with **its** tests, which were the only ones with JPY. I looked at what else is only covered from one side.',
    bash('npm test -- --coverage | tail -40', coverage, { seconds: 33 }),
    repo.grep("'EUR'", 'test'),
  )
  s.agent(
    'All 38 amounts in our tests are EUR. I propose that the contract tests run over every currency in `Currency`, so that a new one cannot be added without deciding its digits: the type `Record<Currency, number>` already forces it at compile time now.',
  )
  s.at('2026-03-04 13:30')
  s.user('Yes. And now, staging please. PR 1488 plus the webhook work.', 20)
  s.agent(
    'Deploying to staging with retries at **4** there, because that is what we want to prove.',
    bash('./deploy staging PAY-1203-stable-keys', deployLog, { seconds: 95 }),
    bash('k6 run -e TARGET=staging load/charges.js', loadTest(r, 'charges, 3 % slow answers', 912, 0.2), {
      seconds: 601,
    }),
  )
  s.agent(
    {
      think:
        'p95 912 ms: before it was 640. Where does the time go? the upsert hits a missing index? Look at pg_stat_statements.',
      say: 'Correct (0 double captures in 59,000), but slower than before: p95 912 ms, last week 640 ms. I do not want to ship that without knowing why.',
    },
    bash(
      'psql $STAGING -c "select mean_exec_time::int ms, calls, query from pg_stat_statements order by total_exec_time desc limit 6"',
      table(
        ['ms', 'calls', 'query'],
        [
          [231, 59012, 'UPDATE charges SET status = $2 … WHERE order_id = $1 AND shipment = $3'],
          [12, 59012, 'INSERT INTO charges … ON CONFLICT'],
          [4, 61377, 'INSERT INTO charge_attempts …'],
          [3, 59012, 'UPDATE outbox SET done_at …'],
          [2, 58790, 'INSERT INTO webhook_events …'],
          [1, 240112, 'SELECT … FROM outbox … FOR UPDATE SKIP LOCKED'],
        ],
      ),
    ),
    bash(
      "psql $STAGING -c \"explain (analyze, buffers) update charges set status = 'captured' where order_id = 'KS-433018' and shipment = 1\"",
      explain,
    ),
  )
  s.agent(
    "The webhook’s `UPDATE` scans the table: our new unique index is **partial**, and the planner cannot use it because the webhook’s condition (`status <> 'refunded'`) does not imply `status IN (…)`. Either a plain index on `(order_id, shipment)` or the same condition in the query. The second costs no write amplification.",
    repo.edit(
      'src/webhooks/webhook-handler.ts',
      "WHERE order_id = $1 AND shipment = $2 AND status <> 'refunded'`,",
      "WHERE order_id = $1 AND shipment = $2 AND status IN ('pending', 'captured', 'unknown')`,",
    ),
    bash(
      './deploy staging PAY-1203-stable-keys && k6 run -e TARGET=staging load/charges.js',
      loadTest(r, 'charges, 3 % slow answers, second run', 588, 0.1),
      { seconds: 690 },
    ),
  )
  s.at('2026-03-04 16:10')
  s.user('588! Better than before. How sure are you about the double captures?', 20)
  s.agent(
    'Sure within what was tested: 59,000 charges, 3 % slow answers, 1,770 retries, and the gateway’s export shows one capture for each order and shipment. What was **not** tested: a gateway that is slow for longer than the claim of 60 s, and two regions. I let the first run overnight as a soak test.',
    bash(
      'kubectl -n staging logs deploy/outbox --since=20m | tail -280',
      workerLog(r, Date.UTC(2026, 2, 4, 15, 52), 280, 0.06),
    ),
    bash('nohup k6 run -e TARGET=staging -e SLOW=75s load/soak.js > soak.log &', '[1] 71882'),
  )
  s.at('2026-03-04 17:05')
  s.user('Then canary tomorrow. Good night!', 20)
}

const chargeOfKeyFunction = `?? 1}\`
}

/** Order and shipment of a key; keys from before March are random and give null. */
export function chargeOfKey(key: string): [orderId: string, shipment: number] | null {
  const match = /^(KS-\\d+):capture:(\\d+)$/.exec(key)
  return match ? [match[1] ?? '', Number(match[2])] : null
}
`

const crashTest = `import { expect, it } from 'vitest'
import { WebhookHandler } from '../../src/webhooks/webhook-handler.ts'
import { breakingDatabase, freshDatabase } from '../fakes/database.ts'
import { signed } from '../fakes/signature.ts'

it('handles an event again when the first attempt died half way', async () => {
  const db = await freshDatabase({ charges: [{ orderId: 'KS-1', shipment: 1, status: 'pending' }] })
  const event = signed({ type: 'capture.succeeded', id: 'evt_1', captureId: 'cap_1', idempotencyKey: 'KS-1:capture:1' })
  const dying = new WebhookHandler(breakingDatabase(db, { afterStatements: 1 }), 'secret')
  await expect(dying.handle(event.body, event.signature)).rejects.toThrow('connection terminated')
  await new WebhookHandler(db, 'secret').handle(event.body, event.signature)
  expect(await db.statusOf('KS-1', 1)).toBe('captured')
})

it('marks only the shipment that was captured', async () => {
  const db = await freshDatabase({ charges: [1, 2].map((shipment) => ({ orderId: 'KS-1', shipment, status: 'pending' })) })
  const event = signed({ type: 'capture.succeeded', id: 'evt_1', captureId: 'cap_1', idempotencyKey: 'KS-1:capture:2' })
  await new WebhookHandler(db, 'secret').handle(event.body, event.signature)
  expect([await db.statusOf('KS-1', 1), await db.statusOf('KS-1', 2)]).toEqual(['pending', 'captured'])
})
`

const coverage = `File                               | % Stmts | % Branch | % Funcs | Uncovered lines
src/charge/charge-service.ts       |   98.41 |    94.73 |     100 | 81
src/charge/idempotency.ts          |     100 |      100 |     100 |
src/charge/retry-policy.ts         |     100 |      100 |     100 |
src/gateway/northgate-client.ts    |   91.20 |    83.33 |   88.88 | 61-66,78
src/http/admin.ts                  |   62.50 |    50.00 |   57.14 | 40-71
src/http/routes.ts                 |   94.00 |    88.46 |     100 | 141-147
src/jobs/reconcile.ts              |   71.18 |    60.00 |   66.66 | 57-92
src/money/amounts.ts               |     100 |      100 |     100 |
src/queue/outbox-worker.ts         |     100 |    91.66 |     100 | 41
src/webhooks/signature.ts          |     100 |      100 |     100 |
src/webhooks/webhook-handler.ts    |   97.61 |    92.30 |     100 | 58
-----------------------------------|---------|----------|---------|----------------
All files                          |   88.12 |    81.90 |   90.47 |`

const deployLog = `→ image registry.kestrel.example/payments:PAY-1203-stable-keys@sha256:5f3c…e1 exists
→ migrations: 0042_one_charge_a_shipment.sql
  backfill 48,211 rows … 2.1 s
  CREATE UNIQUE INDEX CONCURRENTLY … 6.8 s
→ rolling out deployment/outbox (6 replicas)
  2/6 updated, 4/6 updated, 6/6 updated
→ rolling out deployment/http (3 replicas)
  3/3 updated
→ smoke tests: capture 200, replayed capture 200 (same id), declined card 402, webhook 200
✓ staging is at PAY-1203-stable-keys`

const explain = `Update on charges  (cost=0.00..21844.11 rows=1 width=214) (actual time=228.114..228.115 rows=0 loops=1)
  Buffers: shared hit=402 read=11911
  ->  Seq Scan on charges  (cost=0.00..21844.11 rows=1 width=214) (actual time=121.907..228.031 rows=1 loops=1)
        Filter: ((status <> 'refunded'::text) AND (order_id = 'KS-433018'::text) AND (shipment = 1))
        Rows Removed by Filter: 1240881
Planning Time: 0.212 ms
Execution Time: 228.170 ms`
