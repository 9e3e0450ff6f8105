import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { askFor, operationsOf, type Subject, type SurgeryAsk } from './surgery-ask.ts'

type Props = {
  /** Operations exist for summaries only. */
  readonly node: Subject & { readonly kind: string }
  readonly onAsk: (ask: SurgeryAsk) => void
}

/** The operations on a summary. Each begins with a preview. */
export function OperateMenu({ node, onAsk }: Props) {
  const { id, kind } = node
  if (kind !== 'leaf' && kind !== 'condensed') return null
  return (
    <Menu
      label={`Operate on ${id}`}
      isFramed
      items={operationsOf(kind).map(({ operation, label, hint }) => ({
        label,
        hint,
        onSelect: () => onAsk(askFor(operation, node)),
      }))}
    >
      Operate…
      <Icon name="chevronDown" />
    </Menu>
  )
}
