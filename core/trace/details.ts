import type { DetailKind } from '../contract/loss.ts'
import { once } from '../keeping.ts'
import { type ClaimRange, claimsIn } from '../provenance/claims.ts'
import type { SourceText } from '../provenance/passages.ts'
import { mayDeny, polarityOf } from '../provenance/polarity.ts'
import { type Specific, specificsOf } from '../provenance/specifics.ts'
import type { TextIndex } from '../provenance/text-index.ts'
import { tokensOf } from '../provenance/tokens.ts'
import { type Claim, type ClaimSource, isTelling, Vocabulary } from '../provenance/vocabulary.ts'

/** A text whose details are followed. `isSaid`: somebody wrote it, and it is no input or output of a tool. */
export type ToldText = SourceText & { readonly isSaid: boolean }

/** One thing in a text whose fate can be followed: a specific of a sentence, or the sentence as a whole. */
export type Detail = {
  readonly kind: DetailKind
  readonly text: string
  /** The index of its text among those that were read, and the range in it in UTF-16 units. */
  readonly told: number
  readonly start: number
  readonly end: number
  /** The index of a specific of the vocabulary, or null for a whole sentence. */
  readonly specific: number | null
}

/** A sentence that has details. */
export type Sentence = { readonly claim: Claim; readonly told: number; readonly details: readonly Detail[] }

/** Everything that some texts say in detail, and the words by which it is looked for. */
export type Details = {
  readonly texts: readonly ToldText[]
  readonly vocabulary: Vocabulary
  readonly sentences: readonly Sentence[]
  /** The number of details of all sentences. */
  readonly count: number
}

/** A longer text is data; what follows is not read. */
export const LONGEST_TEXT = 200_000
/** At most this much text is read between two yields. */
const PIECE_CHARS = 5000

type Place = { readonly told: number; readonly offset: number }

/** A sentence before its words are read. */
export type FoundSentence = {
  readonly text: string
  readonly kind: ClaimRange['kind']
  /** Looks for them when they are first asked for. That takes twice as long as finding the sentence. */
  readonly specifics: () => readonly Specific[]
  readonly source: ToldText
}

/**
 * Reads the details of some texts, in pieces of some milliseconds.
 * @param wholeAs the kind of a sentence in which nothing else was found, so that it is followed, too
 * @param isRead whether the words of a sentence are read at all
 */
export function* readingDetails(
  texts: readonly ToldText[],
  wholeAs: 'words' | null = null,
  isRead: (sentence: FoundSentence) => boolean = () => true,
): Generator<void, Details> {
  const pieces: string[] = []
  const claims: ClaimSource[] = []
  const places: Place[] = []
  let length = 0
  let since = 0
  for (const [told, source] of texts.entries()) {
    const { text } = source
    for (const range of claimsIn(text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text)) {
      const piece = text.slice(range.start, range.end)
      since += piece.length
      if (since > PIECE_CHARS) {
        yield
        since = 0
      }
      const specifics = once(() => specificsOf(piece))
      if (!isRead({ text: piece, kind: range.kind, specifics, source })) continue
      pieces.push(piece)
      claims.push({ kind: range.kind, start: length, end: length + piece.length, found: specifics() })
      places.push({ told, offset: range.start - length })
      length += piece.length + 1
    }
    yield
  }
  const vocabulary = yield* Vocabulary.reading(pieces.join('\n'), claims)
  const sentences: Sentence[] = []
  let count = 0
  for (const [index, claim] of vocabulary.claims.entries()) {
    const { told, offset } = places[index] as Place
    const details = detailsOf(claim, vocabulary, { told, offset }, texts[told]?.isSaid ?? false, wholeAs)
    if (details.length > 0) sentences.push({ claim, told, details })
    count += details.length
    if (index % 50 === 49) yield
  }
  return { texts, vocabulary, sentences, count }
}

function detailsOf(
  claim: Claim,
  { specifics }: Vocabulary,
  { told, offset }: Place,
  isSaid: boolean,
  wholeAs: 'words' | null,
): Detail[] {
  const found = claim.specifics.map((specific): Detail => {
    const { kind, text, start, end } = specifics[specific] as Specific
    return { kind: kindOfSpecific(kind, text), text, told, start: start + offset, end: end + offset, specific }
  })
  const whole = kindOfWhole(claim.text, claim.kind, isSaid) ?? (found.length > 0 ? null : wholeAs)
  if (whole === null || claim.terms.length === 0) return found
  const [start, end] = [claim.start + offset, claim.end + offset]
  return [{ kind: whole, text: claim.text, told, start, end, specific: null }, ...found]
}

const ERROR_NAME = /^(?:E[A-Z]{3,}|SQLITE_\w+)$|(?:Error|Exception|Panic)$/

function kindOfSpecific(kind: Specific['kind'], text: string): DetailKind {
  switch (kind) {
    case 'number':
    case 'version':
    case 'date':
    case 'time':
      return 'number'
    case 'path':
    case 'url':
      return 'path'
    case 'identifier':
    case 'hash':
    case 'code':
      return ERROR_NAME.test(text) ? 'error' : 'id'
    case 'name':
    case 'quote':
      return kind
  }
}

const DECISION =
  /\b(?:decid(?:ed?|es|ing)|decisions?|agreed|chose|chosen|choose|go(?:es|ing)? with|went with|sett?led? on|opt(?:ed|s)? for|prefer(?:red|s)?|instead of|rather than|let['’]?s (?:use|go|keep|switch|drop|make|ship|not|stay|take|move)|we(?:['’]ll| will| are going to|['’]re going to) (?:use|go|keep|switch|drop|make|ship|not|stay|take|move|store|write)|rejected|ruled out|switch(?:ed|ing)? to|approved|plan is to|entschieden|beschlossen|stattdessen)\b/i
const CONSTRAINT =
  /\b(?:must(?:n['’]t)?|never|always|at (?:most|least)|no (?:more|less|fewer) than|is required|are required|shall|should(?: not|n['’]t)|not allowed|forbidden|ha(?:s|ve) to|make sure|under no circumstances|darf nicht|niemals|muss|müssen)\b|^(?:please )?(?:do not|don['’]t)\b/i
const ERROR = /\b(?:errors?|exceptions?|fail(?:s|ed|ure|ures)?|crash(?:es|ed)?|panic(?:ked)?|timed out|Fehler)\b/i

/** Returns whether a sentence matters as a whole, so that it may stand somewhere in other words. */
const mattersAsWhole = ({ text, kind, source }: FoundSentence): boolean =>
  kindOfWhole(text, kind, source.isSaid) !== null

/** Returns whether a detail of a sentence may stand in some texts. Only then its words have to be read. */
export const mayStandIn =
  (indexes: readonly TextIndex[]) =>
  (sentence: FoundSentence): boolean =>
    sentence.specifics().some((specific) => indexes.some((index) => index.has(specific))) || mattersAsWhole(sentence)

/** Returns what a sentence as a whole says, or null when only its specifics matter. A question says nothing. */
function kindOfWhole(text: string, kind: ClaimRange['kind'], isSaid: boolean): DetailKind | null {
  if (!isSaid || kind === 'code') return null
  if (/[?？]["'”’)]*\s*$/.test(text)) return null
  if (DECISION.test(text)) return 'decision'
  if (CONSTRAINT.test(text)) return 'constraint'
  if (denies(text)) return 'negation'
  return ERROR.test(text) ? 'error' : null
}

function denies(text: string): boolean {
  if (!mayDeny(text)) return false
  const tokens = tokensOf(text)
  const isTellingAt = (place: number): boolean => {
    const token = tokens[place]
    return token !== undefined && isTelling(token, text)
  }
  return polarityOf(text, tokens, isTellingAt).denied.size > 0
}
