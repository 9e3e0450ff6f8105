import type { NewerVersion } from '#core/contract/import.ts'
import { isObject, type JsonObject } from './json-value.ts'

/** The newest version of an agent whose real sessions were imported and compared with the memory, text by text. */
export type Tried = {
  readonly version: string
  /** The version of its files, where these name that and not the version of the agent. */
  readonly ofFiles?: string
  /** The version that a record names. A reader of other files emits `written_by` itself. */
  readonly namedBy?: (record: JsonObject) => string | null
}

/** Returns what names the version of a record, when it is another one than that of the last record that named one. */
export function versionChanges({ namedBy }: Tried): (value: unknown) => string | null {
  let last: string | null = null
  return (value) => {
    const version = isObject(value) ? (namedBy?.(value) ?? null) : null
    if (version === null || version === last) return null
    last = version
    return version
  }
}

/** Returns the later of two findings, of which the second is of a version that a file names. */
export function newerVersion(
  before: NewerVersion | null,
  written: string,
  tried: Tried | undefined,
): NewerVersion | null {
  const newest = tried && (tried.ofFiles ?? tried.version)
  if (newest === undefined || !isLater(written, before?.written ?? newest)) return before
  return { written, tried: newest }
}

/** Versions are numbers between dots. A version of another kind, such as that of a build, is not called later. */
function isLater(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => (/^\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number))
  if (!one || !other) return false
  const at = one.findIndex((number, index) => number !== (other[index] ?? 0))
  return at !== -1 && version !== '' && (one[at] ?? 0) > (other[at] ?? 0)
}
