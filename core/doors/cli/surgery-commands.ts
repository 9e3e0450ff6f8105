import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isoTime } from '../../clock.ts'
import type { DiffLine, SurgeryPreview, SurgeryResult } from '../../contract/surgery.ts'
import { SurgeryOperation, type SurgeryRequest } from '../../contract/surgery.ts'
import type { Lcm } from '../../lcm.ts'
import { fileError } from '../../sqlite/memory-file.ts'
import { type Define, MAX_ID, type Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import { type Answer, EXIT } from './output.ts'
import { integer } from './parse.ts'
import { printable } from './printable.ts'
import { type MemoryOptions, withMemory } from './session.ts'
import { bytes, count, oneLine, table } from './text.ts'

type SurgeryOptions = MemoryOptions & { plan?: boolean; backups?: string }
type RewriteOptions = SurgeryOptions & { subtree?: boolean; summarizer?: string; prompt?: string; target?: number }

/** Adds rewrite, dissolve, transplant and undo. With --plan nothing is written. */
export function addSurgeryCommands(define: Define, run: Run): void {
  const operation = (name: string, description: string) =>
    define(name, description)
      .argument('<id>', 'a summary')
      .option('--plan', 'show before and after, write nothing')
      .option('--backups <folder>', 'where the backup goes (default: beside the file)')

  run(
    operation('rewrite', 'have a summary written anew from its sources; id and links stay')
      .option('--subtree', 'and everything beneath it, from the leaves up')
      .option('--summarizer <name>', 'deterministic (default), a configured provider, or chain')
      .option('--prompt <file>', 'a prompt template in place of the configured ones (see docs/models.md)')
      .option('--target <tokens>', 'tokens to aim at', integer(1, 1_000_000)),
    async (id: string, options: RewriteOptions): Promise<Answer> =>
      operate(options, {
        kind: 'rewrite',
        id,
        subtree: options.subtree ?? false,
        prompt: options.prompt === undefined ? null : readPrompt(options.prompt),
        targetTokens: options.target ?? null,
        ...(options.summarizer === undefined ? {} : { summarizer: options.summarizer }),
      }),
  )
  run(
    operation('dissolve', 'put the sources of a summary in its place'),
    async (id: string, options: SurgeryOptions): Promise<Answer> => operate(options, { kind: 'dissolve', id }),
  )
  run(
    operation('transplant', 'copy a summary with all that it stands for into another conversation').requiredOption(
      '--to <conversation>',
      'the conversation that gets it',
      integer(0, MAX_ID),
    ),
    async (id: string, options: SurgeryOptions & { to: number }): Promise<Answer> =>
      operate(options, { kind: 'transplant', id, toConversationId: options.to }),
  )
  run(
    define('backups', 'backups of a memory, newest first').option('--backups <folder>', 'where they are'),
    async (options: SurgeryOptions): Promise<Answer> =>
      withMemory(options, (lcm) => backupsAnswer(lcm, options.backups), { readOnly: true }),
  )
  run(
    define('undo', 'restore summaries, links and windows from a backup; messages that came since stay')
      .argument('<backup>', 'path or name of a backup')
      .option('--backups <folder>', 'where it is, and where the backup of the present state goes'),
    async (backup: string, options: SurgeryOptions): Promise<Answer> =>
      withMemory(options, async (lcm): Promise<Answer> => {
        lcm.requireWrite('restore')
        const folder = options.backups === undefined ? {} : { backupFolder: options.backups }
        const result = await interruptible((signal) => lcm.undo.run({ backup, ...folder }, signal))
        const text = (): string =>
          [
            `Restored from ${result.restored.path}. Messages that came since, and stay: ${count(result.keptMessages)}.`,
            `As it was until now: ${result.backup.path}`,
          ].join('\n')
        return { json: { ...result, restored: result.restored.path, backup: result.backup.path }, text }
      }),
  )
}

function readPrompt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, path)
  }
}

async function operate(options: SurgeryOptions, request: SurgeryRequest): Promise<Answer> {
  const operation = SurgeryOperation.parse(request)
  if (options.plan) {
    return withMemory(
      options,
      async (lcm): Promise<Answer> => {
        const preview = await interruptible((signal) => lcm.surgery.preview(operation, signal))
        return { json: previewJson(preview), text: () => `${previewText(preview)}\nNothing was written.` }
      },
      { readOnly: true },
    )
  }
  return withMemory(options, async (lcm): Promise<Answer> => {
    lcm.requireWrite(operation.kind)
    const folder = options.backups === undefined ? {} : { backupFolder: options.backups }
    const result = await interruptible((signal) => lcm.surgery.apply({ operation, ...folder }, signal))
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
          `window ${window.conversationId}: ${names(window.removed)} → ${names(window.placed)} (${count(window.tokensBefore)} → ${count(window.tokensAfter)} tokens)`,
        ]),
    ...nodes.flatMap((node) => [
      `\n${node.id}  depth ${node.depth}, ${count(node.before.tokens)} → ${count(node.after.tokens)} tokens, ${node.before.level} → ${node.after.level}`,
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

function backupsAnswer(lcm: Lcm, folder: string | undefined): Answer {
  const backups = lcm.undo.backups(folder)
  const text = (): string =>
    backups.length === 0
      ? `There is no backup of ${lcm.info.path}.`
      : table(
          ['made', 'size', 'backup'],
          backups.map((backup) => [isoTime(backup.atMs), bytes(backup.bytes), basename(backup.path)]),
        )
  return { json: { backups: backups.map((backup) => ({ ...backup, name: basename(backup.path) })) }, text }
}
