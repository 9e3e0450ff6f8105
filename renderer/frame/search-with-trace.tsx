import { SearchView } from '../features/search/search-view.tsx'
import { TraceView } from '../features/trace/trace-view.tsx'
import { ProbeWithTrace } from './probe-with-trace.tsx'

/** The search, with the trace of what was said, and the probe. */
export function SearchWithTrace({ conversationId }: { readonly conversationId: number }) {
  return (
    <SearchView
      conversationId={conversationId}
      renderTrace={(kinds) => <TraceView kinds={kinds} />}
      renderProbe={(kinds) => <ProbeWithTrace conversationId={conversationId} kinds={kinds} />}
    />
  )
}
