import { z } from 'zod'
import { NodeId, TimeMs } from './ids.ts'

/** Bytes of a page of a large file. Pages in their order, put together, are the file. */
export const PAGE_BYTES = 65_536
/** A line of more bytes stands in several rows. */
export const ROW_BYTES = 2048
const MOST_ROWS = 500
export const MOST_LINES = 2000

/** The first page is 1. */
export const FilePage = z.object({ kind: z.literal('page'), page: z.int().min(1) })

export const FileSearch = z.object({
  kind: z.literal('search'),
  query: z.string().min(1).max(1000),
  isRegex: z.boolean().default(false),
  matchCase: z.boolean().default(false),
  /** Where to begin: `next` of an earlier answer. */
  fromRow: z.int().min(0).default(0),
  limit: z.int().min(1).max(500).default(50),
})

/** What of a large file is asked for. */
export const FileView = z.discriminatedUnion('kind', [
  /** Rows for a list that draws only what is seen. A row is a line, or a piece of a long one. */
  z.object({ kind: z.literal('rows'), from: z.int().min(0), count: z.int().min(1).max(MOST_ROWS).default(200) }),
  /** Lines as a whole, the first is 1. An answer ends early when it becomes longer than two pages. */
  z.object({ kind: z.literal('lines'), first: z.int().min(1), last: z.int().min(1).optional() }),
  FilePage,
  FileSearch,
])
export type FileView = z.infer<typeof FileView>
export type FileViewRequest = z.input<typeof FileView>

export const FileReadInput = z.object({
  id: NodeId.describe('the file'),
  view: FileView.meta({ description: 'the rows, lines, page or search', examples: [{ kind: 'page', page: 1 }] }),
})

/** At most this many bytes of a large file are sent at once. */
const MOST_BYTES_AT_ONCE = 262_144

export const FileBytesInput = z.object({
  id: NodeId.describe('the file'),
  from: z.int().min(0).default(0).describe('the first byte, from 0 on'),
  count: z.int().min(1).max(MOST_BYTES_AT_ONCE).default(MOST_BYTES_AT_ONCE).describe('bytes to return at most'),
})
export type FileBytesInput = z.infer<typeof FileBytesInput>

/** A piece of a large file as it is stored, such as of a picture. */
export const FileBytes = z.object({
  base64: z.string(),
  /** The size of the file, or null when it cannot be read. */
  sizeBytes: z.int().nullable(),
})
export type FileBytes = z.infer<typeof FileBytes>

/** What became of the content of a large file since it was stored. */
export const FileState = z.object({
  id: NodeId,
  /** The real path at which it was found, or null. */
  path: z.string().nullable(),
  /**
   * `sound`: it has the hash that was stored. `unchecked`: no hash was stored, or it was not compared yet. `altered`: it
   * is not what was stored. `not_text`: it cannot be shown. `missing`: it is in no folder that may be read. `on_server`:
   * it was left on the server, and is fetched by a job of the kind `fetch`.
   */
  condition: z.enum(['sound', 'unchecked', 'altered', 'not_text', 'missing', 'on_server']),
  /** A sentence for people about whatever is not as it should be. */
  reason: z.string().nullable(),
  /** Its size on disk. */
  bytes: z.int().nullable(),
  pages: z.int().nullable(),
  /** Null until the file was read to its end once. */
  lines: z.int().nullable(),
  rows: z.int().nullable(),
})
export type FileState = z.infer<typeof FileState>

export const FileRow = z.object({
  row: z.int(),
  line: z.int(),
  /** False for the second and further pieces of a long line. */
  isLineStart: z.boolean(),
  /** Without the line break. */
  text: z.string(),
})
export type FileRow = z.infer<typeof FileRow>

export const FileHit = z.object({
  row: z.int(),
  line: z.int(),
  /** The line, or the part of a long one around the hit. */
  excerpt: z.string(),
  /** The place in `excerpt`, in UTF-16 units. */
  match: z.tuple([z.int(), z.int()]),
})
export type FileHit = z.infer<typeof FileHit>

export const FileContent = z.object({
  state: FileState,
  /** Of a page or of lines. */
  text: z.string(),
  rows: z.array(FileRow),
  hits: z.array(FileHit),
  /** The page, line or row with which to go on, or null at the end. */
  next: z.int().nullable(),
})
export type FileContent = z.infer<typeof FileContent>

/** What a model has said of a large file. */
export const FileExploration = z.object({ text: z.string(), model: z.string(), createdAtMs: TimeMs })
export type FileExploration = z.infer<typeof FileExploration>

/** Which large files are described by a model, and by which. */
export const ExploreInput = z.object({
  ids: z.array(NodeId).optional().describe('default: every such file that no model has described yet'),
  summarizer: z.string().optional().describe('a configured provider, or chain (default: those of LCM_EXPLORERS)'),
  again: z.boolean().optional().describe('describe files again that a model has described before'),
})
export type ExploreInput = z.infer<typeof ExploreInput>

/** The result of having large files described by a model. */
export const ExplorationReport = z.object({
  explored: z.array(z.object({ id: NodeId, model: z.string() })),
  /** Files for which no model answered, and why. They keep the summary that was made without one. */
  kept: z.array(z.object({ id: NodeId, reason: z.string() })),
  /** The number of files that are no plain texts, cannot be read, or were described before. */
  passedOver: z.int(),
})
export type ExplorationReport = z.infer<typeof ExplorationReport>
