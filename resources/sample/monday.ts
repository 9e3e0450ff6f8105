import type { Random } from '#test/builders/random.ts'
import { allSuites, type DoubleCharge, pods, shortId, table, testRun, workerLog } from './outputs.ts'
import { bash, type Repository, type Session } from './session.ts'

const SUNDAY_NIGHT = Date.UTC(2026, 2, 1, 22, 40)

/** Day one: customers paid twice; the search for who sends the second capture. */
export function monday(s: Session, repo: Repository, r: Random, doubles: readonly DoubleCharge[]): void {
  s.at('2026-03-02 07:58')
  s.system(
    'You are the engineering agent of Kestrel Commerce, working in /srv/kestrel/payments. You may read, edit and run anything in this repository and query the read replica. Never write to the production database and never call the gateway with live keys: prepare, show, and let a person press the button.',
  )
  s.user(
    'Morning. Support has 37 customers who say they were charged twice last night, all between 22:41 and 23:55. Finance is nervous. Please find out what happened before you change anything. — Mara',
  )
  s.agent(
    {
      think:
        'Two captures for one order. Candidates: the worker ran the same job twice, the gateway captured twice for one request, or the client ordered twice. Start with facts: how far apart are the two captures, and do they share an idempotency key?',
      say: 'I will first look at what the double charges have in common, before reading any code.',
    },
    bash(
      'psql $REPLICA -c "select order_id, count(*), max(created_at)-min(created_at) as apart from gateway_captures where created_at > \'2026-03-01 22:30\' group by 1 having count(*) > 1 order by 3"',
      table(
        ['order_id', 'count', 'amount', 'apart'],
        doubles.map(({ order, amount, seconds }) => [order, 2, amount, `00:00:${String(seconds).padStart(2, '0')}`]),
      ),
      { seconds: 3 },
    ),
    bash(
      'psql $REPLICA -c "select count(distinct idempotency_key), count(*) from gateway_captures where order_id = any(:doubles)"',
      table(['count', 'count'], [[74, 74]]),
    ),
  )
  s.agent(
    'Two facts already: every pair lies 8 to 12 seconds apart, and all 74 captures carry **different idempotency keys**. Eight seconds is our gateway timeout. So this is not the shop sending orders twice; something on our side tried again with a new key. Let me see the worker logs of that hour.',
    bash(
      'kubectl logs deploy/outbox --since-time=2026-03-01T22:40:00Z | head -320',
      workerLog(r, SUNDAY_NIGHT, 320, 0.22, 'per attempt'),
      {
        seconds: 6,
      },
    ),
  )
  s.agent(
    'The log shows the pattern: `GatewayTimeout: no answer within 8000 ms`, then `retry attempt=2` with another `key=`. Before I blame the retry, I want to exclude that two workers had the same job.',
    repo.read('src/queue/outbox-worker.ts'),
    repo.grep('claimed_until'),
  )
  s.agent({
    think:
      'SKIP LOCKED is there, but the claim lasts 30 s and a batch of 20 jobs with four attempts each can take far longer: 20 jobs × (8 s + backoff). A second worker can claim job 15 while the first is still at job 3. That would be a real hole. But is it what happened on Sunday?',
    say: 'There is a hole here: a claim lasts 30 s, but a batch of 20 with timeouts can take minutes, so a second worker may take over a job that is still waiting in the first one’s batch. **Hypothesis A: the claim expires.** I will test it against the data rather than believe it.',
  })
  s.at('2026-03-02 08:14')
  s.user('A plausible bug is not the bug. Check whether two workers really touched the same order.', 20)
  s.agent(
    'Agreed. If A is true, the two captures of a pair come from different workers.',
    bash(
      'psql $REPLICA -c "select count(*) filter (where w1 = w2) as same_worker, count(*) filter (where w1 <> w2) as other_worker from pairs"',
      table(['same_worker', 'other_worker'], [[36, 1]]),
      { seconds: 4 },
    ),
  )
  s.agent(
    '36 of 37 pairs were made by **one** worker, so hypothesis A explains at most one. The second capture comes from inside a single `charge()` call. Reading that now.',
    repo.read('src/charge/charge-service.ts'),
    repo.read('src/charge/retry-policy.ts'),
    bash('git log --oneline -8 -- src/charge config', gitLog),
  )
  s.agent({
    think:
      'attemptId = randomUUID() inside #attempt, and #attempt is what retry() repeats. Each retry is a new idempotency key. Before PAY-1187 retries was 1, so the bug slept.',
    say: [
      '**Found it.** `#attempt()` makes a new `attemptId` and sends it as the idempotency key; `retry()` repeats `#attempt()`. So each retry looks like a new payment to Northgate. When the gateway is slow rather than down, the first capture succeeds after we stopped waiting, and the retry captures again.',
      '',
      '- Root cause: the idempotency key belongs to the *attempt* (`src/charge/charge-service.ts:47`), it must belong to the *charge*.',
      '- Why now: `retries` went from 1 to 4 on Friday (PAY-1187). With one attempt there was nothing to repeat.',
      '- Why 37: Northgate had a latency incident from 22:40 to 23:56 UTC.',
    ].join('\n'),
  })
  s.at('2026-03-02 08:29')
  s.user('OK. First stop the bleeding. What is the smallest safe thing we can do in the next ten minutes?', 20)
  s.agent(
    'Set `gateway.retries` to 1 in production. That restores Friday’s behaviour; charges that time out become `unknown` and wait for reconciliation instead of being sent again. No code, no deploy of the service, one config rollout.',
    repo.read('config/production.yaml'),
    repo.read('docs/runbooks/gateway-outage.md'),
    repo.edit(
      'config/production.yaml',
      '  retries: 4            # raised from 1 on 2026-02-27 (PAY-1187)',
      '  retries: 1            # back to 1 on 2026-03-02: retries used a new idempotency key (PAY-1203)',
    ),
  )
  s.at('2026-03-02 08:53')
  s.user('Rolled out at 08:41. Please verify that it took.', 20)
  s.agent(
    'Checking that all six workers run the new configuration and that nothing retries any more.',
    bash('kubectl get pods -l app=outbox', pods(r, ['outbox', 'outbox', 'outbox', 'outbox', 'outbox', 'outbox'])),
    bash('for p in $(pods outbox); do kubectl exec $p -- printenv GATEWAY_RETRIES; done | sort | uniq -c', '      6 1'),
    bash('kubectl logs deploy/outbox --since=10m | tail -240', workerLog(r, Date.UTC(2026, 2, 2, 8, 41), 240, 0)),
  )
  s.agent(
    'Confirmed: six pods, `GATEWAY_RETRIES=1`, no `retry attempt` in ten minutes. The bleeding has stopped. **Decision recorded:** retries stay at 1 until charges have stable keys.',
  )
  s.at('2026-03-02 09:40')
  s.user('Good. Now reproduce it in a test before you fix anything.', 20)
  s.agent(
    'A test that fails for the right reason: the gateway captures but answers too late, so both attempts succeed on its side.',
    repo.read('test/charge/charge-service.test.ts'),
    repo.edit(
      'test/charge/charge-service.test.ts',
      "  it('tries again when the gateway does not answer', async () => {",
      `  it('never captures twice when the gateway was only slow', async () => {
    const gateway = fakeGateway({ capturesButAnswersLate: 1 })
    const service = new ChargeService(await freshDatabase(), gateway, () => new Date(0))
    await service.charge({ orderId: 'o-1', amount: '19.90', currency: 'EUR', paymentMethod: 'pm_1' })
    expect(gateway.captured('o-1')).toHaveLength(1)
  })

  it('tries again when the gateway does not answer', async () => {`,
    ),
    bash(
      'npm test -- test/charge',
      testRun(
        r,
        [
          { name: 'test/charge/retry-policy.test.ts', tests: 9 },
          { name: 'test/charge/reconcile.test.ts', tests: 14 },
          {
            name: 'test/charge/charge-service.test.ts',
            tests: 12,
            failing: 'never captures twice when the gateway was only slow',
          },
        ],
        lateCaptureFailure,
      ),
      { isError: true, seconds: 7 },
    ),
  )
  s.agent(
    'Red, and for the reason we saw in production: `expected 2 to be 1`, with two different keys. Before the fix: what may a key be made of? Options:\n\n1. `charge.id`: stable over retries of one call, but `charge()` itself may run twice (claim expiry) and creates a *new* charge row each time.\n2. `orderId + purpose` (`KS-412001:capture`): stable whatever we do, one capture an order. Partial captures would need another purpose.\n3. A hash of the whole request: breaks as soon as an amount is corrected.\n\nI recommend 2, because it also covers hypothesis A.',
  )
  s.at('2026-03-02 11:05')
  s.user(
    'Option 2. But careful, we do have split shipments: one order, several captures. So the purpose needs the shipment number.',
    20,
  )
  s.agent(
    'Good catch, I had not seen split shipments. The key becomes `<orderId>:capture:<shipment>`, with shipment `1` when there is only one. Where do shipments enter?',
    repo.grep('shipment', 'src'),
    repo.grep('orderId', 'src'),
    bash(
      'psql $REPLICA -c "select shipments, count(*) from (select order_id, count(*) shipments from shipments group by 1) x group by 1 order by 1"',
      table(
        ['shipments', 'count'],
        [
          [1, 1_204_411],
          [2, 38_220],
          [3, 1_907],
          [4, 88],
          [7, 1],
        ],
      ),
    ),
  )
  s.agent(
    {
      think:
        'No mention of shipments in src: the payload carries it from the outbox but the types drop it. 3 % of the orders have more than one.',
      say: 'The payments service does not know shipments at all: the outbox payload has `shipment`, our `ChargeRequest` type drops it. 3.2 % of orders have more than one, so option 2 without it would have **blocked legitimate second captures**. I add it to the type, optional for old jobs in the queue.',
    },
    repo.edit(
      'src/charge/types.ts',
      '  readonly paymentMethod: string\n}\n\nexport type Charge =',
      '  readonly paymentMethod: string\n  /** 1 for orders that are shipped at once; jobs from before 2026-03 do not say. */\n  readonly shipment?: number\n}\n\nexport type Charge =',
    ),
  )
  s.agent(
    'Now the key itself, in a file of its own so that refunds can use it too.',
    repo.write('src/charge/idempotency.ts', idempotencyFile),
    repo.edit(
      'src/charge/charge-service.ts',
      '      idempotencyKey: attemptId,',
      '      idempotencyKey: captureKey(charge),',
    ),
    repo.edit(
      'src/charge/charge-service.ts',
      "import { retry } from './retry-policy.ts'",
      "import { captureKey } from './idempotency.ts'\nimport { retry } from './retry-policy.ts'",
    ),
    bash('npm test', testRun(r, allSuites), { seconds: 24 }),
  )
  s.agent(
    'All green, including the new test. Not merged: the key is right, but `charges` still gets a second row when a job runs twice. I would like a unique constraint on `(order_id, shipment)` as the last line of defence. That is a migration, so it is for tomorrow, with you awake.',
    bash(
      'git checkout -b PAY-1203-stable-keys && git commit -am "Key captures by order and shipment" && git push',
      pushOutput(r),
      { seconds: 5 },
    ),
  )
  s.at('2026-03-02 15:44')
  s.user('Agreed, tomorrow. Write down what we know and what is open, so that the next session starts from there.', 20)
  s.agent(
    [
      '### Where we stand, Monday evening',
      '- **Root cause**: idempotency key per attempt instead of per charge; woken by `retries: 4` (PAY-1187) and a slow gateway.',
      '- **Stopped** at 08:41 by `retries: 1`. 37 customers were charged twice, sum of second captures 4,211.60 EUR.',
      '- **Branch** `PAY-1203-stable-keys`: key = order + shipment, tests green, not merged.',
      '- **Rejected**: expiring claims as the main cause (36 of 37 pairs came from one worker). It is still a bug.',
      '- **Open**: unique constraint; how long does Northgate remember a key?; refunds for the 37; the claim window.',
    ].join('\n'),
  )
  s.user('Perfect. See you tomorrow.', 120)
}

const gitLog = `9c41e07 PAY-1187 Retry captures up to four times
5b0d2aa Move retry policy into its own file
e77f013 Record every attempt in charge_attempts
1a9be54 Decline codes as their own error
c0ffe31 Do not log payment methods
88d1f6e Use undici for the gateway
41d7a9b PAY-1101 Several outbox workers
0be2c5d First version of the charge service`

const lateCaptureFailure = ` FAIL  test/charge/charge-service.test.ts > ChargeService > never captures twice when the gateway was only slow
AssertionError: expected [ { …(2) }, { …(2) } ] to have a length of 1 but got 2

- Expected
+ Received

- 1
+ 2

 ❯ test/charge/charge-service.test.ts:29:39
     27|     const service = new ChargeService(await freshDatabase(), gateway, () => new Date(0))
     28|     await service.charge({ orderId: 'o-1', amount: '19.90', currency: 'EUR', paymentMethod: 'pm_1' })
     29|     expect(gateway.captured('o-1')).toHaveLength(1)
       |                                       ^
     30|   })
 captured with keys: 5d0c4e5e-9b3f-4b1b-8a51-1b1a0f0f4a11, e3b6a7a2-61d9-4e0e-9f6e-77d1b2f0c9d4`

const idempotencyFile = `import type { Charge } from './types.ts'

/**
 * What the gateway recognises a capture by. The same order and shipment always give the same key, however often and
 * from wherever it is tried.
 */
export function captureKey(charge: Pick<Charge, 'orderId' | 'shipment'>): string {
  return \`\${charge.orderId}:capture:\${charge.shipment ?? 1}\`
}
`

const pushOutput = (r: Random): string => `[PAY-1203-stable-keys ${shortId(r)}] Key captures by order and shipment
 4 files changed, 38 insertions(+), 3 deletions(-)
 create mode 100644 src/charge/idempotency.ts
remote: Create a pull request for 'PAY-1203-stable-keys' by visiting:
remote:   https://git.kestrel.example/payments/pulls/new/PAY-1203-stable-keys`
