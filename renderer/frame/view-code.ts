import type { View } from '../routes.ts'

/**
 * The code of the views, which the window does without until it shows one. Each is requested once: after a failure the bundler would
 * request the code again without its styles, so it stays missing until the page is reloaded.
 */
export const viewCode = {
  start: once(() => import('./start-with-layers.tsx')),
  strata: once(() => import('./strata-and-lineage.tsx')),
  context: once(() => import('../features/context/context-view.tsx')),
  transcript: once(() => import('../features/transcript/transcript-view.tsx')),
  search: once(() => import('./search-with-trace.tsx')),
  lineage: once(() => import('./lineage-with-provenance.tsx')),
  compaction: once(() => import('./compaction-with-strata.tsx')),
  compare: once(() => import('./compare-with-moments.tsx')),
  integrity: once(() => import('./integrity-with-coverage.tsx')),
  files: once(() => import('../features/files/files-view.tsx')),
  notes: once(() => import('../features/notes/notes-view.tsx')),
  map: once(() => import('../features/map/map-view.tsx')),
  storage: once(() => import('../features/storage/storage-view.tsx')),
  sql: once(() => import('../features/sql/sql-view.tsx')),
  logs: once(() => import('../features/logs/logs-view.tsx')),
  settings: once(() => import('../features/settings/settings-view.tsx')),
} as const satisfies Record<View, () => Promise<object>>

/** Loads all views in the background, so that none is missing when the core cannot be reached later. */
export async function loadAllViews(): Promise<void> {
  try {
    for (const load of Object.values(viewCode)) await load()
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
