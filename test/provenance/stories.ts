import type { Random } from '../builders/random.ts'

/** A thing that was said, with other ways to say it and ways to say it wrongly. */
export type Fact = {
  /** The text in a message. */
  readonly said: string
  readonly role: 'user' | 'assistant' | 'tool'
  /** How a summary may put it: reordered, shortened, in other forms of the words. */
  readonly claims: readonly string[]
  /** Claims with one thing changed, and what it was changed into. */
  readonly changed: readonly { readonly claim: string; readonly into: string; readonly kind: string }[]
  /** Claims that deny what was said, or say its contrary. */
  readonly denied: readonly string[]
  /** Plausible claims about the same things that no message makes. */
  readonly plausible?: readonly string[]
  /** True claims in words that are largely others. */
  readonly loose?: readonly string[]
}

/** Makes a fact of a kind; every call draws other names and numbers. */
export type Plot = (draw: Draw) => Fact

/** Names and numbers, none twice, so that a changed one stands nowhere else. */
export class Draw {
  readonly #random: Random
  readonly #used = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  #fresh(make: () => string): string {
    for (;;) {
      const text = make()
      if (this.#used.has(text)) continue
      this.#used.add(text)
      return text
    }
  }

  number(from = 103, to = 9_800): string {
    return this.#fresh(() => String(this.#random.int(from, to)))
  }
  identifier(): string {
    return this.#fresh(() => `${this.#random.pick(VERBS)}${this.#random.pick(THINGS)}${this.#random.pick(THINGS)}`)
  }
  path(): string {
    return this.#fresh(
      () =>
        `${this.#random.pick(['src', 'lib', 'packages/core', 'apps/web'])}/${this.#random.pick(ROOMS)}/${this.#random.pick(VERBS)}-${this.#random.pick(THINGS).toLowerCase()}.${this.#random.pick(['ts', 'py', 'rs', 'go'])}`,
    )
  }
  hash(): string {
    return this.#fresh(() => {
      const text = Array.from({ length: 8 }, () => this.#random.int(0, 16).toString(16)).join('')
      return /[a-f]/.test(text) && /\d/.test(text) ? text : `${text.slice(0, 6)}a7`
    })
  }
  version(): string {
    return this.#fresh(() => `${this.#random.int(1, 40)}.${this.#random.int(0, 60)}.${this.#random.int(0, 90)}`)
  }
  person(): string {
    return this.#fresh(() => `${this.#random.pick(FIRST)}${this.#random.pick(LAST)}`)
  }
  code(): string {
    return this.#fresh(() => `E${this.#random.pick(['DB', 'NET', 'AUTH', 'DISK'])}${this.#random.int(1000, 9999)}`)
  }
  room(): string {
    return this.#random.pick(ROOMS)
  }
  host(): string {
    return this.#fresh(
      () => `${this.#random.pick(ROOMS)}-${this.#random.int(1, 99)}.${this.#random.pick(['internal', 'example'])}`,
    )
  }
}

const VERBS =
  'load merge parse flush resolve encode acquire publish hydrate rotate replay sweep drain verify revoke'.split(' ')
const THINGS =
  'Payment Cursor Batch Token Snapshot Refund Quota Policy Digest Lease Shard Receipt Voucher Bucket'.split(' ')
const ROOMS = 'billing ledger session webhook router cache export search ingest mailer audit tenant gateway'.split(' ')
const FIRST = 'Jon Mar Pri Ale Sve Ama Tob Nad Hir Oli'.split(' ')
const LAST = 'as iana ya ksei tlana ra ias ine oko ver'.split(' ')

/** The method was tuned on these. */
export const KNOWN_PLOTS: readonly Plot[] = [
  (draw) => {
    const [path, name, ms, other, elsewhere] = [
      draw.path(),
      draw.identifier(),
      draw.number(),
      draw.number(),
      draw.path(),
    ]
    return {
      role: 'assistant',
      said: `I looked into it. The timeout in ${path} comes from ${name}, which waits ${ms} ms before it gives up. Nothing else is slow there.`,
      claims: [
        `${name} waits ${ms} ms before giving up, which causes the timeout in ${path}.`,
        `The timeout in ${path} comes from ${name}.`,
        `Timeout in ${path}: ${name} gives up after waiting ${ms} ms.`,
      ],
      changed: [
        {
          kind: 'number',
          into: other,
          claim: `${name} waits ${other} ms before giving up, which causes the timeout in ${path}.`,
        },
        {
          kind: 'path',
          into: elsewhere,
          claim: `The timeout in ${elsewhere} comes from ${name}, which waits ${ms} ms.`,
        },
      ],
      denied: [`The timeout in ${path} does not come from ${name}.`],
    }
  },
  (draw) => {
    const [who, kept, other, room, wrong] = [draw.person(), draw.version(), draw.version(), draw.room(), draw.person()]
    return {
      role: 'user',
      said: `${who} decided that we keep sqlite ${kept} for now, because the newer one breaks the ${room} build on arm64.`,
      claims: [
        `${who} decided to keep sqlite ${kept} since the newer one breaks the ${room} build on arm64.`,
        `Keep sqlite ${kept}: newer breaks the ${room} build on arm64.`,
      ],
      changed: [
        {
          kind: 'version',
          into: other,
          claim: `${who} decided to keep sqlite ${other} since the newer one breaks the ${room} build.`,
        },
        {
          kind: 'name',
          into: wrong,
          claim: `It was decided by ${wrong} to keep sqlite ${kept} since the newer one breaks the ${room} build on arm64.`,
        },
      ],
      denied: [`${who} decided that we do not keep sqlite ${kept} for now.`],
    }
  },
  (draw) => {
    const [passed, failed, path, more] = [draw.number(), draw.number(21, 99), draw.path(), draw.number(21, 99)]
    return {
      role: 'tool',
      said: `Test suite finished in 41 s\n${passed} tests passed, ${failed} tests failed\nall failures are in ${path}`,
      claims: [
        `In the suite ${passed} tests passed and ${failed} failed, with all failures in ${path}.`,
        `${failed} tests failed, all in ${path}.`,
      ],
      changed: [
        {
          kind: 'number',
          into: more,
          claim: `In the suite ${passed} tests passed and ${more} failed, with all failures in ${path}.`,
        },
      ],
      denied: [],
    }
  },
  (draw) => {
    const [code, host, retries, wrong, away] = [draw.code(), draw.host(), draw.number(), draw.code(), draw.host()]
    return {
      role: 'tool',
      said: `[error] ${code}: connection to ${host} was reset after ${retries} retries, the queue is paused`,
      claims: [
        `The connection to ${host} was reset with ${code} after ${retries} retries and the queue paused.`,
        `${code} paused the queue: connection to ${host} reset.`,
      ],
      changed: [
        {
          kind: 'code',
          into: wrong,
          claim: `The connection to ${host} was reset with ${wrong} after ${retries} retries.`,
        },
        {
          kind: 'identifier',
          into: away,
          claim: `The connection to ${away} was reset with ${code} after ${retries} retries.`,
        },
      ],
      denied: [`The connection to ${host} was not reset after ${retries} retries.`],
    }
  },
  (draw) => {
    const [hash, name, room, wrong] = [draw.hash(), draw.identifier(), draw.room(), draw.hash()]
    return {
      role: 'assistant',
      said: `Committed as ${hash}: "${name} clamps the ${room} window instead of overflowing". Pushed to the release branch.`,
      claims: [
        `Commit ${hash} makes ${name} clamp the ${room} window instead of overflowing; it was pushed to the release branch.`,
        `Pushed ${hash} to the release branch.`,
      ],
      changed: [
        {
          kind: 'hash',
          into: wrong,
          claim: `Commit ${wrong} makes ${name} clamp the ${room} window instead of overflowing.`,
        },
      ],
      denied: [],
    }
  },
  (draw) => {
    const [name, room, percent, more] = [draw.identifier(), draw.room(), draw.number(11, 60), draw.number(61, 99)]
    return {
      role: 'assistant',
      said: `Measured again: ${name} is enabled in the ${room} service and saves ${percent} % of the memory. I would leave it on.`,
      claims: [
        `${name}, enabled in the ${room} service, saves ${percent}% of memory.`,
        `Measurements show that ${name} saves ${percent} % of memory in the ${room} service.`,
      ],
      changed: [
        { kind: 'number', into: more, claim: `${name}, enabled in the ${room} service, saves ${more}% of memory.` },
      ],
      denied: [
        `${name} is disabled in the ${room} service.`,
        `${name} is not enabled in the ${room} service and saves no memory.`,
      ],
    }
  },
  (draw) => {
    const [path, count, wrong] = [draw.path(), draw.number(), draw.number()]
    return {
      role: 'user',
      said: `日志显示 ${path} 在启动时重复写入了 ${count} 条记录,请先修复数据库连接池再部署。`,
      claims: [`${path} 启动时重复写入 ${count} 条记录,需要先修复数据库连接池。`],
      changed: [
        { kind: 'number', into: wrong, claim: `${path} 启动时重复写入 ${wrong} 条记录,需要先修复数据库连接池。` },
      ],
      denied: [],
    }
  },
]

/** Written before the first measurement and not looked at until the method was right on the others. */
export const MORE_PLOTS: readonly Plot[] = [
  (draw) => {
    const [from, to, path, wrong] = [draw.identifier(), draw.identifier(), draw.path(), draw.identifier()]
    return {
      role: 'user',
      said: `Could you rename ${from} to ${to} everywhere, starting with ${path}? Leave the public exports as they are.`,
      claims: [
        `The user asked to rename ${from} to ${to} everywhere but to leave public exports alone.`,
        `Renaming ${from} to ${to} starts with ${path}.`,
      ],
      changed: [{ kind: 'identifier', into: wrong, claim: `The user asked to rename ${from} to ${wrong} everywhere.` }],
      denied: [],
    }
  },
  (draw) => {
    const [room, gigabytes, days, more] = [draw.room(), draw.number(), draw.number(12, 90), draw.number(12, 90)]
    return {
      role: 'assistant',
      said: `The disk of the ${room} host holds ${gigabytes} GB of old snapshots. The cleanup job has not run for ${days} days, since its cron entry was lost in the move.`,
      claims: [
        `Cleanup has not run for ${days} days because its cron entry was lost in the move, so ${gigabytes} GB of old snapshots fill the ${room} host's disk.`,
        `- ${room} host: ${gigabytes} GB of old snapshots on disk`,
      ],
      changed: [
        {
          kind: 'number',
          into: more,
          claim: `The cleanup job has not run for ${more} days, since its cron entry was lost in the move.`,
        },
      ],
      denied: [`The cleanup job of the ${room} host has run for ${days} days.`],
    }
  },
  (draw) => {
    const [who, hour, room, other] = [draw.person(), draw.number(1, 9), draw.room(), draw.person()]
    return {
      role: 'user',
      said: `I spoke with ${who} from finance. The ${room} export must be finished before 0${hour}:00, otherwise the bank rejects the whole file.`,
      claims: [
        `According to ${who} from finance, the bank rejects the whole file unless the ${room} export finishes before 0${hour}:00.`,
        `The ${room} export must finish before 0${hour}:00.`,
      ],
      changed: [
        {
          kind: 'name',
          into: other,
          claim: `According to ${other} from finance, the bank rejects the whole file unless the ${room} export is finished in time.`,
        },
      ],
      denied: [`The bank accepts the whole file when the ${room} export is finished after 0${hour}:00.`],
    }
  },
  (draw) => {
    const [name, path, version, wrong] = [draw.identifier(), draw.path(), draw.version(), draw.path()]
    return {
      role: 'tool',
      said: `${path}:212: deprecated: ${name} will be removed in ${version}; use the streaming variant`,
      claims: [
        `${name} in ${path} is deprecated and will be removed in ${version}; the streaming variant should be used.`,
      ],
      changed: [
        { kind: 'path', into: wrong, claim: `${name} in ${wrong} is deprecated and will be removed in ${version}.` },
      ],
      denied: [`${name} in ${path} is not deprecated.`],
    }
  },
  (draw) => {
    const [path, tage, falsch] = [draw.path(), draw.number(), draw.number()]
    return {
      role: 'assistant',
      said: `Die Prüfung in ${path} schlägt fehl, weil das Zertifikat seit ${tage} Stunden abgelaufen ist und niemand es erneuert hat.`,
      claims: [`Weil das Zertifikat seit ${tage} Stunden abgelaufen ist, schlägt die Prüfung in ${path} fehl.`],
      changed: [
        {
          kind: 'number',
          into: falsch,
          claim: `Weil das Zertifikat seit ${falsch} Stunden abgelaufen ist, schlägt die Prüfung in ${path} fehl.`,
        },
      ],
      denied: [],
    }
  },
]

/** Harder: what real summaries do to a text. Two rules came from what was wrong here. */
export const HARD_PLOTS: readonly Plot[] = [
  (draw) => {
    const [name, path, before, after, wrong] = [
      draw.identifier(),
      draw.path(),
      draw.number(),
      draw.number(),
      draw.path(),
    ]
    return {
      role: 'assistant',
      said: `Profiling says that ${name} allocates a new buffer on every call. I changed ${path} so that the buffer is reused; the benchmark went from ${before} to ${after} ns per call.`,
      claims: [
        `${name} allocated a new buffer on every call; reusing the buffer in ${path} took the benchmark from ${before} to ${after} ns per call.`,
        `${path} was changed to reuse the buffer.`,
      ],
      loose: [`Allocation in ${name} was optimised (${before} → ${after} ns).`],
      changed: [
        {
          kind: 'path',
          into: wrong,
          claim: `Reusing the buffer in ${wrong} took the benchmark from ${before} to ${after} ns per call.`,
        },
      ],
      denied: [`The buffer of ${name} is never reused, so every call allocates.`],
      plausible: [
        `${name} leaks file handles when the buffer is larger than a page.`,
        `The change in ${path} was reverted after review.`,
      ],
    }
  },
  (draw) => {
    const [who, room, count, code, more] = [draw.person(), draw.room(), draw.number(), draw.code(), draw.number()]
    return {
      role: 'user',
      said: `${who} here. Since the deploy we see ${count} orders without an invoice in ${room}, and each of them has ${code} in the log. Customers are calling, please hurry.`,
      claims: [
        `${who} reports ${count} orders without an invoice in ${room} since the deploy, each with ${code} in the log.`,
        `Since the deploy ${count} orders lack an invoice (${code}).`,
      ],
      loose: [`Missing invoices: ${count} affected, ${code} logged every time.`],
      changed: [
        {
          kind: 'number',
          into: more,
          claim: `${who} reports ${more} orders without an invoice in ${room} since the deploy.`,
        },
      ],
      denied: [`The orders in ${room} all have an invoice since the deploy.`],
      plausible: [`${who} asked for a refund of all ${count} orders.`],
    }
  },
  (draw) => {
    const [flag, service, version, other] = [draw.identifier(), draw.host(), draw.version(), draw.version()]
    return {
      role: 'assistant',
      said: `Plan: (1) set ${flag} to false on ${service}, (2) roll back to ${version}, (3) replay the dead letters. Step 3 must wait until the backlog is empty.`,
      claims: [
        `Plan: turn ${flag} off on ${service}, roll back to ${version}, then replay dead letters once the backlog is empty.`,
        `Replaying the dead letters must wait until the backlog is empty.`,
      ],
      changed: [
        { kind: 'version', into: other, claim: `The plan is to roll back to ${other} and to replay the dead letters.` },
      ],
      denied: [`Replaying the dead letters need not wait until the backlog is empty.`],
      plausible: [`${service} was rebooted to free its memory.`],
    }
  },
  (draw) => {
    const [table, rows, minutes, wrong] = [draw.identifier(), draw.number(), draw.number(11, 90), draw.number()]
    return {
      role: 'tool',
      said: `{"table":"${table}","deleted":${rows},"elapsedMinutes":${minutes},"vacuum":"skipped","locked":false}`,
      claims: [`${rows} rows deleted from ${table} in ${minutes} minutes; vacuum was skipped.`],
      changed: [
        {
          kind: 'number',
          into: wrong,
          claim: `${wrong} rows deleted from ${table} in ${minutes} minutes; vacuum was skipped.`,
        },
      ],
      denied: [],
      plausible: [`${table} was backed up to object storage beforehand.`],
    }
  },
  (draw) => {
    const [path, fn, limit, wrong] = [draw.path(), draw.identifier(), draw.number(), draw.identifier()]
    return {
      role: 'assistant',
      said: `We should not retry inside ${fn}: its caller in ${path} already retries, and a limit of ${limit} requests per minute would be reached at once.`,
      claims: [
        `Do not retry inside ${fn}, since its caller in ${path} already retries and would reach the limit of ${limit} requests per minute.`,
        `No retries in ${fn}: the caller already retries.`,
      ],
      loose: [`${fn} is left without retry logic because of the rate limit (${limit}/min).`],
      changed: [
        {
          kind: 'identifier',
          into: wrong,
          claim: `Do not retry inside ${wrong}, since its caller in ${path} already retries.`,
        },
      ],
      denied: [`We should retry inside ${fn}.`],
      plausible: [`${fn} logs every request with its headers.`],
    }
  },
  (draw) => {
    const [path, seconds, wrong] = [draw.path(), draw.number(), draw.number()]
    return {
      role: 'user',
      said: `После обновления ${path} запрос выполняется ${seconds} секунд, раньше было быстрее. Индекс никто не удалял.`,
      claims: [`Запрос в ${path} после обновления выполняется ${seconds} секунд.`],
      changed: [
        { kind: 'number', into: wrong, claim: `Запрос в ${path} после обновления выполняется ${wrong} секунд.` },
      ],
      denied: [],
      plausible: [`Пользователь просит переписать ${path} на другом языке.`],
    }
  },
]

/** Written when the method was finished. What it was before and after they were looked at stands in docs/provenance.md. */
export const HELD_BACK_PLOTS: readonly Plot[] = [
  (draw) => {
    const [who, path, days, fewer] = [draw.person(), draw.path(), draw.number(12, 99), draw.number(12, 99)]
    return {
      role: 'user',
      said: `Hi, ${who} speaking. The nightly report job has been stuck for ${days} days now. I think the culprit is ${path}, somebody changed the date format there. Can you look at it before noon?`,
      claims: [
        `${who} says the nightly report job has been stuck for ${days} days and suspects a changed date format in ${path}.`,
        `The nightly report job is stuck; the date format in ${path} was changed.`,
      ],
      loose: [`Reporting has hung for ${days} days, probably since dates are formatted differently in ${path}.`],
      changed: [
        { kind: 'number', into: fewer, claim: `${who} says the nightly report job has been stuck for ${fewer} days.` },
      ],
      denied: [`Nobody changed the date format in ${path}.`],
      plausible: [`${who} wants the nightly report job to be rewritten in Rust.`, `${path} was deleted by mistake.`],
    }
  },
  (draw) => {
    const [name, hits, misses, wrong] = [draw.identifier(), draw.number(), draw.number(), draw.number()]
    return {
      role: 'tool',
      said: `cache stats\n  name: ${name}\n  hits: ${hits}\n  misses: ${misses}\n  evictions: 0`,
      claims: [`The ${name} cache had ${hits} hits, ${misses} misses and no evictions.`],
      changed: [{ kind: 'number', into: wrong, claim: `The ${name} cache had ${wrong} hits and ${misses} misses.` }],
      denied: [],
      plausible: [`The ${name} cache was flushed after ${misses} misses.`],
    }
  },
  (draw) => {
    const [table, column, commit, wrong] = [draw.identifier(), draw.identifier(), draw.hash(), draw.hash()]
    return {
      role: 'assistant',
      said: `Found it with bisect: ${commit} dropped the default of ${column} in ${table}, so inserts without it fail. The fix is a migration that puts the default back; I will not touch old rows.`,
      claims: [
        `Bisecting showed that ${commit} dropped the default of ${column} in ${table}, which makes inserts without it fail.`,
        `A migration will put the default of ${column} back; old rows are not touched.`,
      ],
      changed: [
        {
          kind: 'hash',
          into: wrong,
          claim: `Bisecting showed that ${wrong} dropped the default of ${column} in ${table}.`,
        },
      ],
      denied: [`${commit} did not drop the default of ${column} in ${table}.`],
      plausible: [`All old rows of ${table} were rewritten by the migration.`],
    }
  },
  (draw) => {
    const [host, port, other, name] = [draw.host(), draw.number(1025, 9000), draw.number(1025, 9000), draw.identifier()]
    return {
      role: 'assistant',
      said: `The tunnel to ${host} is up on port ${port}. From here ${name} can reach the replica, but writes are still rejected because it is in recovery mode.`,
      claims: [
        `The tunnel to ${host} is up on port ${port}; ${name} can reach the replica, whose writes are rejected since it is in recovery mode.`,
      ],
      loose: [`${host} is reachable again (port ${port}), though only for reading.`],
      changed: [{ kind: 'number', into: other, claim: `The tunnel to ${host} is up on port ${other}.` }],
      denied: [`Writes are no longer rejected by the replica that ${name} reaches.`],
      plausible: [`${name} was given a new password for ${host}.`],
    }
  },
  (draw) => {
    const [path, count, wrong] = [draw.path(), draw.number(), draw.number()]
    return {
      role: 'user',
      said: `${path} の変更後、テストが ${count} 件失敗しています。原因は時刻の丸め処理だと思います。`,
      claims: [`${path} の変更後に ${count} 件のテストが失敗し、原因は時刻の丸め処理と思われる。`],
      changed: [{ kind: 'number', into: wrong, claim: `${path} の変更後に ${wrong} 件のテストが失敗した。` }],
      denied: [],
      plausible: [`${path} は別のチームに引き渡された。`],
    }
  },
]

/** Sentences that no message contains. Their exact details occur nowhere. */
export const INVENTIONS: readonly string[] = [
  'The marketing site was moved to a static generator and its newsletter signup rewritten.',
  'Kafka replaced RabbitMQ as message broker after a benchmark on three continents.',
  'Legal approved the new retention policy for European customers on Thursday.',
  'Everybody agreed to postpone the Android app until the designers deliver new icons.',
  'The GPU cluster overheated twice, so training moved to spot instances in Oregon.',
  'A pull request from an outside contributor added Welsh translations.',
  'The intern broke the coffee machine and wrote a postmortem about it.',
  'Unit economics improved because shipping insurance was renegotiated with the carrier.',
  '团队决定把移动端应用迁移到新的设计系统。',
  'Der Vertrag mit dem Rechenzentrum wurde bis zum Sommer verlängert.',
]
