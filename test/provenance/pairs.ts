/** What was said, a claim that says the same, and claims that differ from it in one thing that turns the meaning. */
export type Pair = {
  readonly family: 'negation' | 'order' | 'actor' | 'opposite' | 'unit'
  readonly role?: 'user' | 'assistant' | 'tool'
  readonly said: string
  readonly claims: readonly string[]
  readonly wrong: readonly string[]
}

/** The rules were made on these. */
export const TUNED_PAIRS: readonly Pair[] = [
  {
    family: 'negation',
    role: 'user',
    said: 'Do not use bcrypt for the session tokens, it is too slow on the edge nodes.',
    claims: [
      'Do not use bcrypt for session tokens.',
      'bcrypt must not be used for the session tokens: too slow on the edge nodes.',
    ],
    wrong: ['Use bcrypt for session tokens.', 'The session tokens use bcrypt on the edge nodes.'],
  },
  {
    family: 'negation',
    role: 'user',
    said: 'Use pnpm for the monorepo and keep the lockfile in git.',
    claims: ['Use pnpm for the monorepo.', 'pnpm is used for the monorepo, with the lockfile in git.'],
    wrong: ['Do not use pnpm for the monorepo.', 'Never keep the lockfile in git.', 'Avoid pnpm for the monorepo.'],
  },
  {
    family: 'negation',
    said: 'The importer cannot resume after a crash, so the whole batch has to be sent again.',
    claims: ['The importer cannot resume after a crash; the whole batch is sent again.'],
    wrong: [
      'The importer can resume after a crash.',
      'The importer resumes after a crash without sending the whole batch again.',
    ],
  },
  {
    family: 'negation',
    said: 'The cache is warm before traffic arrives, and no request waits for the database.',
    claims: ['The cache is warm before traffic arrives; no request waits for the database.'],
    wrong: ['Requests wait for the database.', 'The cache is not warm before traffic arrives.'],
  },
  {
    family: 'negation',
    said: 'Nobody reviewed the migration script for the tenants table.',
    claims: ['The migration script for the tenants table was not reviewed by anybody.'],
    wrong: ['The migration script for the tenants table was reviewed.'],
  },
  {
    family: 'order',
    role: 'user',
    said: 'Take SQLite instead of Postgres for the prototype.',
    claims: ['SQLite instead of Postgres for the prototype.', 'The prototype takes SQLite instead of Postgres.'],
    wrong: [
      'Postgres instead of SQLite for the prototype.',
      'The prototype takes Postgres instead of SQLite.',
      'The prototype uses Postgres rather than SQLite.',
    ],
  },
  {
    family: 'order',
    said: 'I renamed loadUser to fetchAccount in the billing module.',
    claims: ['loadUser was renamed to fetchAccount in the billing module.'],
    wrong: ['fetchAccount was renamed to loadUser in the billing module.'],
  },
  {
    family: 'order',
    said: 'The worker moved from eu-west to us-east last night.',
    claims: ['The worker was moved from eu-west to us-east.'],
    wrong: ['The worker was moved from us-east to eu-west.'],
  },
  {
    family: 'order',
    said: 'Redis was replaced by Valkey in the staging cluster.',
    claims: ['Redis was replaced by Valkey in staging.', 'Valkey replaced Redis in the staging cluster.'],
    wrong: ['Valkey was replaced by Redis in staging.', 'Redis replaced Valkey in the staging cluster.'],
  },
  {
    family: 'order',
    said: 'The limit went from 20 to 80 connections, and nothing broke.',
    claims: ['The limit went from 20 to 80 connections.'],
    wrong: ['The limit went from 80 to 20 connections.'],
  },
  {
    family: 'order',
    said: 'Run the linter before the formatter in the commit hook.',
    claims: ['The linter runs before the formatter in the commit hook.'],
    wrong: [
      'The formatter runs before the linter in the commit hook.',
      'The linter runs after the formatter in the commit hook.',
    ],
  },
  {
    family: 'actor',
    role: 'user',
    said: 'I decided to drop support for Node 18 in the next release.',
    claims: [
      'The user decided to drop support for Node 18 in the next release.',
      'Support for Node 18 is dropped in the next release.',
    ],
    wrong: ['The assistant decided to drop support for Node 18 in the next release.'],
  },
  {
    family: 'actor',
    role: 'assistant',
    said: 'I rewrote the retry loop of the mailer and added jitter.',
    claims: [
      'The assistant rewrote the retry loop of the mailer and added jitter.',
      'The retry loop of the mailer was rewritten with jitter added.',
    ],
    wrong: ['The user rewrote the retry loop of the mailer and added jitter.'],
  },
  {
    family: 'actor',
    role: 'user',
    said: 'Please archive the old dashboards, I want a clean list.',
    claims: ['The user asked to archive the old dashboards and wants a clean list.'],
    wrong: [
      'The assistant asked to archive the old dashboards and wants a clean list.',
      'The agent wants a clean list of the old dashboards.',
    ],
  },
  {
    family: 'opposite',
    said: 'I added the feature flag to the checkout page.',
    claims: ['The feature flag was added to the checkout page.'],
    wrong: [
      'The feature flag was removed from the checkout page.',
      'The feature flag was deleted from the checkout page.',
    ],
  },
  {
    family: 'opposite',
    role: 'tool',
    said: 'integration suite: all 41 checks passed on the release branch',
    claims: ['All 41 checks of the integration suite passed on the release branch.'],
    wrong: [
      'All 41 checks of the integration suite failed on the release branch.',
      '41 checks of the integration suite broke on the release branch.',
    ],
  },
  {
    family: 'opposite',
    said: 'Telemetry is disabled by default in the installer.',
    claims: ['Telemetry is disabled by default in the installer.', 'The installer turns telemetry off by default.'],
    wrong: ['Telemetry is enabled by default in the installer.', 'The installer turns telemetry on by default.'],
  },
  {
    family: 'opposite',
    said: 'Memory use increased after the upgrade of the image library.',
    claims: [
      'Memory use increased after the image library was upgraded.',
      'Memory use grew after the upgrade of the image library.',
    ],
    wrong: [
      'Memory use decreased after the image library was upgraded.',
      'Memory use dropped after the upgrade of the image library.',
    ],
  },
  {
    family: 'opposite',
    role: 'user',
    said: 'Merge the hotfix branch into main today.',
    claims: ['The user asked to merge the hotfix branch into main today.'],
    wrong: ['The user asked to revert the hotfix branch from main today.'],
  },
  {
    family: 'unit',
    said: 'The nightly job needs 45min on the small instance.',
    claims: [
      'The nightly job needs 45 minutes on the small instance.',
      'The nightly job takes 45min on the small instance.',
    ],
    wrong: [
      'The nightly job needs 54min on the small instance.',
      'The nightly job needs 45 hours on the small instance.',
      'The nightly job needs 45s on the small instance.',
    ],
  },
  {
    family: 'unit',
    said: 'The upload timed out after 30 seconds, with 5 GB sent.',
    claims: ['The upload timed out after 30s with 5GB sent.', 'The upload timed out after 30 seconds.'],
    wrong: [
      'The upload timed out after 30 minutes with 5 GB sent.',
      'The upload timed out after 30 seconds with 5 MB sent.',
      'The upload timed out after 3s with 5GB sent.',
    ],
  },
  {
    family: 'unit',
    role: 'tool',
    said: 'p99 latency 7ms, error rate 2%',
    claims: ['The p99 latency is 7 ms and the error rate 2 %.', 'p99 latency: 7 milliseconds; error rate: 2 percent.'],
    wrong: ['The p99 latency is 7 s and the error rate 2 %.', 'The p99 latency is 7 ms and the error rate 7 %.'],
  },
]

/** Written before the rules, and never looked at while they were made. */
export const HELD_OUT_PAIRS: readonly Pair[] = [
  {
    family: 'negation',
    role: 'user',
    said: 'Don’t touch the vendor folder when you clean up the imports.',
    claims: ['Do not touch the vendor folder when cleaning up the imports.'],
    wrong: ['Touch the vendor folder when cleaning up the imports.', 'Clean up the imports of the vendor folder too.'],
  },
  {
    family: 'negation',
    said: 'The exporter writes no header row for empty reports.',
    claims: [
      'For empty reports the exporter writes no header row.',
      'The exporter does not write a header row for empty reports.',
    ],
    wrong: ['For empty reports the exporter writes a header row.'],
  },
  {
    family: 'negation',
    role: 'user',
    said: 'Keep the debug symbols in the nightly builds.',
    claims: ['Keep the debug symbols in nightly builds.'],
    wrong: ['Do not keep the debug symbols in nightly builds.', 'Nightly builds go without the debug symbols.'],
  },
  {
    family: 'negation',
    said: 'The gateway never retries a payment that the bank has refused.',
    claims: ['A payment that the bank has refused is never retried by the gateway.'],
    wrong: [
      'The gateway always retries a payment that the bank has refused.',
      'A payment that the bank has refused is retried by the gateway.',
    ],
  },
  {
    family: 'order',
    role: 'user',
    said: 'Prefer Vitest over Jest in the new packages.',
    claims: ['Vitest is preferred over Jest in the new packages.'],
    wrong: ['Jest is preferred over Vitest in the new packages.'],
  },
  {
    family: 'order',
    said: 'The parser converts YAML into TOML before the lookup.',
    claims: ['The parser converts YAML into TOML before the lookup.'],
    wrong: ['The parser converts TOML into YAML before the lookup.'],
  },
  {
    family: 'order',
    said: 'Alice handed the pager over to Boris on Friday.',
    claims: ['Alice handed the pager over to Boris.'],
    wrong: ['Boris handed the pager over to Alice.'],
  },
  {
    family: 'order',
    said: 'We use Caddy rather than Nginx for the preview servers.',
    claims: ['The preview servers use Caddy rather than Nginx.', 'Caddy instead of Nginx for the preview servers.'],
    wrong: ['The preview servers use Nginx rather than Caddy.', 'Nginx instead of Caddy for the preview servers.'],
  },
  {
    family: 'actor',
    role: 'assistant',
    said: 'I suggest splitting the settings page into three tabs.',
    claims: ['The assistant suggested splitting the settings page into three tabs.'],
    wrong: ['The user suggested splitting the settings page into three tabs.'],
  },
  {
    family: 'actor',
    role: 'user',
    said: 'I tested the installer on Windows myself and it hangs at the licence page.',
    claims: ['The user tested the installer on Windows; it hangs at the licence page.'],
    wrong: ['The assistant tested the installer on Windows; it hangs at the licence page.'],
  },
  {
    family: 'opposite',
    said: 'The nightly build succeeded with the old compiler.',
    claims: ['The nightly build succeeded with the old compiler.'],
    wrong: ['The nightly build failed with the old compiler.'],
  },
  {
    family: 'opposite',
    role: 'user',
    said: 'Show the sidebar on small screens.',
    claims: ['The sidebar is to be shown on small screens.'],
    wrong: ['The sidebar is to be hidden on small screens.'],
  },
  {
    family: 'opposite',
    said: 'I unlocked the account of the warehouse scanner.',
    claims: ['The account of the warehouse scanner was unlocked.'],
    wrong: ['The account of the warehouse scanner was locked.'],
  },
  {
    family: 'opposite',
    said: 'The queue shrank during the night while the importer was connected.',
    claims: ['The queue shrank during the night while the importer was connected.'],
    wrong: [
      'The queue grew during the night while the importer was connected.',
      'The queue shrank during the night while the importer was disconnected.',
    ],
  },
  {
    family: 'unit',
    said: 'Each shard holds 8GB and a rebuild takes 3h.',
    claims: ['Each shard holds 8 GB; a rebuild takes 3 hours.'],
    wrong: [
      'Each shard holds 8 TB; a rebuild takes 3 hours.',
      'Each shard holds 8 GB; a rebuild takes 3 days.',
      'Each shard holds 3 GB; a rebuild takes 8 hours.',
    ],
  },
  {
    family: 'unit',
    role: 'user',
    said: 'Give the health check 90 seconds, it needs to warm up.',
    claims: ['The user wants the health check to have 90s to warm up.'],
    wrong: [
      'The user wants the health check to have 90ms to warm up.',
      'The user wants the health check to have 9s to warm up.',
    ],
  },
  {
    family: 'unit',
    role: 'tool',
    said: 'coverage 63% in 12 files',
    claims: ['Coverage is 63 percent in 12 files.'],
    wrong: ['Coverage is 12 percent in 63 files.', 'Coverage is 36 percent in 12 files.'],
  },
]
