import type { ComponentType } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Browse } from '../ui/data/browse.ts'
import type { View } from '../views.ts'

/** What the window gives to each of its views. */
export type ViewProps = {
  readonly info: MemoryInfo
  readonly browse: Browse
  /** Opens the backups. A path names the one to select. */
  readonly onUndo: (backup?: string) => void
}

type OfConversation = ViewProps & { readonly conversationId: number }
/** A view of the whole file or the program is also shown where the file holds no conversation. */
type OfFile = ViewProps & { readonly conversationId: number | null }

type Code<Props> = () => Promise<ComponentType<Props>>

/**
 * The code of the views, which the window does without until it shows one. Each is requested once: after a failure the bundler would
 * request the code again without its styles, so it stays missing until the page is reloaded.
 */
export const conversationViews = {
  start: once(() => import('./start-with-layers.tsx').then((code) => code.StartWithLayers)),
  find: once(() => import('./find-with-trace.tsx').then((code) => code.FindWithTrace)),
  messages: once(() => import('../features/transcript/transcript-view.tsx').then((code) => code.TranscriptView)),
  window: once(() => import('../features/context/context-view.tsx').then((code) => code.ContextView)),
  layers: once(() => import('./layers.tsx').then((code) => code.Layers)),
  compact: once(() => import('./compact-with-strata.tsx').then((code) => code.CompactWithStrata)),
  compare: once(() => import('./compare-with-moments.tsx').then((code) => code.CompareWithMoments)),
  conversations: once(() => import('../features/start/all-conversations.tsx').then((code) => code.AllConversations)),
  files: once(() => import('../features/files/files-view.tsx').then((code) => code.FilesView)),
} as const satisfies Readonly<Partial<Record<View, Code<OfConversation>>>>

type ConversationView = keyof typeof conversationViews

export const fileViews = {
  health: once(() => import('./health-with-coverage.tsx').then((code) => code.HealthWithCoverage)),
  storage: once(() => import('../features/storage/storage-view.tsx').then((code) => code.StorageView)),
  sql: once(() => import('../features/sql/sql-view.tsx').then((code) => code.SqlView)),
  notes: once(() => import('../features/notes/notes-view.tsx').then((code) => code.NotesView)),
  settings: once(() => import('../features/settings/settings-view.tsx').then((code) => code.SettingsView)),
  activity: once(() => import('../features/logs/logs-view.tsx').then((code) => code.LogsView)),
  batch: once(() => import('../features/map/map-view.tsx').then((code) => code.MapView)),
  servers: once(() => import('./servers-view.tsx').then((code) => code.ServersView)),
} as const satisfies Readonly<Record<Exclude<View, ConversationView>, Code<OfFile>>>

export const isOfConversation = (view: View): view is ConversationView => Object.hasOwn(conversationViews, view)

/** Loads the code of a view. */
export const loadView = (view: View): Promise<unknown> =>
  isOfConversation(view) ? conversationViews[view]() : fileViews[view]()

/** Loads all views in the background, so that none is missing when the core cannot be reached later. */
export async function loadAllViews(): Promise<void> {
  try {
    for (const load of [...Object.values(conversationViews), ...Object.values(fileViews)]) await load()
  } catch {
    // The view itself reports the error.
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => {
    loading ??= load()
    return loading
  }
}
