import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { askFor, operationsOf, type SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { prepareTour } from '../features/tour/tour.ts'
import { host } from '../host.ts'
import { useLive } from '../live.ts'
import { navigate, useRoutePart } from '../routes.ts'
import { chooseTheme } from '../ui/controls/theme.ts'
import { VIEW_LIST } from '../views.ts'
import type { PaletteEntry } from './palette-entries.ts'
import { openAsk } from './top-bar.tsx'

export type PaletteActions = {
  readonly onKeys: () => void
  readonly onTogglePanel: () => void
  readonly onOperate: (ask: SurgeryAsk) => void
  /** Null when no conversation is shown. */
  readonly onShare: (() => void) | null
}

/** The views for the palette. */
export const viewEntries: readonly PaletteEntry[] = VIEW_LIST.map(({ view, label, letter }) => ({
  key: `view ${view}`,
  group: 'Go to',
  label,
  words: 'view go',
  hint: `g ${letter}`,
  run: () => navigate({ view }, 'push'),
}))

/** The actions that are available everywhere. */
export function useActionEntries(
  info: MemoryInfo,
  { onKeys, onTogglePanel, onOperate, onShare }: PaletteActions,
): readonly PaletteEntry[] {
  const { paused, togglePause } = useLive()
  const selection = useRoutePart('selection')
  const { data: node } = useQuery(
    api.retrieval.describe.queryOptions({ input: selection === null ? skipToken : { id: selection } }),
  )
  const isSummary = node?.kind === 'leaf' || node?.kind === 'condensed'
  const scan = useMutation(api.jobs.start.mutationOptions())
  const sample = useMutation(api.machine.sample.mutationOptions({ onSuccess: ({ path }) => host.openFile(path) }))
  const tour = useMutation(
    api.machine.sample.mutationOptions({
      onSuccess: ({ path }) => {
        prepareTour(path)
        host.openFile(path)
      },
    }),
  )
  const action = (label: string, words: string, run: () => void, hint?: string): PaletteEntry => ({
    key: `action ${label}`,
    group: 'Actions',
    label,
    words,
    hint,
    run,
  })
  return [
    action('Check the memory', 'integrity scan health findings', () => {
      scan.mutate({ kind: 'integrity' })
      navigate({ view: 'health' }, 'push')
    }),
    ...(info.readOnly ? [] : [action('Plan a compaction', 'compact', () => navigate({ view: 'compact' }, 'push'))]),
    action('Try other settings: What if', 'window budget threshold limit', () =>
      navigate({ view: 'window', shown: { 'window.form': 'what-if' } }, 'push'),
    ),
    ...(node !== undefined && isSummary
      ? operationsOf(node.kind).map(({ operation, label }) =>
          action(`${label.replace('…', '')} the selected summary…`, `surgery operate ${node.id}`, () =>
            onOperate(askFor(operation, node)),
          ),
        )
      : []),
    ...(onShare === null ? [] : [action('Share this conversation…', 'export html page save send', onShare)]),
    action('Measure storage', 'bytes size tables indexes vacuum', () => navigate({ view: 'storage' }, 'push')),
    ...(info.readOnly
      ? []
      : [action('Backups and undo…', 'restore surgery repair', () => onOperate({ kind: 'undo', backup: null }))]),
    action('Ask this memory…', 'question answer passages citations', openAsk),
    action('Open another memory', 'file welcome recent', () => host.openFile(null)),
    action('Import transcripts', 'claude code jsonl', () => host.openFile(null)),
    action('Open the sample memory', 'example demo', () => sample.mutate(undefined)),
    action('Take the tour of the sample', 'help first steps', () => tour.mutate(undefined)),
    action(paused ? 'Follow the file again' : 'Pause live updates', 'live watch', togglePause),
    action('Copy the path of the file', 'clipboard', () => void navigator.clipboard.writeText(info.path)),
    ...(host.kind === 'browser'
      ? [
          action(
            'Copy a link to this place',
            'address url clipboard',
            () => void navigator.clipboard.writeText(location.href),
          ),
        ]
      : []),
    action('Show or hide the right panel', 'detail selection', onTogglePanel, '\\'),
    action('Dark theme', 'colour night', () => chooseTheme('dark')),
    action('Light theme', 'colour day', () => chooseTheme('light')),
    action('High-contrast theme', 'colour accessibility', () => chooseTheme('contrast')),
    action('Theme of the system', 'colour automatic', () => chooseTheme('system')),
    action('Keys', 'keyboard shortcuts help', onKeys, '?'),
  ]
}
