import type { DecodedFile } from './decoded-file.ts'
import { shown } from './shown.ts'
import type { Findings } from './summary-text.ts'

/** How files of other kinds begin, in hexadecimal. */
const BEGINNINGS: readonly (readonly [kind: string, hex: string])[] = [
  ['a PNG image', '89504e470d0a1a0a'],
  ['a JPEG image', 'ffd8ff'],
  ['a GIF image', '47494638'],
  ['a PDF document', '25504446'],
  ['a ZIP archive, or a document that is one', '504b0304'],
  ['a gzip archive', '1f8b'],
  ['a bzip2 archive', '425a68'],
  ['an xz archive', 'fd377a585a00'],
  ['a Zstandard archive', '28b52ffd'],
  ['a SQLite database', '53514c69746520666f726d6174203300'],
  ['an ELF program', '7f454c46'],
  ['a Windows program', '4d5a'],
  ['a WebAssembly module', '0061736d'],
  ['an Ogg sound', '4f676753'],
  ['an MP3 sound', '494433'],
  ['a RIFF file (sound, video or WebP image)', '52494646'],
  ['a Parquet table', '50415231'],
  ['a Java class', 'cafebabe'],
]

const TEXTS = 30

/** What kind of file it is by its first bytes, and the texts among them. */
export function* exploreBinary({ firstBytes }: DecodedFile): Generator<void, Findings> {
  const bytes = Buffer.from(firstBytes)
  const hex = bytes.subarray(0, 16).toString('hex')
  const kind = BEGINNINGS.find(([, beginning]) => hex.startsWith(beginning))?.[0] ?? null
  return {
    facts: [
      kind === null ? 'It is no text, and nothing says what it is.' : `It is no text: it begins like ${kind}.`,
      `First bytes: ${bytes
        .subarray(0, 16)
        .toString('hex')
        .replaceAll(/(..)(?=.)/g, '$1 ')}.`,
    ],
    sections: [
      {
        kind: 'entries',
        title: `Readable texts within its first ${bytes.length} bytes`,
        entries: readableTexts(bytes).map((text) => ({ name: '', detail: text })),
        use: 'more',
      },
    ],
  }
}

function readableTexts(bytes: Buffer): string[] {
  const runs = bytes.toString('latin1').match(/[\x20-\x7e]{6,}/g) ?? []
  const texts = runs.filter((run) => /[A-Za-z]{3}/.test(run)).map((run) => shown(run, 80))
  return [...new Set(texts)].slice(0, TEXTS)
}
