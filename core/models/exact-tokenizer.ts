import { BytePairEncodingCore } from 'gpt-tokenizer/esm/BytePairEncodingCore'
import { Cl100KBase } from 'gpt-tokenizer/esm/encodingParams/cl100k_base'
import { O200KBase } from 'gpt-tokenizer/esm/encodingParams/o200k_base'
import { LcmError } from '../errors.ts'
import { packageValues } from '../packages.ts'

/** The part of gpt-tokenizer that splits a text into pieces and merges their bytes. */
export type Tokenizer = {
  countNative(text: string, allowedSpecial: undefined): number
  getBpeRankFromString(key: string): number | undefined
  getBpeRankFromBytes(key: Uint8Array): number | undefined
  /** Finds a token that is kept as bytes in `bytePairNonUtfSortedEncoder`, or returns −1. */
  binarySearch(key: Uint8Array): number
  readonly bytePairNonUtfSortedEncoder: readonly (readonly [bytes: Uint8Array, rank: number])[]
}
type Parameters = { readonly tokenSplitRegex: RegExp; readonly [name: string]: unknown }
const PARAMETERS = { o200k_base: O200KBase, cl100k_base: Cl100KBase } as unknown as Readonly<
  Record<'o200k_base' | 'cl100k_base', (ranks: unknown) => Parameters>
>
type TokenizerClass = new (parameters: Parameters) => Tokenizer

/**
 * What the published tokenizers take for white space (the property White_Space of Unicode). In a pattern of JavaScript
 * \s lacks U+0085 and has U+FEFF. https://tc39.es/ecma262/#prod-WhiteSpace
 */
const WHITE_SPACE = String.raw`\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`

function withWhiteSpace({ source, flags }: RegExp): RegExp {
  const pattern = source
    .replaceAll(String.raw`[^\s`, `[^${WHITE_SPACE}`)
    .replaceAll(String.raw`\s`, `[${WHITE_SPACE}]`)
    .replaceAll(String.raw`\S`, `[^${WHITE_SPACE}]`)
  return new RegExp(pattern, flags)
}

const MARK = '\ufeff'
const MARK_BYTES = [0xef, 0xbb, 0xbf] as const

/**
 * Loads a tokenizer with a published vocabulary, which only those read who need it. Opening a file stays synchronous.
 *
 * The library decodes bytes to look a token up, and its decoder drops a byte order mark at their beginning. Tokens that
 * begin with one are kept as bytes, and are looked up as bytes here.
 * @throws LcmError unsupported
 */
export function loadTokenizer(name: 'o200k_base' | 'cl100k_base'): Tokenizer {
  try {
    const ranks = packageValues(`gpt-tokenizer/cjs/bpeRanks/${name}`)
    const parameters = PARAMETERS[name](ranks)
    const encoder = new TextEncoder()
    class MarkedTokenizer extends (BytePairEncodingCore as unknown as TokenizerClass) {
      override getBpeRankFromString(key: string): number | undefined {
        return key.startsWith(MARK) ? this.getBpeRankFromBytes(encoder.encode(key)) : super.getBpeRankFromString(key)
      }

      override getBpeRankFromBytes(key: Uint8Array): number | undefined {
        if (MARK_BYTES.some((byte, index) => key[index] !== byte)) return super.getBpeRankFromBytes(key)
        return this.bytePairNonUtfSortedEncoder[this.binarySearch(key)]?.[1]
      }
    }
    return new MarkedTokenizer({ ...parameters, tokenSplitRegex: withWhiteSpace(parameters.tokenSplitRegex) })
  } catch (error) {
    throw new LcmError(
      'unsupported',
      `The vocabulary ${name} cannot be loaded: install the program again, or set LCM_TOKEN_ESTIMATOR=heuristic.`,
      { estimator: name },
      { cause: error },
    )
  }
}
