import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LcmError } from '#core/errors.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { type BuiltPrompt, buildPrompt } from './build-prompt.ts'
import { BUILT_IN } from './built-in-prompts.ts'
import { type NewNonce, randomNonce } from './nonce.ts'
import { type ModelLevel, type Placeholder, type PromptTemplate, problemOf, templateOf } from './prompt-template.ts'

type Kind = keyof typeof BUILT_IN

const REQUIRED: Readonly<Record<Kind, readonly Placeholder[]>> = {
  leaf: ['sources', 'style', 'target_tokens', 'previous_summary'],
  condensed: ['sources', 'style', 'target_tokens'],
  arc: ['sources', 'style', 'target_tokens'],
}
const KINDS = ['leaf', 'condensed', 'arc'] as const
const LARGEST_CHARS = 100_000

/**
 * The prompts by depth. Those of this app are replaced when the folder has `leaf.md` (depth 0), `condensed.md` (depth
 * 1) or `arc.md` (depth 2 and deeper). Files are read once.
 */
export class PromptLibrary {
  readonly #templates: Record<Kind, PromptTemplate>
  readonly #newNonce: NewNonce

  /** @throws LcmError invalid_argument when a file cannot be used; file_not_readable */
  constructor(folder: string | null, newNonce: NewNonce = randomNonce) {
    const templates = { ...BUILT_IN }
    for (const kind of KINDS) templates[kind] = (folder === null ? null : readTemplate(folder, kind)) ?? templates[kind]
    this.#templates = templates
    this.#newNonce = newNonce
  }

  /**
   * Uses one text for every depth, for a single call.
   * @throws LcmError invalid_argument when it is no template
   */
  static ofText(text: string, newNonce: NewNonce = randomNonce): PromptLibrary {
    const problem = problemOf(text, ['sources', 'target_tokens'])
    if (problem !== null) throw new LcmError('invalid_argument', `The prompt cannot be used: ${problem}.`)
    const library = new PromptLibrary(null, newNonce)
    for (const kind of KINDS)
      library.#templates[kind] = templateOf('own', 'given for this call', text, BUILT_IN[kind].styles)
    return library
  }

  /** Returns the version that is stored with each summary. */
  version(depth: number): string {
    return this.#templates[kindOf(depth)].version
  }

  build(request: Omit<SummaryRequest, 'level'>, level: ModelLevel): BuiltPrompt {
    return buildPrompt(this.#templates[kindOf(request.depth)], request, level, this.#newNonce)
  }
}

const kindOf = (depth: number): Kind => (depth === 0 ? 'leaf' : depth === 1 ? 'condensed' : 'arc')

function readTemplate(folder: string, kind: Kind): PromptTemplate | null {
  const path = join(folder, `${kind}.md`)
  const text = readText(path)
  if (text === null) return null
  const problem = text.length > LARGEST_CHARS ? 'it is longer than a prompt can be' : problemOf(text, REQUIRED[kind])
  if (problem === null) return templateOf(`${kind}.md`, path, text, BUILT_IN[kind].styles)
  throw new LcmError('invalid_argument', `The prompt ${path} cannot be used: ${problem}. Change it or remove it.`, {
    path,
  })
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new LcmError('file_not_readable', `The prompt ${path} cannot be read (${code}). Change it or remove it.`, {
      path,
    })
  }
}
