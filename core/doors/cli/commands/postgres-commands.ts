import { resolve } from 'node:path'
import { z } from 'zod'
import { ConversationId } from '#core/contract/ids.ts'
import {
  ObjectsReport,
  PgAction,
  PgReport,
  PullReport,
  PushReport,
  type SendReport,
  type TenantReport,
} from '#core/contract/remote.ts'
import { isDatabaseAddress, requireTenant } from '#core/database-address.ts'
import { databases } from '#core/databases.ts'
import { LcmError } from '#core/errors.ts'
import { plural, sizeText } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import type { Answer } from '../output/output.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'
import { count, table } from '../output/text.ts'
import { addressField, tenantField, withPostgres, withReplica } from '../postgres-session.ts'

const required = (db: string | undefined): string => {
  if (db !== undefined) return resolve(db)
  throw new LcmError('invalid_argument', 'Say which file: --db FILE.')
}

const withoutContent = (ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`The content of ${ids.join(', ')} is not in this memory: only the rows were written.`]

/** A conversation as a native file, for every other command and view. */
export const pull = defineCommand({
  name: 'pull',
  example: 'pull postgres://ada@db.example.com/lcm --tenant acme --conversation 7 --db seven.db',
  fields: z.object({
    address: addressField,
    tenant: tenantField,
    conversationId: ConversationId.describe('the conversation to copy'),
    compareAll: z
      .boolean()
      .optional()
      .describe('read and compare every row again, also of a file that was pulled before'),
  }),
  positional: ['address'],
  prints: PullReport,
  run: async (input, { db }) => {
    const to = required(db)
    const report = await withReplica(input.address, async (from, address) => {
      const tenant = requireTenant(input.tenant ?? address.tenant)
      const key = { tenant, conversationId: input.conversationId }
      return interruptible((signal) => from.pull(key, to, input.compareAll ? 'everything' : 'written', signal))
    })
    const compared = report.comparedAll
      ? 'every row was compared'
      : input.compareAll
        ? 'the replica that was read is behind the file, so rows were not compared with it: try again in a while'
        : 'what is new was compared'
    const text = (): string =>
      `${to}: ${plural(report.messages, 'message')} (${count(report.newMessages)} of them new), ${plural(report.summaries, 'summary', 'summaries')}, ${plural(report.edges, 'link')} and ${count(report.contextItems)} window items of conversation ${report.conversationId} of ${report.tenant}; ${compared}.${report.parentConversationId === null ? '' : `\nConversation ${report.parentConversationId} spawned it and is not in this file: pull it on its own.`}${report.unavailableFiles.map(({ reason }) => `\n${reason}`).join('')}`
    return { json: report, text }
  },
})

/** What was changed in a pulled file, back to where it came from. */
export const push = defineCommand({
  name: 'push',
  example: 'push postgres://ada@db.example.com/lcm --db seven.db',
  fields: z.object({ address: addressField }),
  positional: ['address'],
  prints: PushReport,
  run: async (input, { db }) => {
    const path = required(db)
    const report = await withPostgres(input.address, (to) => to.push(path))
    const text = (): string => {
      const { tables, tenant, conversationId, filesWithoutContent, otherConversations } = report
      const rows = tables.map((one) => [one.table, one.added, one.replaced, one.removed])
      return [
        ...(tables.length === 0
          ? [`${path} holds no change that is not in conversation ${conversationId} of ${tenant}.`]
          : [
              `${table(['table', 'added', 'replaced', 'removed'], rows)}\n`,
              `Written to conversation ${conversationId} of ${tenant} in one transaction.`,
            ]),
        ...withoutContent(filesWithoutContent),
        ...(otherConversations > 0
          ? [`Conversations of the file that were not pulled stay in it: ${count(otherConversations)}.`]
          : []),
      ].join('\n')
    }
    return { json: report, text }
  },
})

/** The tables in PostgreSQL, and roles for them. */
export const pgCommand = defineCommand({
  name: 'pg',
  example: 'pg migrate postgres://owner@db.example.com/lcm',
  fields: z.object({
    action: PgAction.describe('migrate: make or update the tables; status: their version; roles: print SQL for roles'),
    address: addressField,
    partitions: z.number().int().min(1).max(1024).optional().describe('partitions of each new table (default: 16)'),
    output: documentFile.output.describe('of roles: write the SQL there, where nothing may be; - is standard output'),
    force: documentFile.force,
  }),
  positional: ['action', 'address'],
  prints: PgReport,
  run: async ({ action, address, partitions, ...file }): Promise<Answer> => {
    if (file.output !== undefined && action !== 'roles') {
      throw new LcmError('invalid_argument', 'Only "lcm pg roles" prints a document for -o: leave -o out.')
    }
    const { newestVersion, roles } = await databases()
    if (action === 'roles') {
      const report: PgReport = {
        ...{ action, address: null, from: null, version: newestVersion, isCurrent: true },
        sql: roles,
      }
      return documentAnswer({ answer: { json: report, text: () => roles }, ...file, source: null })
    }
    return withPostgres(address, async (db): Promise<Answer> => {
      const found = action === 'migrate' ? null : await db.version()
      const { from: before, to: version } = found === null ? await db.migrate(partitions) : { from: found, to: found }
      const isCurrent = version === newestVersion
      const report: PgReport = { action, address: db.shown, from: before, version, isCurrent, sql: null }
      const state = isCurrent ? 'the newest' : `"lcm pg migrate" makes version ${newestVersion}`
      const text = (): string =>
        before === version
          ? `${db.shown}: ${action === 'migrate' ? 'nothing was left to do, ' : ''}tables of version ${version} (${state}).`
          : `${db.shown}: tables of version ${before} became version ${version}.`
      return { json: report, text }
    })
  },
})

/** Lists the large files in the store beside PostgreSQL that no row names, and removes them when asked to. */
export const objects = defineCommand({
  name: 'objects',
  example: 'objects postgres://owner@db.example.com/lcm',
  fields: z.object({
    address: addressField,
    remove: z.boolean().optional().describe('remove what no row names; without it, it is only listed'),
  }),
  positional: ['address'],
  prints: ObjectsReport,
  run: async ({ address, remove }) => {
    const report = await withPostgres(address, (db) => interruptible((signal) => db.orphans(remove === true, signal)))
    const text = (): string =>
      [
        `${report.store}: ${count(report.objects)} large files (${sizeText(report.bytes)}).`,
        ...(report.undated === 0
          ? []
          : [`${count(report.undated)} are named by no row and stay: the store does not say when they were stored.`]),
        report.found === 0
          ? `Each${report.undated === 0 ? '' : ' of the others'} is named by a row, or was stored within a day.`
          : `${count(report.found)} of them (${sizeText(report.foundBytes)}) are named by no row${remove ? `; ${count(report.removed)} were removed` : ', and --remove removes them'}:`,
        ...report.orphans.map(
          (one) => `${one.hash}  ${sizeText(one.bytes)}  ${new Date(one.modifiedAtMs).toISOString()}`,
        ),
      ].join('\n')
    return { json: report, text }
  },
})

/** Copies a memory into a tenant: the other end of `lcm copy`. */
export async function copyIntoTenant(
  from: { readonly db: string; readonly newer?: boolean | undefined },
  to: string,
  tenant: string | undefined,
): Promise<Answer> {
  const report = await withPostgres(to, (db, address) => {
    const of = requireTenant(tenant ?? address.tenant)
    return interruptible((signal) => db.copyInto(of, resolve(from.db), signal))
  })
  return { json: report, text: () => sentText(report) }
}

/** Copies a tenant, or one conversation of it, into a file: the other way of `lcm copy`. */
export async function copyOutOfTenant(asked: {
  readonly from: string
  readonly to: string
  readonly tenant?: string | undefined
  readonly conversationId?: number | undefined
  readonly largeFiles?: boolean | undefined
}): Promise<Answer> {
  if (isDatabaseAddress(asked.to)) {
    throw new LcmError(
      'unsupported',
      'From one database to another, copy by way of a file: first --to FILE, then --from FILE.',
    )
  }
  if (asked.largeFiles) {
    throw new LcmError(
      'invalid_argument',
      'Texts are moved into files when a memory of another system is copied: leave --large-files out.',
    )
  }
  const report = await withReplica(asked.from, (from, address) => {
    const tenant = requireTenant(asked.tenant ?? address.tenant)
    const { conversationId = null } = asked
    return interruptible((signal) => from.copyOutOf({ tenant, conversationId }, resolve(asked.to), signal))
  })
  return { json: report, text: () => takenText(report) }
}

function takenText(report: TenantReport): string {
  return [
    table(
      ['conversation', 'messages', 'summaries', ''],
      report.conversations.map((one) => [
        one.conversationId,
        one.messages,
        one.summaries,
        one.isThere ? 'was copied before' : `copied and compared${one.isRenumbered ? ', with new numbers' : ''}`,
      ]),
    ),
    ...report.conversations.flatMap(({ unavailableFiles }) => unavailableFiles.map(({ reason }) => reason)),
    ...report.leftOut.map(
      ({ rows }) => `${count(rows)} large files have ids that another conversation has, and were left out.`,
    ),
    ...report.notes,
    '',
    `${report.path}: tenant ${report.tenant} of ${report.address}.`,
  ].join('\n')
}

function sentText(report: SendReport): string {
  return [
    table(
      ['from', 'to', 'messages', 'summaries', ''],
      report.conversations.map((one) => [
        one.from,
        one.to,
        one.messages,
        one.summaries,
        one.isThere ? 'is there already' : 'copied and compared',
      ]),
    ),
    ...report.conversations.flatMap(({ filesWithoutContent }) => withoutContent(filesWithoutContent)),
    ...report.leftOut.map(({ table: name, rows }) => `Of no conversation: ${plural(rows, 'row')} of ${name}.`),
    '',
    `Tenant ${report.tenant} of ${report.address}.`,
  ].join('\n')
}
