import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '#renderer/api.ts'
import { Chip } from '../controls/chip.tsx'
import { decoded, type EmbeddedFile, MOST_BYTES, NO_PICTURE, recognised, TOO_LARGE } from './embedded-file.ts'
import { PdfPages } from './pdf-pages.tsx'
import { Picture } from './picture.tsx'

const KEPT_MS = 60_000
/** This many bytes say what a file is. */
const FIRST_BYTES = 4096

/**
 * What a large file is when it is a picture or a PDF, and null for any other file. Undefined until it is known. It is
 * read a piece at a time; of what cannot be shown only a small first piece is read.
 */
export function useStoredPicture(id: string, isAsked: boolean): EmbeddedFile | null | undefined {
  const { data, isError } = useQuery(storedPictureOptions(id, isAsked))
  return isAsked && !isError ? data : null
}

export const storedPictureOptions = (id: string, isAsked: boolean) =>
  queryOptions({
    queryKey: ['files', 'picture', id],
    queryFn: ({ signal }) => readPicture(id, signal),
    // What was read is not read again when the memory changes. A file that is missing may be put back.
    enabled: ({ state }) => isAsked && !state.data,
    gcTime: KEPT_MS,
    retry: false,
  })

async function readPicture(id: string, signal: AbortSignal): Promise<EmbeddedFile | null> {
  const { base64, sizeBytes } = await client.files.bytes({ id, count: FIRST_BYTES }, { signal })
  const start = decoded(base64)
  if (sizeBytes === null || start === null || recognised(start) === NO_PICTURE) return null
  if (sizeBytes > MOST_BYTES) return TOO_LARGE
  const bytes = new Uint8Array(sizeBytes)
  bytes.set(start)
  for (let at = start.length; at < sizeBytes; ) {
    const next = decoded((await client.files.bytes({ id, from: at }, { signal })).base64)?.subarray(0, sizeBytes - at)
    if (next === undefined || next.length === 0) return null
    bytes.set(next, at)
    at += next.length
  }
  return recognised(bytes)
}

type Props = { readonly file: EmbeddedFile; readonly name: string | null; readonly isLargeAtFirst?: boolean }

/** The picture, or the pages of the PDF, or why neither is shown. */
export function StoredPicture({ file, name, isLargeAtFirst = false }: Props) {
  const [isLarge, setLarge] = useState(isLargeAtFirst)
  const toggle = () => setLarge(!isLarge)
  switch (file.kind) {
    case 'picture':
      return <Picture picture={file} name={name} isLarge={isLarge} onToggle={toggle} />
    case 'pdf':
      return <PdfPages bytes={file.bytes} name={name} isLarge={isLarge} onToggle={toggle} />
    case 'refused':
      return <Chip tone="warning">not shown: {file.why}</Chip>
  }
}
