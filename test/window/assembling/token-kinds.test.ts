import { describe, expect, it } from 'vitest'
import { createTokenEstimator } from '#core/models/token-estimator.ts'

/** Short texts as agents see them, by kind: what the heuristic is held to against an exact count. */
const TEXTS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  'user text': [
    'The refund job logged "amount mismatch" twice last night. Which refunds were they, and is it the rounding again?',
    "please don't touch the migration yet, I only want to know why CI is red on main",
    'Can you make the retry configurable? Default 3, max 10, and mention it in the README.',
  ],
  'assistant text': [
    'I found the cause: each share is rounded down by itself, so the shares of a split refund add up to one cent less than the whole. The last share should take what is left over.\n\n1. `src/refunds/split.ts` computes the shares.\n2. `src/refunds/job.ts` compares them with the captured amount.\n\nShall I fix it in the first place?',
    '## Summary\n\n- **Tests**: 214 passed, 2 skipped\n- **Lint**: clean\n\nThe remaining warning comes from `node_modules` and is not ours.',
  ],
  reasoning: [
    'The user wants the smallest change. The lock is taken before the batch is flushed, so both workers see the old cursor; moving it would change the order of events. I should check who else reads the cursor first.',
  ],
  'tool input': [
    '{"command":"cd /srv/kestrel/payments && npx vitest run src/refunds/split.test.ts 2>&1 | tail -40","description":"Run the split tests"}',
    '{"file_path":"/srv/kestrel/payments/src/refunds/split.ts","old_string":"    const share = Math.floor(amountMinor * ratio)\\n    rest -= share","new_string":"    const isLast = index === ratios.length - 1\\n    const share = isLast ? rest : Math.floor(amountMinor * ratio)\\n    rest -= share"}',
    '{"pattern":"claimed_until|releaseJob\\\\(","path":"src","output_mode":"content","-n":true}',
  ],
  'tool output': [
    'total 88\ndrwxr-xr-x  10 marco  staff    320 Jun 17 10:22 .\ndrwxr-xr-x   7 marco  staff    224 Jun 17 10:22 ..\n-rw-r--r--   1 marco  staff  22712 Jun 17 10:21 CHANGELOG.md\n-rw-r--r--   1 marco  staff   1064 Feb 10 23:12 LICENSE\n',
    'src/refunds/split.ts:41:    const share = Math.floor(amountMinor * ratio)\nsrc/refunds/job.ts-107-\t\treturn nil, 0, err\nsrc/money/amounts.ts:12:export const toMinorUnits = (amount: string): bigint => parse(amount)\n',
    '4411:2026-03-08T23:12:07.114Z WARN refund rf_20981 amount mismatch: requested 1999, captured 1998 (EUR)\n4530:2026-03-08T23:40:55.020Z WARN refund rf_20994 amount mismatch: requested 5000, captured 4999 (EUR)\n',
    'ok  \tgithub.com/kestrel/payments/cmd/worker\t(cached)\nok  \tgithub.com/kestrel/payments/internal/ledger\t0.412s\n?   \tgithub.com/kestrel/payments/internal/testutil\t[no test files]\n--- FAIL: TestSplit/yen (0.00s)\n    split_test.go:88: got 333, want 334\n',
  ],
  'JSON output': [
    '{\n  "id": "019e6e98-7bee-7f43-8ca8-c87683451ff8",\n  "review_id": "019f8ffd-81b6-7891-bcd1-19c6b1f00a2e",\n  "title": null,\n  "labels": ["bug", "refunds"],\n  "counts": { "added": 12, "removed": 3 }\n}\n',
    '{"dependencies":{"bun-types":"latest","@tanstack/react-query":"^5.108.0","zod":"~4.6.7"},"engines":{"node":">=24"}}',
  ],
  code: [
    'export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {\n  for (let attempt = 1; ; attempt += 1) {\n    try {\n      return await action()\n    } catch (error) {\n      if (attempt >= options.maxAttempts || !isRetryable(error)) throw error\n      await sleep(options.baseDelayMs * 2 ** attempt)\n    }\n  }\n}\n',
    'def release(job_id: int, *, now: datetime) -> None:\n    """Gives a job back."""\n    with connection.cursor() as cursor:\n        cursor.execute("UPDATE jobs SET claimed_until = NULL WHERE id = %s", (job_id,))\n',
    ':root {\n  --surface-1: #13161f;\n  --surface-2: #1a1e2a;\n  padding: 0.5em 1.25rem;\n}\n.logo:hover { filter: drop-shadow(0 0 2em #646cffaa); }\n',
  ],
  'diffs and hashes': [
    'diff --git a/src/refunds/split.ts b/src/refunds/split.ts\nindex 23be222..51b0aab 100644\n--- a/src/refunds/split.ts\n+++ b/src/refunds/split.ts\n@@ -38,7 +38,8 @@ export function split(\n-    const share = Math.floor(amountMinor * ratio)\n+    const share = isLast ? rest : Math.floor(amountMinor * ratio)\n',
    './.git/objects/2d/51b0aab3c96c9942f5611b6d620d07e116d0ba\n./.git/objects/2d/a04b3618305d2d2cd01088ad707fdabbe8b19b\n',
  ],
  'Chinese, Japanese, Korean': [
    '重试被移除了，因为网关扣了两次款。我们用一个带幂等键的队列替换了它。',
    '再試行は、ゲートウェイが二重に請求したため削除されました。',
    '게이트웨이가 두 번 청구했기 때문에 재시도가 제거되었습니다.',
  ],
  'other languages': [
    'Der Wiederholungsversuch wurde entfernt, weil das Gateway zweimal abgebucht hat. Wir haben ihn durch eine Warteschlange ersetzt und prüfen jeden Datensatz, bevor er verschickt wird.',
    'La nouvelle tentative a été supprimée parce que la passerelle débitait deux fois. Nous l’avons remplacée par une file d’attente.',
    'Повторная попытка была удалена, потому что шлюз списывал деньги дважды. Мы заменили её очередью с ключом идемпотентности.',
    'तमाम प्रयास हटा दिए गए क्योंकि गेटवे ने दो बार शुल्क लिया।',
  ],
}

describe('the heuristic against o200k_base', () => {
  const heuristic = createTokenEstimator('heuristic')
  const exact = createTokenEstimator('o200k_base')

  it.each(Object.entries(TEXTS_BY_KIND))('is at most a twentieth too low on average for %s', (kind, texts) => {
    const shares = texts.map((text) => heuristic.count(text) / exact.count(text) - 1)
    const average = shares.reduce((sum, share) => sum + share, 0) / shares.length
    expect(average, `${kind}: ${shares.map((share) => share.toFixed(2)).join(', ')}`).toBeGreaterThan(-0.05)
    // These are counted as older vocabularies take them, which is more.
    if (kind !== 'Chinese, Japanese, Korean') expect(average, kind).toBeLessThan(0.25)
  })
})
