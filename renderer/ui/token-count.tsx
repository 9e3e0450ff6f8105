import { formatCompact, formatCount, formatTokens } from './format.ts'

type Props = {
  readonly tokens: number
  /** `1.18 M` instead of `1,180,402`; hovering tells the rest. */
  readonly compact?: boolean
}

/** A number of tokens. */
export function TokenCount({ tokens, compact = false }: Props) {
  return <span title={formatTokens(tokens)}>{compact ? formatCompact(tokens) : formatCount(tokens)}</span>
}
