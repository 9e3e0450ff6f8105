import type { TranscriptFormatId } from '#core/contract/import.ts'
import { startOfFile } from '#core/sqlite/file-header.ts'
import type { TranscriptFormat, TranscriptSource } from './format.ts'
import { aider } from './formats/aider/aider.ts'
import { claudeCode } from './formats/claude-code/claude-code.ts'
import { cline } from './formats/cline/cline.ts'
import { codex } from './formats/codex/codex.ts'
import { continueSessions } from './formats/continue/continue.ts'
import { copilot } from './formats/copilot/copilot.ts'
import { droid } from './formats/droid/droid.ts'
import { entire } from './formats/entire/entire.ts'
import { gemini } from './formats/gemini/gemini.ts'
import { hermes } from './formats/hermes/hermes.ts'
import { kimi } from './formats/kimi/kimi.ts'
import { messages } from './formats/messages/messages.ts'
import { kilo, openCode } from './formats/opencode/opencode.ts'
import { openHands } from './formats/openhands/openhands.ts'
import { ohMyPi, openClaw, pi } from './formats/pi/pi.ts'
import { qwen } from './formats/qwen/qwen.ts'
import { specStory } from './formats/specstory/specstory.ts'
import { sweAgent } from './formats/swe-agent/swe-agent.ts'
import { LONG_HEAD_BYTES, readHead, type TranscriptHead } from './head.ts'
import { parsedOnce } from './parsed-once.ts'
import { versionChanges } from './tried-versions.ts'
import { keepUnread } from './unread-records.ts'

/**
 * Lists every format that can be read. A new format needs its id in the contract, a file under `formats/` and a line
 * here. What a reader cannot use and looks like a message is kept for all of them.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [
  claudeCode,
  codex,
  pi,
  openClaw,
  ohMyPi,
  gemini,
  qwen,
  copilot,
  hermes,
  cline,
  continueSessions,
  kimi,
  droid,
  openCode,
  kilo,
  entire,
  aider,
  specStory,
  sweAgent,
  openHands,
  messages,
].map(losingNothing)

function losingNothing(format: TranscriptFormat): TranscriptFormat {
  const { store, asides, tried } = format
  const watched = (source: TranscriptSource): TranscriptSource => ({
    ...source,
    parsedOnce: parsedOnce(source.bytes, source.head),
    ...(asides ? { asides } : {}),
    ...(tried ? { versionIn: versionChanges(tried) } : {}),
  })
  return {
    ...format,
    read: (source) => keepUnread(format.read(watched(source)), source),
    ...(store
      ? {
          store: {
            ...store,
            read: (db, source, sessions) => keepUnread(store.read(db, watched(source), sessions), source),
          },
        }
      : {}),
  }
}

/** A format has to be at least this sure. */
const SURE_ENOUGH = 0.5

export type Recognised = { readonly format: TranscriptFormat; readonly head: TranscriptHead }

export function formatOf(id: TranscriptFormatId): TranscriptFormat {
  const format = transcriptFormats.find((candidate) => candidate.id === id)
  if (!format) throw new Error(`the format ${id} is in the contract, but nothing reads it`)
  return format
}

/**
 * Recognises the format of a transcript by its content. Returns null when no format is sure.
 * @throws NodeJS.ErrnoException
 */
export function recogniseTranscript(path: string): Recognised | null {
  const head = readHead(path)
  const found = surest(head)
  if (found || head.isWhole) return found
  return surest(readHead(path, LONG_HEAD_BYTES))
}

function surest(head: TranscriptHead): Recognised | null {
  let best: Recognised | null = null
  let most = SURE_ENOUGH
  for (const format of transcriptFormats) {
    const confidence = format.detect(head)
    if (confidence < most || (best && confidence === most)) continue
    best = { format, head }
    most = confidence
  }
  return best
}

/** These forms may contain a transcript that has to be unpacked or converted first. */
const otherKinds: readonly { readonly starts: readonly string[]; readonly what: string }[] = [
  { starts: ['\x1f\x8b'], what: 'compressed with gzip: unpack it first' },
  { starts: ['\x28\xb5\x2f\xfd'], what: 'compressed with zstd: unpack it first' },
  { starts: ['PK\x03\x04'], what: 'a zip archive: unpack it first' },
  { starts: ['\xff\xfe', '\xfe\xff', '{\0', '[\0'], what: 'text in UTF-16: save it as UTF-8 first' },
]

/** Says why a file is not a transcript, in words that follow "is". */
export function whyNoTranscript(path: string): string {
  const head = readHead(path)
  const start = startOfFile(path).toString('latin1')
  const other = otherKinds.find(({ starts }) => starts.some((bytes) => start.startsWith(bytes)))
  if (other) return other.what
  const known = transcriptFormats.map(({ label }) => label).join(', ')
  const what = head.bytes === 0 ? 'empty' : describe(head)
  return `${what}: not a transcript in a known format (${known})`
}

function describe({ values, isDocument, text }: TranscriptHead): string {
  if (text.includes('\0')) return 'not text'
  if (values.length === 0 || !/^\s*[{["]/.test(text))
    return /^\s*#|\n#+ /.test(text) ? 'Markdown without the marks of a session' : 'not JSON'
  const [first] = values
  const shape = Array.isArray(first) ? 'a JSON array' : typeof first === 'object' ? 'a JSON object' : 'JSON'
  return isDocument ? `${shape} without messages of a known shape` : 'JSON lines without records of a known shape'
}
