/**
 * The code of the views that the window does not begin with. Each is asked for once: of what did not arrive the
 * bundler would leave out the styles when asked again, so it stays missing until the page is loaded anew.
 */
export const viewCode = {
  strata: once(() => import('./strata-and-lineage.tsx')),
  context: once(() => import('../features/context/context-view.tsx')),
  transcript: once(() => import('../features/transcript/transcript-view.tsx')),
  search: once(() => import('../features/search/search-view.tsx')),
  lineage: once(() => import('./lineage-with-provenance.tsx')),
  compaction: once(() => import('./compaction-with-strata.tsx')),
  map: once(() => import('../features/map/map-view.tsx')),
  storage: once(() => import('../features/storage/storage-view.tsx')),
  logs: once(() => import('../features/logs/logs-view.tsx')),
  settings: once(() => import('../features/settings/settings-view.tsx')),
} as const

/** Loads all of it while nobody waits for it, so that no view is missing when the core cannot be reached. */
export async function loadAllViews(): Promise<void> {
  try {
    for (const load of Object.values(viewCode)) await load()
  } catch {
    // Whoever goes to the view is told.
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => {
    loading ??= load()
    return loading
  }
}
