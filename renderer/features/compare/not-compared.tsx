import { z } from 'zod'
import type { CompareAddress } from '#renderer/compare-address.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { plainName } from '#renderer/ui/texts/format.ts'

const MISSING = 'It may have been moved or deleted, or lie on a disk that is not mounted. Choose another one above.'

const Undecided = z.object({
  path: z.string(),
  conversations: z.array(z.object({ id: z.number(), name: z.string() })),
})

type Props = {
  readonly error: unknown
  readonly address: CompareAddress
  readonly onSet: (patch: Partial<CompareAddress>) => void
  readonly onRetry: () => void
}

/** Why there is no comparison. Where a memory has several conversations, they are offered. */
export function NotCompared({ error, address, onSet, onRetry }: Props) {
  const { code, details } = toErrorInfo(error)
  const undecided = code === 'conversation_required' ? Undecided.safeParse(details).data : undefined
  if (undecided === undefined)
    return <ErrorState error={error} onRetry={onRetry} next={code === 'file_missing' ? MISSING : undefined} />
  const name = address.b.file === null || address.b.conversation !== null ? 'a' : 'b'
  const choose = (conversation: number) => onSet({ [name]: { ...address[name], conversation }, difference: null })
  return (
    <ErrorState
      error={error}
      next={`Choose one of them for side ${name.toUpperCase()}.`}
      actions={undecided.conversations.map(({ id, name }) => (
        <Button key={id} onClick={() => choose(id)}>
          {id} · <bdi>{plainName(name)}</bdi>
        </Button>
      ))}
    />
  )
}
