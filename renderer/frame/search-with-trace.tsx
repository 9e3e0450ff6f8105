import { SearchView } from '../features/search/search-view.tsx'
import { TraceView } from '../features/trace/trace-view.tsx'

/** The search, with the trace of what was said. */
export function SearchWithTrace({ conversationId }: { readonly conversationId: number }) {
  return <SearchView conversationId={conversationId} renderTrace={(kinds) => <TraceView kinds={kinds} />} />
}
