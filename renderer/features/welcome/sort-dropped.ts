/** Files that were dropped together: transcripts are imported together, of memories the first is opened. */
export function sortDropped(paths: readonly string[]): {
  readonly memory: string | null
  readonly transcripts: readonly string[]
} {
  const isTranscript = (path: string) => /\.(?:jsonl|json|md|traj)$/i.test(path)
  return {
    memory: paths.find((path) => path !== '' && !isTranscript(path)) ?? null,
    transcripts: paths.filter(isTranscript),
  }
}
