/** Messages that follow each other, by their positions in the conversation from 0 on, both included. */
export type MessageRange = { readonly first: number; readonly last: number }

/** Where the range stands in the address: `59-98`, in the numbers that are shown, from 1 on. */
export const RANGE = 'layers.range'

export function parseRange(text: string | null): MessageRange | null {
  const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? []
  const range = { first: Number(first) - 1, last: Number(last) - 1 }
  return range.first >= 0 && range.last >= range.first ? range : null
}

export const rangeText = ({ first, last }: MessageRange): string => `${first + 1}-${last + 1}`
