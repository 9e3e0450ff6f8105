import { shortenId } from '../texts/format.ts'
import { MarkedText } from '../texts/marked-text.tsx'
import { MessageName } from './message-name.tsx'
import { messageNumber } from './message-number.ts'
import { useName } from './use-names.ts'

type Props = { readonly id: string }

/** A message by its number, and a summary by its first words. Its id is shown on pointing at it. */
export const NodeName = ({ id }: Props) =>
  messageNumber(id) === null ? <SummaryName id={id} /> : <MessageName id={id} />

function SummaryName({ id }: Props) {
  return (
    <bdi title={id}>
      <MarkedText text={useName(id) ?? shortenId(id, 13)} />
    </bdi>
  )
}
