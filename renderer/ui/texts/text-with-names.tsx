import { messageNumber } from '../nodes/message-number.ts'
import { NodeName } from '../nodes/node-name.tsx'
import { namedParts } from './named-parts.ts'

/** A sentence of the core with the names of the messages and summaries that it mentions, in the place of their ids. */
export const TextWithNames = ({ text }: { readonly text: string }) =>
  namedParts(text).map(({ from, text, isId }) =>
    !isId ? (
      text
    ) : messageNumber(text) === null ? (
      <span key={from}>
        “<NodeName id={text} />”
      </span>
    ) : (
      <NodeName key={from} id={text} />
    ),
  )
