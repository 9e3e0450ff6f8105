/** Something that can be read from its start as often as wished. */
export type FileSource = {
  readonly name: string | null
  readonly mime: string | null
  readonly sizeBytes: number
  chunks(): Iterable<Uint8Array>
}
