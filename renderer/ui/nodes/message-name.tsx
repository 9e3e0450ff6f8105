import { useMessageText } from './use-names.ts'

/** A message by its number in the conversation. Its id is shown on pointing at it. */
export function MessageName({ id }: { readonly id: string }) {
  return <span title={id}>{useMessageText(id)}</span>
}
