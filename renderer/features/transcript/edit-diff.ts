import { isObject, parsedObject } from './tool-line.ts'

export type DiffLine = { readonly kind: 'added' | 'removed' | 'same' | 'hunk' | 'head'; readonly text: string }

/** Lines of context kept around a change. */
const CONTEXT = 3

const OLD = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text']
const NEW = ['new_string', 'newString', 'new_str', 'newText', 'new_text']
const PATCH = ['patch', 'diff', 'input']

/**
 * Returns the change that an editing tool was asked to make, as diff lines, or null when the call is not a known edit.
 */
export function editDiff(input: string): readonly DiffLine[] | null {
  const call = parsedObject(input)
  if (call === null) return looksLikePatch(input) ? patchLines(input) : null
  const edits = Array.isArray(call.edits) ? call.edits.filter(isObject) : [call]
  const lines = edits.flatMap((edit, index) => {
    const change = replacement(edit)
    if (change === null) return []
    const head: readonly DiffLine[] = edits.length > 1 ? [{ kind: 'hunk', text: `edit ${index + 1}` }] : []
    return [...head, ...replacedLines(change.before, change.after)]
  })
  if (lines.length > 0) return lines
  const patch = PATCH.map((name) => call[name]).find((value) => typeof value === 'string' && looksLikePatch(value))
  return typeof patch === 'string' ? patchLines(patch) : null
}

/** Returns the removed and added lines. What both texts begin and end with is kept as context only. */
export function replacedLines(before: string, after: string): readonly DiffLine[] {
  const old = before === '' ? [] : before.split('\n')
  const fresh = after === '' ? [] : after.split('\n')
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const line =
    (kind: DiffLine['kind']) =>
    (text: string): DiffLine => ({ kind, text })
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map(line('same')),
    ...old.slice(head, old.length - tail).map(line('removed')),
    ...fresh.slice(head, fresh.length - tail).map(line('added')),
    ...fresh.slice(fresh.length - tail, fresh.length - tail + CONTEXT).map(line('same')),
  ]
}

/** A patch in unified form, or in the form that coding agents send (`*** Begin Patch`), line by line. */
export function patchLines(patch: string): readonly DiffLine[] {
  return patch
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => ({ kind: patchLineKind(text), text }))
}

function looksLikePatch(text: string): boolean {
  return /^(\*\*\* Begin Patch|diff --git |--- \S|Index: |@@ )/m.test(text.slice(0, 2_000))
}

function patchLineKind(text: string): DiffLine['kind'] {
  if (/^(\+\+\+ |--- |\*\*\* |diff --git |index [0-9a-f]+\.\.|Index: )/.test(text)) return 'head'
  if (text.startsWith('@@')) return 'hunk'
  if (text.startsWith('+')) return 'added'
  return text.startsWith('-') ? 'removed' : 'same'
}

function replacement(edit: Readonly<Record<string, unknown>>): { before: string; after: string } | null {
  const before = OLD.map((name) => edit[name]).find((value) => typeof value === 'string')
  const after = NEW.map((name) => edit[name]).find((value) => typeof value === 'string')
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : null
}
