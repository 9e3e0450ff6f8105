import type { ReactNode } from 'react'
import type { Message } from '#core/contract/message.ts'
import { client } from '#renderer/api.ts'
import { host } from '#renderer/host.ts'
import { currentRoute } from '#renderer/routes.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { type MessageRange, rangeText } from '#renderer/ui/data/range-address.ts'
import { CHOSEN } from './chosen-messages.ts'
import { type CopyForm, copiedLink, copiedText } from './copied-text.ts'

/** Copying more at once would fill the memory of the window. */
export const MOST_COPIED = 2_000
const PAGE = 100

type Props = {
  readonly label: string
  /** Fetches the messages with their whole texts. */
  readonly load: () => Promise<readonly Message[]>
  /** The place of a link. */
  readonly place: Parameters<typeof copiedLink>[2]
  readonly className?: string | undefined
  readonly children?: ReactNode
}

const FORMS: readonly (readonly [CopyForm, string])[] = [
  ['markdown', 'Markdown'],
  ['json', 'JSON'],
  ['text', 'Plain text'],
]

function CopyMenu({ label, load, place, className, children }: Props) {
  const [state, copy] = useCopy()
  // The address of the desktop app opens nowhere else.
  const link =
    host.kind === 'browser'
      ? [{ label: 'Link', onSelect: () => copy(copiedLink(location.href, currentRoute(), place)) }]
      : []
  return (
    <Menu
      label={label}
      className={className}
      items={[
        ...FORMS.map(([form, name]) => ({
          label: name,
          onSelect: () => copy(load().then((messages) => copiedText(messages, form))),
        })),
        ...link,
      ]}
    >
      {children}
      <Icon name={state === 'copied' ? 'check' : state === 'failed' ? 'warning' : 'copy'} />
    </Menu>
  )
}

/** Copies one message. */
export function CopyMessage({ id, className }: { readonly id: string; readonly className?: string | undefined }) {
  return (
    <CopyMenu
      label={`Copy ${id} as…`}
      load={async () => [await client.transcript.message({ id })]}
      place={{ selection: id, shown: {} }}
      className={className}
    />
  )
}

/** Copies the messages of a range. */
export function CopyRange({ conversationId, range }: RangeProps) {
  return (
    <CopyMenu
      label="Copy the selected messages as…"
      load={() => loadRange(conversationId, range)}
      place={{ selection: currentRoute().selection, shown: { [CHOSEN]: rangeText(range) } }}
    >
      Copy as…
    </CopyMenu>
  )
}

type RangeProps = { readonly conversationId: number; readonly range: MessageRange }

async function loadRange(conversationId: number, { first, last }: MessageRange): Promise<readonly Message[]> {
  const messages: Message[] = []
  const end = Math.min(last, first + MOST_COPIED - 1)
  for (let offset = first; offset <= end; offset += PAGE) {
    const limit = Math.min(PAGE, end - offset + 1)
    const input = { conversationId, offset, limit, contentChars: Number.MAX_SAFE_INTEGER }
    messages.push(...(await client.transcript.page(input)).messages)
  }
  return messages
}
