import { sha256Bytes } from '#core/hashing.ts'
import { cutText } from '#core/text.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { Fields } from '../query/matcher.ts'

/** It changes when texts are cut in another way, because their vectors are others then. */
export const RECIPE = '1'

/** About 400 tokens: the window of a small model, and short enough to be about one thing. */
const PIECE_CHARS = 1600
/** What stands behind the fourth piece of a text is found by its words only. */
const MOST_PIECES = 4
/** A piece ends between words where there is such a place in its last fifth. */
const LEAST_PIECE_CHARS = PIECE_CHARS * 0.8

/** A piece of a text that gets a vector, and the hash by which equal pieces have one. */
export type Piece = { readonly text: string; readonly hash: Buffer }

const HASH_BYTES = 16

/**
 * Returns the pieces of a message or summary that get vectors: what was said, or, where nothing was, what was thought
 * or given to tools.
 */
export function piecesOf(kind: Corpus['kind'], fields: Fields): Piece[] {
  const [content = '', toolInput = '', , reasoning = ''] = fields
  const text = [content, ...(kind === 'message' ? [reasoning, toolInput] : [])].find((one) => one.trim() !== '')
  return text === undefined ? [] : cutUp(text).map((piece) => ({ text: piece, hash: hashOf(piece) }))
}

const hashOf = (text: string): Buffer => sha256Bytes(text).subarray(0, HASH_BYTES)

function cutUp(whole: string): string[] {
  // What is behind the last piece is never looked at, however long it is.
  let rest = whole.slice(0, PIECE_CHARS * (MOST_PIECES + 1)).trim()
  const pieces: string[] = []
  while (rest !== '' && pieces.length < MOST_PIECES) {
    const head = cutText(rest, PIECE_CHARS)
    const space = head.length < rest.length ? head.search(/\s\S*$/) : -1
    const piece = space >= LEAST_PIECE_CHARS ? head.slice(0, space) : head
    pieces.push(piece.trim().toWellFormed())
    rest = rest.slice(piece.length).trimStart()
  }
  return pieces
}
