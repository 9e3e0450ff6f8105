import { NodeName } from '#renderer/ui/node-name.tsx'
import { reasonParts } from './reason-parts.ts'

/** Why an item stands in the window or not: the words of the core, with the names of what it mentions. */
export const ReasonText = ({ reason }: { readonly reason: string }) =>
  reasonParts(reason).map(({ from, text, isId }) => (isId ? <NodeName key={from} id={text} /> : text))
