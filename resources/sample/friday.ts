import type { Random } from '#test/builders/random.ts'
import { allSuites, type DoubleCharge, table, testRun, workerLog } from './outputs.ts'
import { verifyRefunds } from './scenes.ts'
import { bash, type Repository, type Session } from './session.ts'

/** Day five: the refunds, and the report of what happened. */
export function friday(s: Session, repo: Repository, r: Random, doubles: readonly DoubleCharge[]): void {
  const sum = doubles.reduce((total, { amount }) => total + Number(amount), 0).toFixed(2)
  s.at('2026-03-06 08:05')
  s.user('Last day. How was the night?', 20)
  s.agent(
    'Quiet. Numbers of 16 hours with all six workers:',
    bash(
      'scripts/canary-report.mjs --minutes 960 --fleet',
      `fleet, last 960 minutes\n  charges            91,204\n  retries            1,803\n  double captures    0\n  unknown            3 (all captured on the next round)\n  deadlocks          0\n  p95                596 ms`,
    ),
    bash('kubectl logs deploy/outbox --since=30m | tail -220', workerLog(r, Date.UTC(2026, 2, 6, 7, 34), 220, 0.02)),
  )
  s.at('2026-03-06 08:09')
  s.user('Lovely. Now the 37 refunds. I want to see every single one before anything is sent.', 20)
  s.agent(
    {
      think:
        'Refund the second capture, not the first: the first belongs to the order. For each: look up both captures, choose the later one, check not yet refunded by support by hand.',
      say: 'Plan: refund the **later** capture of each pair in full, unless support has already refunded it by hand. Key of a refund: `<order>:refund:double-2026-03-01`, so that running the script twice cannot refund twice. Dry run:',
    },
    repo.write('scripts/refund-doubles.mjs', refundScript),
    bash(
      'node scripts/refund-doubles.mjs --dry-run',
      table(
        ['order', 'amount EUR', 'first capture', 'second capture', 'action'],
        doubles.map(({ order, amount, seconds }, index) => [
          order,
          amount,
          'kept',
          `+${seconds} s`,
          index === 11 || index === 29 ? 'skip: refunded by support' : 'refund second',
        ]),
      ),
      { seconds: 14 },
    ),
  )
  s.agent(
    `37 pairs, ${sum} EUR in second captures. Two were already refunded by support (rows 12 and 30), so 35 remain. Nothing was sent.`,
  )
  s.at('2026-03-06 08:16')
  s.user('Row 12 and 30: show me that support refunded the right capture.', 20)
  s.agent(
    'Checking both with the gateway.',
    bash(
      `northgate captures --order ${doubles[11]?.order},${doubles[29]?.order} --with-refunds`,
      table(
        ['order', 'capture', 'amount', 'refunded'],
        [
          [doubles[11]?.order ?? '', 'cap_5b11f0', doubles[11]?.amount ?? '', '0.00'],
          [doubles[11]?.order ?? '', 'cap_5b12a9', doubles[11]?.amount ?? '', doubles[11]?.amount ?? ''],
          [doubles[29]?.order ?? '', 'cap_5b7c31', doubles[29]?.amount ?? '', doubles[29]?.amount ?? ''],
          [doubles[29]?.order ?? '', 'cap_5b7cf8', doubles[29]?.amount ?? '', '0.00'],
        ],
      ),
    ),
  )
  s.agent(
    'Row 12 is as expected. In row 30 support refunded the **first** capture instead of the second. For the customer it is the same money, but our books say that the order is unpaid. The charge row has to point to the second capture. I prepare that as a correction for you to approve; it is one line.',
    bash(
      `node scripts/prepare-correction.mjs --order ${doubles[29]?.order} --capture cap_5b7cf8`,
      'prepared correction c-0306-1: charges.gateway_id cap_5b7c31 → cap_5b7cf8\napprove with: payments approve --correction c-0306-1',
    ),
  )
  s.at('2026-03-06 08:51')
  s.user(
    'Approved both: 35 refunds and the correction. Please confirm against the gateway, not against our database.',
    20,
  )
  s.agent(
    'Against the gateway’s export of 08:52:',
    bash(
      'northgate export --since 2026-03-06T08:30 --type refund | node scripts/count-refunds.mjs',
      'refunds          35\nsum              ' +
        `${(Number(sum) - Number(doubles[11]?.amount) - Number(doubles[29]?.amount)).toFixed(2)} EUR\nrefunded twice   0\norders affected  35\nstill open       0`,
    ),
  )
  verifyRefunds(s, r, doubles)
  s.at('2026-03-06 09:24')
  s.user('Wonderful. Draft the mail to the customers, please. Short, honest, no marketing.', 20)
  s.agent(
    '> **About your payment of 1 March**\n>\n> In the night from 1 to 2 March our payment system charged you twice for one order. This was our mistake: when our card processor answered slowly, we sent the payment again in a way that it could not recognise as the same one.\n>\n> We have refunded the second payment in full. Depending on your bank it will be back on your account within 3 to 5 working days. You do not need to do anything.\n>\n> We have changed our system so that an order can be charged only once, and have tested it under the same conditions. We apologise.',
  )
  s.at('2026-03-06 09:31')
  s.user('Nice. In German and Japanese too? Two of the 37 are in Tokyo.', 20)
  s.agent(
    '**Deutsch**\n> In der Nacht vom 1. auf den 2. März haben wir eine Bestellung von Ihnen versehentlich zweimal abgebucht. Als unser Zahlungsdienstleister langsam antwortete, haben wir die Zahlung erneut gesendet, ohne dass sie als dieselbe erkannt werden konnte. Den zweiten Betrag haben wir vollständig erstattet; je nach Bank ist er in 3 bis 5 Werktagen auf Ihrem Konto. Sie müssen nichts tun. Wir bitten um Entschuldigung.\n\n**日本語**\n> 3月1日深夜、弊社システムの不具合により、ご注文1件につき二重に請求が行われました。決済会社からの応答が遅延した際に、同一の決済と認識されない形で再送信したことが原因です。重複分は全額返金の手続きを完了しており、3〜5営業日ほどでお口座に反映されます。お客様に行っていただくことはございません。ご迷惑をおかけし、深くお詫び申し上げます。',
  )
  s.at('2026-03-06 09:40')
  s.user(
    '青井です。日本語の文面、とても自然です。「深くお詫び申し上げます」の前に「再発防止策を実施済みです」と一言入れていただけますか？',
    20,
  )
  s.agent(
    '承知しました。最後の部分を次のように変更します。\n\n> …お客様に行っていただくことはございません。なお、同一のご注文が二度請求されないよう、再発防止策を実施済みです。ご迷惑をおかけし、深くお詫び申し上げます。',
  )
  s.at('2026-03-06 11:00')
  s.user('Now the postmortem. Blameless, one page, with what we got wrong on the way.', 20)
  s.agent(
    'I collect the exact times first.',
    bash('git log --since=2026-03-02 --format="%h %ad %s" --date=format:"%a %H:%M"', commits),
    repo.grep('PAY-12', 'config'),
    repo.read('src/charge/charge-service.ts', 20, 60),
    repo.read('src/charge/idempotency.ts'),
  )
  s.agent(
    'Draft is in `docs/postmortems/2026-03-01-double-charges.md`.',
    repo.write('docs/postmortems/2026-03-01-double-charges.md', postmortem(sum)),
  )
  s.at('2026-03-06 11:40')
  s.user('“What we got wrong” is the best part. Add the yen, it was our release process that let it through.', 20)
  s.agent(
    'Added, with the rule that came of it: tests of a removed adapter are moved, not deleted.',
    repo.edit(
      'docs/postmortems/2026-03-01-double-charges.md',
      '## What stays open',
      '5. On Tuesday a release dropped the yen adapter **together with its tests**. Three customers in Japan were charged a hundredfold for up to 13 hours. Rule: tests of something removed move to what replaces it.\n\n## What stays open',
    ),
    repo.edit(
      'docs/runbooks/gateway-outage.md',
      '3. Do **not** restart the workers: claimed jobs come back after 30 s on their own.',
      '3. Do **not** restart the workers: claimed jobs come back after 60 s on their own. Charges in doubt are asked for before they are sent again.',
    ),
    bash('npm test', testRun(r, allSuites), { seconds: 24 }),
  )
  s.at('2026-03-06 12:10')
  s.user('Merge it. What is left for next week?', 20)
  s.agent(
    'Merged as `4f0c2d1`. For next week:\n\n- [ ] Contract tests over every currency (PAY-1212)\n- [ ] Two regions: the partial index is per database, so a failover within a claim could still send twice (PAY-1213). I do not know yet how likely that is.\n- [ ] `src/jobs/reconcile.ts` has 60 % branch coverage and is the last line of defence (PAY-1214)\n- [ ] Ask Northgate to store keys at the **start** of processing; ticket NG-20931 is open\n- [x] Cents in refunds (PAY-1209), yen (PAY-1211), webhook transaction (PAY-1203)',
  )
  s.at('2026-03-06 14:30')
  s.user('PAY-1213 worries me. Can you find out over the weekend how often we fail over at all?', 20)
  s.agent(
    'Looking at the last twelve months.',
    bash(
      'psql $METRICS -c "select at::date as day, reason, seconds from failovers where at > now() - interval \'1 year\' order by at"',
      table(
        ['day', 'reason', 'seconds'],
        [
          ['2025-04-19', 'planned', 9],
          ['2025-07-02', 'planned', 11],
          ['2025-09-30', 'disk of primary', 74],
          ['2025-11-28', 'planned', 10],
          ['2026-01-17', 'network', 41],
        ],
      ),
    ),
  )
  s.agent(
    'Five failovers in a year, two of them unplanned (74 s and 41 s). Replication is asynchronous with a lag of about 0.4 s, so at 1.6 charges a second the chance that one is in that gap is real: roughly one charge in doubt per unplanned failover. The question before a retry covers it as long as the key is the same, **and it is**, because it is made of order and shipment and not of anything in the database. So PAY-1213 is smaller than I feared: what is missing is a test, not a mechanism.',
  )
  s.at('2026-03-06 15:40')
  s.user('That is a very good way into the weekend. Thank you.', 20)
  s.agent(
    'Thank you, Mara, Jonas and Aoi. I will leave the soak test running until Monday and report only if something is not green.',
  )
}

const refundScript = `import { pairs } from '../src/reports/doubles.mjs'
import { northgate } from '../src/gateway/live.mjs'

const isDryRun = process.argv.includes('--dry-run')
for (const { order, second } of await pairs({ night: '2026-03-01' })) {
  const already = await northgate.refundsOf(order)
  if (already.length > 0) {
    console.log(order, 'skip: refunded by support')
    continue
  }
  // The key names the incident, so that a second run finds the first one's refund.
  if (!isDryRun) await northgate.refund(second.id, second.amount, \`\${order}:refund:double-2026-03-01\`)
  console.log(order, second.amount, isDryRun ? 'would refund' : 'refunded')
}
`

const commits = `4a77e0c Fri 08:12 Refund second captures of 1 March
b1c93d2 Thu 10:12 Ask the gateway before a capture is sent again
90ee417 Wed 16:20 Let the webhook use the partial index
77d0f3a Wed 10:38 PAY-1211 Yen have no hundredths
2c1b9e5 Wed 09:02 Apply a webhook and remember it in one transaction
e0aa6d1 Tue 14:44 PAY-1209 Split refunds without losing cents
a83f1c7 Tue 11:58 One job a claim, no lock over a network call
5b2e7c0 Tue 10:07 One charge a shipment
d4f81aa Mon 15:40 Key captures by order and shipment
f3b1e29 Mon 08:36 Back to one attempt`

const postmortem = (sum: string): string => `# Double charges in the night of 1 March 2026

**What happened.** Between 22:41 and 23:55 UTC 37 customers were charged twice, ${sum} EUR in all. All refunded by Friday 08:52.

**Why.** A retry sent a capture with a new idempotency key, because the key belonged to the attempt and not to the charge. The gateway was slow, finished the first capture after we had stopped waiting, and took the second for another payment.

**Why then.** Retries were raised from one to four on Friday (PAY-1187). With one attempt the mistake could not show.

## What we changed
1. A capture's key is its order and shipment.
2. At most one charge that may hold money for each order and shipment, enforced by the database.
3. After a timeout we ask the gateway before we send again.
4. A webhook is applied and remembered in one transaction.

## What we got wrong on the way
1. The first suspicion was the claim window. It was a real bug and not the cause: 36 of 37 pairs came from one worker.
2. The first key had no shipment. It would have blocked 3.2 % of legitimate captures.
3. Advisory locks looked small and held a lock over a network call: a third of the throughput. Taken back within the hour.
4. Stable keys alone did not help against a gateway that stores keys only at the end. A night of soak testing found it, our reasoning had not.

## What stays open
See PAY-1212, PAY-1213, PAY-1214 and NG-20931.
`
