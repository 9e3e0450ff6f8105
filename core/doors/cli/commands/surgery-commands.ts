import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { isoTime } from '#core/clock.ts'
import { UndoCompactionInput, type UndoneCompaction } from '#core/contract/compaction.ts'
import type { DiffLine, SurgeryPreview, SurgeryResult } from '#core/contract/surgery.ts'
import { SurgeryInput, SurgeryOperation, type SurgeryRequest, UndoInput } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { plural, sizeText } from '#core/text.ts'
import { type CommandContext, defineCommand, defineQuestion, narrowed } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, EXIT } from '../output/output.ts'
import { printable } from '../output/printable.ts'
import { count, oneLine, table } from '../output/text.ts'
import { chooseConversation, withMemory } from '../session.ts'

const [Rewrite, Dissolve, Transplant] = SurgeryOperation.options
const operation = z.object({
  plan: z.boolean().optional().describe('show before and after, write nothing'),
  backups: SurgeryInput.shape.backupFolder,
})
type OperationOptions = z.output<typeof operation>

export const rewrite = defineCommand({
  name: 'rewrite',
  example: 'rewrite sum_e6e4df8f3eddb5d6 --db sample.db --plan --target 300',
  memory: ({ plan }) => (plan ? 'reads' : 'changes'),
  fields: operation.extend({
    ...Rewrite.omit({ kind: true }).shape,
    prompt: z
      .string()
      .optional()
      .meta({ description: 'a prompt template in place of the configured ones (see docs/models.md)', value: 'file' }),
    text: z
      .string()
      .optional()
      .meta({ description: 'the new text itself, written by hand, in place of a summariser', value: 'file' }),
  }),
  positional: ['id'],
  run: ({ plan, backups, prompt, text, ...asked }, given) =>
    operate(
      given,
      { plan, backups },
      {
        kind: 'rewrite',
        ...asked,
        prompt: prompt === undefined ? null : readText(prompt),
        ...(text === undefined ? {} : { text: readText(text) }),
      },
    ),
})

export const dissolve = defineCommand({
  name: 'dissolve',
  example: 'dissolve sum_e6e4df8f3eddb5d6 --db sample.db --plan',
  memory: ({ plan }) => (plan ? 'reads' : 'changes'),
  fields: operation.extend(Dissolve.omit({ kind: true }).shape),
  positional: ['id'],
  run: ({ id, ...options }, given) => operate(given, options, { kind: 'dissolve', id }),
})

export const transplant = defineCommand({
  name: 'transplant',
  example: 'transplant sum_e6e4df8f3eddb5d6 --to 2 --db sample.db --plan',
  memory: ({ plan }) => (plan ? 'reads' : 'changes'),
  fields: operation.extend({ id: Transplant.shape.id, to: Transplant.shape.toConversationId }),
  positional: ['id'],
  run: ({ id, to, ...options }, given) => operate(given, options, { kind: 'transplant', id, toConversationId: to }),
})

export const backups = defineQuestion({
  name: 'backups',
  example: 'backups --db sample.db',
  memory: {
    instead:
      'backups are made of a file before it is changed. "lcm copy --from postgres://… --to FILE" makes a copy of a tenant, and pg_dump one of the database.',
  },
  fields: z.object({ backups: SurgeryInput.shape.backupFolder }),
  async ask(lcm, input) {
    const { undo } = await lcm.doctor()
    return { path: lcm.info.path, backups: undo.backups(input.backups) }
  },
  json: ({ backups }) => ({ backups: backups.map((backup) => ({ ...backup, name: basename(backup.path) })) }),
  text: ({ path, backups }) =>
    backups.length === 0
      ? `There is no backup of ${path}.`
      : table(
          ['made', 'size', 'backup'],
          backups.map((backup) => [isoTime(backup.atMs), sizeText(backup.bytes), basename(backup.path)]),
        ),
})

export const undo = defineCommand({
  name: 'undo',
  example: 'undo --db sample.db --plan',
  memory: ({ plan }) => (plan ? 'reads' : 'changes'),
  fields: z.object({
    backup: UndoInput.shape.backup.optional(),
    backups: UndoInput.shape.backupFolder,
    run: UndoCompactionInput.shape.runId,
    ...narrowed,
    plan: z.boolean().optional().describe('say what would be taken back, write nothing'),
  }),
  positional: ['backup'],
  run: ({ backup, backups, run, conversationId, plan = false }, given) => {
    if (backup === undefined) return undoCompaction(given, { runId: run, conversationId, plan })
    if (run !== undefined || conversationId !== undefined || plan) {
      throw new LcmError(
        'invalid_argument',
        'A backup holds the whole file: leave out --run, --conversation and --plan, or leave out the backup to take a compaction back.',
      )
    }
    return withMemory(given, async (lcm) => {
      lcm.requireWrite('restore')
      const folder = backups === undefined ? {} : { backupFolder: backups }
      const { undo } = await lcm.doctor()
      const result = await interruptible((signal) => undo.run({ backup, ...folder }, signal))
      const text = (): string =>
        [
          `Restored from ${result.restored.path}. Messages that came since, and stay: ${count(result.keptMessages)}.`,
          `As it was until now: ${result.backup.path}`,
        ].join('\n')
      return { json: { ...result, restored: result.restored.path, backup: result.backup.path }, text }
    })
  },
})

type UndoOptions = {
  readonly runId: string | undefined
  readonly conversationId: number | undefined
  readonly plan: boolean
}

function undoCompaction(given: CommandContext, { runId, conversationId, plan }: UndoOptions): Promise<Answer> {
  return withMemory(
    given,
    (lcm): Answer => {
      const input = {
        conversationId: chooseConversation(lcm, conversationId),
        ...(runId === undefined ? {} : { runId }),
      }
      if (!plan) {
        const done = lcm.undoer.undo(input)
        return { json: done, text: () => `${undoneText(done)}\nDone. "lcm compact" makes summaries again.` }
      }
      const planned = lcm.undoer.plan(input)
      return {
        json: planned,
        text: () => `${planned.refusal ?? undoneText(planned)}\nNothing was written.`,
        exitCode: planned.refusal === null ? EXIT.done : EXIT.failed,
      }
    },
    { readOnly: plan },
  )
}

function undoneText(undo: Omit<UndoneCompaction, 'durationMs' | 'runId'> & { readonly runId: string | null }): string {
  const { runId, summaries, messagesBack, summariesBack, keptMessages, tokensBefore, tokensAfter } = undo
  const back = [`messages ${count(messagesBack)}`, ...(summariesBack > 0 ? [`summaries ${count(summariesBack)}`] : [])]
  return [
    `Compaction run ${printable(runId ?? '')} of conversation ${undo.conversationId}`,
    `summaries removed: ${count(summaries.length)}`,
    `back in the window: ${back.join(', ')}`,
    `messages that came since, and stay: ${count(keptMessages)}`,
    `window: ${count(tokensBefore)} → ${plural(tokensAfter, 'token')}`,
  ].join('\n')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, path)
  }
}

async function operate(given: CommandContext, options: OperationOptions, request: SurgeryRequest): Promise<Answer> {
  const operation = SurgeryOperation.parse(request)
  if (options.plan) {
    return withMemory(
      given,
      async (lcm): Promise<Answer> => {
        const { surgery } = await lcm.doctor()
        const preview = await interruptible((signal) => surgery.preview(operation, signal))
        return { json: previewJson(preview), text: () => `${previewText(preview)}\nNothing was written.` }
      },
      { readOnly: true },
    )
  }
  return withMemory(given, async (lcm): Promise<Answer> => {
    lcm.requireWrite(operation.kind)
    const folder = options.backups === undefined ? {} : { backupFolder: options.backups }
    const { surgery } = await lcm.doctor()
    const result = await interruptible((signal) => surgery.apply({ operation, ...folder }, signal))
    const { preview, backup, rolledBack } = result
    return {
      json: {
        ...previewJson(preview),
        backup: backup?.path ?? null,
        rolledBack,
        applied: backup !== null && rolledBack === null,
      },
      text: () => resultText(result),
      exitCode: rolledBack ? EXIT.failed : EXIT.done,
    }
  })
}

/** Puts what a reader compares first into two fields of the same shape. */
function previewJson(preview: SurgeryPreview) {
  const { nodes, window } = preview
  const side = (which: 'before' | 'after') => ({
    nodes: nodes.map((node) => ({ id: node.id, ...node[which] })),
    window: window === null ? null : which === 'before' ? window.removed : window.placed,
    windowTokens: window === null ? null : which === 'before' ? window.tokensBefore : window.tokensAfter,
  })
  return { ...preview, before: side('before'), after: side('after') }
}

function resultText(result: SurgeryResult): string {
  const { preview, backup, rolledBack } = result
  if (rolledBack) {
    const worse = rolledBack.map(({ check, before, after }) => `${check} ${count(before)} → ${count(after)}`).join(', ')
    return `Nothing was changed: more would be wrong after it (${worse}).`
  }
  if (backup === null) return `${previewText(preview)}\nNothing was to be written.`
  return `${previewText(preview)}\nDone. Back with: lcm undo ${basename(backup.path)}`
}

function previewText({ title, description, nodes, kept, window, warnings }: SurgeryPreview): string {
  return [
    title,
    description,
    ...(window === null
      ? []
      : [
          `window ${window.conversationId}: ${names(window.removed)} → ${names(window.placed)} (${count(window.tokensBefore)} → ${plural(window.tokensAfter, 'token')})`,
        ]),
    ...nodes.flatMap((node) => [
      `\n${node.id}  depth ${node.depth}, ${count(node.before.tokens)} → ${plural(node.after.tokens, 'token')}, ${node.before.level} → ${node.after.level}`,
      ...node.diff.map(diffText),
    ]),
    ...kept.map(({ id, reason }) => `${id} stays: ${oneLine(reason, 200)}`),
    ...warnings.map((warning) => `note: ${oneLine(warning, 300)}`),
  ].join('\n')
}

const names = (ids: readonly string[]): string =>
  ids.length === 0
    ? 'nothing'
    : `${ids
        .slice(0, 4)
        .map((id) => printable(id))
        .join(' ')}${ids.length > 4 ? ` and ${ids.length - 4} more` : ''}`

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+' }
const diffText = ({ kind, text }: DiffLine): string => `    ${MARKS[kind]} ${printable(text)}`
