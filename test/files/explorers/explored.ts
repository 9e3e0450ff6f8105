import type { FileSource } from '#core/files/explorers/decoded-file.ts'
import { type Exploration, explore } from '#core/files/explorers/explore.ts'
import { runToEnd } from '#core/yielding.ts'

type Named = { readonly name?: string; readonly mime?: string; readonly chunkBytes?: number }

/** A file whose content is in memory. */
export function sourceOf(content: string | Uint8Array, { name, mime, chunkBytes = 64 * 1024 }: Named = {}): FileSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return {
    name: name ?? null,
    mime: mime ?? null,
    sizeBytes: bytes.length,
    *chunks() {
      for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes)
    },
  }
}

/** A large file that is made while it is read: the line of each number below `lines`. */
export function generatedSource(lines: number, line: (index: number) => string, named: Named = {}): FileSource {
  const chunks = function* (): Generator<Uint8Array> {
    for (let from = 0; from < lines; from += 512) {
      const count = Math.min(512, lines - from)
      yield Buffer.from(Array.from({ length: count }, (_, index) => `${line(from + index)}\n`).join(''))
    }
  }
  const sizeBytes = [...chunks()].reduce((sum, { length }) => sum + length, 0)
  return { name: named.name ?? null, mime: named.mime ?? null, sizeBytes, chunks }
}

export async function exploredSource(source: FileSource): Promise<Exploration> {
  return await runToEnd(explore(source, new AbortController().signal))
}

export const explored = (content: string | Uint8Array, named?: Named): Promise<Exploration> =>
  exploredSource(sourceOf(content, named))
