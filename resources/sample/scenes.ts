import type { Random } from '#test/builders/random.ts'
import { allSuites, type DoubleCharge, loadTest, shortId, table, testRun, workerLog } from './outputs.ts'
import { bash, type Call, type Repository, type Session } from './session.ts'

/** Tuesday: a test that fails once in a while, and why that matters here. */
export function flakyTest(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-03 12:05')
  s.user('CI was red on your branch ten minutes ago, green on the second try. Flaky or real?', 20)
  s.agent(
    'In a week like this I do not believe in flaky. I run the queue tests until they fail, with the seed printed.',
    ...[1, 2, 3, 4].map((round) =>
      bash(`npm test -- test/queue --seed ${round * 7919}`, testRun(r, allSuites.slice(5, 7)), { seconds: 6 }),
    ),
    bash(
      'npm test -- test/queue --seed 39595',
      testRun(
        r,
        [
          { name: 'test/queue/claims.test.ts', tests: 8 },
          { name: 'test/queue/outbox-worker.test.ts', tests: 13, failing: 'takes over the job of a worker that died' },
        ],
        ` FAIL  test/queue/outbox-worker.test.ts > takes over the job of a worker that died
AssertionError: expected 'outbox-a' to be 'outbox-b'

 ❯ test/queue/outbox-worker.test.ts:88:31
     86|     await clock.advance(CLAIM_SECONDS * 1000)
     87|     await second.tick()
     88|     expect(await ownerOf(job)).toBe('outbox-b')
       |                               ^
 seed 39595, clock 2026-03-29T00:59:59.812Z`,
      ),
      { isError: true, seconds: 6 },
    ),
  )
  s.agent(
    {
      think:
        'clock 2026-03-29T00:59:59.812Z: one second before the daylight saving switch in Europe. interval arithmetic with timestamptz + session timezone Europe/Vienna: + 60 seconds is fine for intervals of seconds... but claimed_until is timestamp WITHOUT time zone! Compare with now() converts in session zone; the hour repeats/skips.',
      say: 'Real. The failing seed puts the clock at `2026-03-29T00:59:59.812Z`, a fifth of a second before summer time begins. `outbox.claimed_until` is a `timestamp` **without** time zone and the session runs in `Europe/Vienna`, so on that night a claim made before the switch looks an hour younger.',
    },
    bash(
      'psql $REPLICA -c "\\d outbox"',
      table(
        ['Column', 'Type', 'Nullable'],
        [
          ['id', 'bigint', 'not null'],
          ['payload', 'jsonb', 'not null'],
          ['claimed_by', 'text', ''],
          ['claimed_until', 'timestamp without time zone', ''],
          ['done_at', 'timestamp with time zone', ''],
        ],
      ),
    ),
    repo.grep('claimed_until', 'src'),
  )
  s.agent(
    'In four weeks every worker would have held its claims for an hour too long, in autumn an hour too short, and **that** would have been the next double charge. A migration makes the column `timestamptz`.',
    repo.write(
      'migrations/0043_claims_with_time_zone.sql',
      "-- Claims compare with now(): without a zone they are an hour wrong when summer time begins or ends.\nALTER TABLE outbox ALTER COLUMN claimed_until TYPE timestamptz USING claimed_until AT TIME ZONE 'Europe/Vienna';\n",
    ),
    bash(
      'npm run migrate -- --database test && npm test -- test/queue --seed 39595',
      testRun(r, allSuites.slice(5, 7)),
      { seconds: 9 },
    ),
    bash(
      'for i in $(seq 1 200); do npm test -- test/queue --seed $RANDOM --silent || echo FAILED; done | sort | uniq -c',
      '    200 ok',
      { seconds: 611 },
    ),
  )
  s.user(
    'Wow. I would have pressed “re-run” and forgotten about it. Rule for all of us: a red run is read before it is repeated.',
    200,
  )
}

type Comment = { readonly by: string; readonly text: string; readonly answer: string; readonly calls: readonly Call[] }

/** Thursday: the review of the pull request, comment by comment. */
export function review(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-05 10:20')
  s.user('Tomasz and Hanna reviewed PR 1488. Please go through their comments one by one; you may disagree.', 20)
  s.agent(
    'Nine comments. I answer each where it stands.',
    bash('gh pr view 1488 --comments --json path,line,author | jq length', '9'),
  )
  for (const { by, text, answer, calls } of comments(repo, r)) {
    s.user(`${by}: ${text}`, 40)
    s.agent(answer, ...calls)
  }
  s.agent(
    'All nine answered: six changed, two explained, one moved to PAY-1214. The whole suite once more:',
    bash('npm test', testRun(r, [...allSuites, { name: 'test/webhooks/crash.test.ts', tests: 2 }]), { seconds: 26 }),
  )
  s.user('Tomasz approved. Hanna approved with “best PR description I have read this year”.', 900)
}

function comments(repo: Repository, r: Random): Comment[] {
  return [
    {
      by: 'Tomasz',
      text: '`captureKey`: what if an order id ever contains a colon?',
      answer:
        'Order ids are `KS-` and digits, checked at the door, but the key should not depend on somebody else’s rule. `chargeOfKey` already refuses anything else; I add the same check where the key is made.',
      calls: [repo.read('src/charge/idempotency.ts'), repo.grep('KS-', 'src')],
    },
    {
      by: 'Hanna',
      text: 'Why `DO UPDATE SET order_id = excluded.order_id`? That writes a row version for nothing.',
      answer:
        'Because `DO NOTHING` returns no row, and we need the existing charge. The alternative is a second SELECT, which can miss a row that another transaction has just inserted. I measured the cost: one row version per *repeated* job, 0.3 % of all. I keep it and say so in a comment.',
      calls: [
        bash(
          'psql $STAGING -c "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = \'charges\'"',
          table(['n_tup_upd', 'n_tup_hot_upd'], [[119_204, 117_880]]),
        ),
      ],
    },
    {
      by: 'Tomasz',
      text: 'BATCH = 1 means six times as many claims. Did you look at the load on the primary?',
      answer:
        'Yes, but I had not written it down: 240,112 claim statements in ten minutes at 1 ms each, CPU of the primary from 11 to 13 %. Numbers are in the description now.',
      calls: [
        bash('k6 run -e TARGET=staging -e VUS=240 load/charges.js', loadTest(r, 'charges, twice the load', 702, 0.1), {
          seconds: 600,
        }),
      ],
    },
    {
      by: 'Hanna',
      text: 'The 60 s claim: four attempts of 8 s plus pauses is 32 + 2.8 + jitter. Please derive it instead of writing 60.',
      answer:
        'Done. It is computed from the policy now, with a margin of 1.5, so that whoever raises the attempts moves the claim as well.',
      calls: [
        repo.edit(
          'src/queue/outbox-worker.ts',
          'const CLAIM_SECONDS = 60',
          'const CLAIM_SECONDS = Math.ceil(longestCharge(captureRetries) * 1.5)',
        ),
        repo.read('src/queue/outbox-worker.ts', 1, 30),
      ],
    },
    {
      by: 'Tomasz',
      text: 'Nit: `splitRefund` sorts by remainder, equal remainders keep line order. Is that fair?',
      answer:
        'It is stable, and stable is what the auditor asked for: the same refund always splits the same way. Explained in the docstring, no change.',
      calls: [],
    },
    {
      by: 'Hanna',
      text: 'The crash test uses a fake that throws. Could we kill a real connection instead?',
      answer:
        'Better idea. `pg_terminate_backend` between the two statements; the test takes 40 ms more and has found nothing new, but it no longer believes in my fake.',
      calls: [
        repo.edit(
          'test/webhooks/crash.test.ts',
          'breakingDatabase(db, { afterStatements: 1 })',
          'await terminatedAfter(db, 1)',
        ),
        bash('npm test -- test/webhooks', testRun(r, allSuites.slice(9, 11)), { seconds: 5 }),
      ],
    },
    {
      by: 'Tomasz',
      text: 'What happens to charges in flight while we deploy?',
      answer:
        'They keep their old random key. After the deploy a retry would use the new key, that is, a different one: exactly the bug, once, for every charge in flight. **You have found a real hole.** Answer: drain first. The deploy stops claiming, waits for 60 s, then rolls.',
      calls: [
        bash(
          'git diff deploy',
          "+step 'drain' do\n+  scale 'outbox', claim: false\n+  wait_until { claimed_jobs.zero? }, timeout: 90\n+end",
        ),
        bash(
          './deploy staging --dry-run',
          '→ drain: 6 workers stop claiming, 4 jobs in flight … 0 after 11 s\n→ rolling out deployment/outbox (dry run)',
        ),
      ],
    },
    {
      by: 'Hanna',
      text: '`find()` in the gateway client has no timeout of its own.',
      answer:
        'Right, it inherited none. Same 8 s as the others, and a timeout there counts as “running”: when in doubt, wait.',
      calls: [repo.grep('TIMEOUT_MS'), repo.read('src/gateway/northgate-client.ts', 44, 40)],
    },
    {
      by: 'Tomasz',
      text: 'reconcile.ts makes events with ids of its own. Should that not go away now?',
      answer:
        'It should, but it is the last line of defence until the new path has run for a while. Moved to PAY-1214 with a date, the 30th of March.',
      calls: [],
    },
  ]
}

/** Thursday: watching the canary, check by check. */
export function watchCanary(s: Session, r: Random): void {
  for (let check = 1; check <= 7; check += 1) {
    const minutes = check * 15
    s.at(`2026-03-05 ${16 + Math.floor((5 + minutes) / 60)}:${String((5 + minutes) % 60).padStart(2, '0')}`)
    const retries = r.int(60, 95)
    s.agent(
      check === 1 ? 'Watching all six, every quarter of an hour.' : {},
      bash(
        `scripts/canary-report.mjs --minutes 15 --fleet`,
        `fleet, last 15 minutes\n  charges            ${r.int(2900, 3400)}\n  retries            ${retries}\n  asked before retry ${retries}\n  double captures    0\n  unknown            ${r.int(0, 2)}\n  deadlocks          0\n  p95                ${r.int(580, 622)} ms`,
      ),
      bash(
        `kubectl logs -l app=outbox --since=15m | tail -140`,
        workerLog(r, Date.UTC(2026, 2, 5, 16, minutes - 10), 140, 0.08),
      ),
    )
    if (check === 4)
      s.agent(
        'One hour with retries at 4 on the whole fleet, 0 doubles. The two `unknown` of the second check were captured on their next round.',
      )
  }
  s.agent(
    'Two hours, nothing to report. I stop watching closely and leave the guard running until midnight; it pages if there is one double capture.',
  )
}

/** Friday: each refund looked at by itself, five at a time. */
export function verifyRefunds(s: Session, r: Random, doubles: readonly DoubleCharge[]): void {
  s.at('2026-03-06 08:56')
  s.user('And one by one, please. I have promised finance that somebody looked at each.', 20)
  for (let from = 0; from < doubles.length; from += 5) {
    const group = doubles.slice(from, from + 5)
    s.agent(
      from === 0 ? 'Each order at the gateway: two captures, the second refunded in full, the first untouched.' : {},
      ...group.map(({ order, amount }, index) => {
        const isOdd = from + index === 29
        const [kept, back] = [`cap_${shortId(r)}`, `cap_${shortId(r)}`]
        return bash(
          `northgate captures --order ${order} --with-refunds`,
          table(
            ['capture', 'amount', 'refunded', 'at'],
            [
              [kept, amount, isOdd ? amount : '0.00', isOdd ? '2026-03-02 11:20' : ''],
              [back, amount, isOdd ? '0.00' : amount, isOdd ? '' : '2026-03-06 08:51'],
            ],
          ),
        )
      }),
    )
  }
  s.agent(
    '37 of 37 looked at: 35 refunded today, two earlier by support, and in row 30 the first instead of the second capture, as corrected. Every customer has paid exactly once.',
  )
}
