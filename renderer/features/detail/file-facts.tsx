import type { FileInfo } from '../../../core/contract/lineage.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatBytes } from '../../ui/format.ts'
import { TimeText } from '../../ui/time-text.tsx'

/** What is known of a large file. Its content is not read. */
export function FileFacts({ file }: { readonly file: FileInfo }) {
  return (
    <Facts>
      <Fact name="name">{file.fileName}</Fact>
      <Fact name="type">{file.mimeType}</Fact>
      <Fact name="size">{file.bytes === null ? null : formatBytes(file.bytes)}</Fact>
      <Fact name="stored at">
        <bdi>{file.storageUri}</bdi>
      </Fact>
      <Fact name="stored">{file.createdAtMs === null ? null : <TimeText atMs={file.createdAtMs} form="short" />}</Fact>
    </Facts>
  )
}
