import type { Random } from '#test/builders/random.ts'
import { gatewayExport, orderId, table } from './outputs.ts'
import { bash, type Repository, type Session } from './session.ts'
import { webhookAgentReport } from './tuesday.ts'

/** What the sub-agent did that was sent out on Tuesday to map the webhooks. */
export function webhookAgent(s: Session, repo: Repository, r: Random): void {
  s.at('2026-03-03 15:21')
  s.user(
    'Find every place that receives, acknowledges, stores or replays gateway webhooks. For each: file and line, what it writes, in which transaction, and what happens if it runs twice or out of order. Do not change anything.',
    5,
  )
  s.agent(
    'Starting from the routes and from the table name.',
    repo.grep('webhook', 'src'),
    repo.grep('webhook_events', 'src'),
  )
  s.agent('The handler is the centre.', repo.read('src/webhooks/webhook-handler.ts'))
  s.agent(
    {
      think: 'No transaction around insert and update. Note it. Now who calls handle().',
      say: 'Insert and update are two statements. Who calls it?',
    },
    bash(
      'grep -rn "\\.handle(" src | grep -v test',
      'src/http/routes.ts:146:    setImmediate(() => handler.handle(raw, signature))\nsrc/http/admin.ts:91:  await handler.apply(JSON.parse(stored.body))\nsrc/jobs/reconcile.ts:63:    await handler.apply(synthetic)',
    ),
    bash(
      'sed -n 135,152p src/http/routes.ts',
      "app.post('/webhooks/northgate', async (request, reply) => {\n  const raw = await rawBody(request)\n  const signature = request.headers['northgate-signature']\n  if (typeof signature !== 'string') return reply.code(400).send()\n  // Northgate wants an answer within 3 s.\n  reply.code(200).send()\n  setImmediate(() => handler.handle(raw, signature))\n})",
    ),
  )
  s.agent(
    'The route answers 200 **before** the work is done, and nobody awaits the promise. A failing handler is an unhandled rejection.',
    bash(
      'sed -n 80,96p src/http/admin.ts',
      "admin.post('/webhooks/replay', async (request) => {\n  const { id } = request.body as { id: string }\n  const stored = await db.one('SELECT body FROM webhook_bodies WHERE id = $1', [id])\n  await db.run('DELETE FROM webhook_events WHERE id = $1', [id])\n  await handler.apply(JSON.parse(stored.body))\n  return { replayed: id }\n})",
    ),
    bash('sed -n 50,92p src/jobs/reconcile.ts', reconcileJob),
  )
  s.agent(
    'Replay deletes the event row first and applies without looking at the signature. Reconcile makes events of its own. How often do they run?',
    bash(
      "psql $REPLICA -c \"select split_part(id, '_', 1) as source, count(*) from webhook_events where received_at > now() - interval '30 days' group by 1\"",
      table(
        ['source', 'count'],
        [
          ['evt', 1_802_233],
          ['reconcile', 412],
          ['replay', 14],
        ],
      ),
    ),
  )
  s.agent(
    'One more look for other readers of the export, and for scripts.',
    bash('ls -la scripts | grep -i -E "replay|webhook"', '-rwxr-xr-x 1 ci ci 2118 Sep 12  2024 replay-from-s3.ts'),
    bash('head -40 /data/exports/latest.csv', gatewayExport(r, Date.UTC(2026, 2, 3, 0, 10), 40)),
  )
  s.agent(webhookAgentReport)
}

/** A short ticket, in German: no summary is needed. */
export function refundTicket(s: Session): void {
  s.at('2026-03-02 10:15')
  s.user(
    'Ticket 4812 · Frau Brandstätter, Graz: „Ich habe einen von drei Artikeln zurückgeschickt und statt 33,34 € nur 33,33 € bekommen. Es ist nur ein Cent, aber Ihre Rechnung stimmt nicht.“',
  )
  s.agent(
    'Guten Tag, ich prüfe die Erstattung.',
    bash(
      'payments refund show --ticket 4812',
      'order      KS-428840\nrequested  33,34 EUR\npaid       33,33 EUR\nlines      3 (1 returned)\nstatus     succeeded 2026-03-01 18:20',
    ),
  )
  s.agent(
    'Die Kundin hat recht. Angefordert wurden 33,34 €, ausgezahlt 33,33 €. Die Aufteilung auf die Positionen hat einen Cent abgerundet. Ich kann die Differenz als Korrektur vorbereiten; die Ursache melde ich der Entwicklung.',
  )
  s.user('Ja, bitte vorbereiten. Und wie erkläre ich das der Kundin?', 300)
  s.agent(
    'Vorbereitet, bitte freigeben.',
    bash(
      'payments refund prepare --order KS-428840 --amount 0.01 --reason "Rundung"',
      'prepared r-4812-1 (0,01 EUR), waits for approval by support lead',
    ),
  )
  s.agent(
    'Vorschlag:\n\n> Sehr geehrte Frau Brandstätter, Sie haben richtig gerechnet. Unser System hat beim Aufteilen der Erstattung einen Cent abgerundet. Der fehlende Cent ist angewiesen, und wir beheben die Ursache. Vielen Dank, dass Sie so genau hingesehen haben.',
  )
  s.user('Wunderbar, genau so. Freigegeben.', 240)
  s.agent(
    'Danke. Ich habe das Ticket mit PAY-1209 verknüpft, damit Sie Bescheid bekommen, sobald der Fehler behoben ist.',
  )
  s.at('2026-03-03 14:58')
  s.agent(
    'PAY-1209 ist behoben: Erstattungen werden jetzt so aufgeteilt, dass die Summe immer stimmt. Das Ticket kann geschlossen werden.',
  )
  s.user('Geschlossen. 👍', 500)
}

const nights = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']

/** The same job every night; most of what it says is worth a line. */
export function nightlyReconciliation(s: Session, r: Random): void {
  nights.forEach((night, number) => {
    s.at(`${night} 03:30`)
    if (number === 0)
      s.system('You reconcile charges with the gateway every night at 03:30 UTC. Report differences, change nothing.')
    s.user(`Scheduled run for ${night}.`, 1)
    s.agent(
      {},
      bash(
        `northgate export --day ${night} > /data/exports/${night}.csv && wc -l /data/exports/${night}.csv`,
        `${r.int(88_000, 96_000)} /data/exports/${night}.csv`,
        { seconds: 44 },
      ),
    )
    s.agent(
      {},
      bash('scripts/reconcile.mjs --report | head -60', gatewayExport(r, Date.parse(`${night}T00:04:00Z`), 55), {
        seconds: 95,
      }),
    )
    s.agent({}, bash('scripts/reconcile.mjs --differences', differences(r, number), { seconds: 12 }))
    if (number === 1) s.agent({}, bash('scripts/reconcile.mjs --pairs --night 2026-03-01 | wc -l', '37'))
    s.agent(verdicts[number] ?? '')
  })
}

const unknownsByNight = [6, 44, 5, 4, 7, 3]

function differences(r: Random, night: number): string {
  const count = unknownsByNight[night] ?? 0
  const rows = Array.from({ length: Math.min(count, 30) }, () => [
    orderId(r),
    'unknown',
    'captured',
    `${r.int(9, 240)}.${r.int(10, 99)}`,
  ])
  return `${table(['order', 'ours', 'gateway', 'EUR'], rows)}\n${count} in doubt altogether`
}

const verdicts = [
  '6 charges in doubt, all captured at the gateway; marked for the morning. Nothing unusual.',
  '**Unusual.** 44 charges in doubt (normally 4 to 8), all between 22:41 and 23:55, and 37 orders have **two** captures with different keys. That is not a reconciliation matter: it looks as if we had sent them twice. Paged the on-call engineer at 03:34.',
  '5 charges in doubt, all captured. No order with two captures since retries went back to 1.',
  '4 in doubt, all captured. One thing to look at: three captures in JPY are a hundred times their order’s amount (KS-432960, KS-432977 and KS-433018).',
  '7 in doubt, all captured. No doubles. JPY is paused.',
  '3 in doubt, all captured on the next round. No doubles with retries at 4. First quiet night with the new keys.',
]

/** A conversation in Japanese about the yen. */
export function yenQuestion(s: Session): void {
  s.at('2026-03-06 01:05')
  s.user('青井です。JPY の受付を再開しても大丈夫でしょうか？PAY-1211 は本番に入ったと聞きました。')
  s.agent(
    '確認します。まず本番のバージョンと、再開前にテスト決済ができるかを見ます。',
    bash(
      'payments version --env production',
      'PAY-1203-stable-keys (includes PAY-1209, PAY-1211), since 2026-03-05 16:04',
    ),
    bash(
      'payments sandbox charge --currency JPY --amount 1500',
      'captured cap_sbx_90aa  amount=1500 JPY  shown to customer: ¥1,500',
    ),
  )
  s.agent(
    'テスト決済では 1,500 円が正しく 1,500 円として処理されました。修正は本番に反映済みですので、再開して問題ありません。`features.acceptJpy: true` への変更を準備しました。承認をお願いします。',
  )
  s.user('承認しました。最初の数件を一緒に見てもらえますか？', 420)
  s.agent(
    'もちろんです。再開後の最初の5件です。',
    bash(
      'psql $REPLICA -c "select order_id, amount, captured_minor, currency from charges_view where currency = \'JPY\' order by created_at desc limit 5"',
      table(
        ['order_id', 'amount', 'captured_minor', 'currency'],
        [
          ['KS-437733', '3980', 3980, 'JPY'],
          ['KS-437729', '12500', 12500, 'JPY'],
          ['KS-437721', '1500', 1500, 'JPY'],
          ['KS-437718', '24800', 24800, 'JPY'],
          ['KS-437702', '980', 980, 'JPY'],
        ],
      ),
    ),
  )
  s.agent('5件とも注文金額と請求金額が一致しています。以前影響のあった3件も、全額返金と再請求が完了しています。')
  s.user('安心しました。ありがとうございます🙏', 100)
}

const reconcileJob = `for (const charge of await db.all("SELECT * FROM charges WHERE status = 'unknown'")) {
  const capture = captures.get(charge.order_id)
  if (!capture) continue
  const synthetic = { type: 'capture.succeeded', id: \`reconcile_\${capture.id}\`, captureId: capture.id }
  await handler.apply({ ...synthetic, reference: charge.order_id })
}`
