import { useShown } from '#renderer/routes.ts'
import { Icon } from '../controls/icon.tsx'
import { Menu } from '../controls/menu.tsx'

const EVERYWHERE = 'find.everywhere'

/** Whether words are traced in every conversation of the file, and not only in the one on screen. */
export function useIsEverywhere(): readonly [boolean, (isEverywhere: boolean) => void] {
  const [shown, setShown] = useShown(EVERYWHERE)
  return [shown !== null, (isEverywhere) => setShown(isEverywhere ? '1' : null)]
}

const label = (isEverywhere: boolean): string => (isEverywhere ? 'every conversation' : 'this conversation')

/** Chooses the conversations in which words are traced. It stands in the field of the words. */
export function ConversationScope() {
  const [isEverywhere, setEverywhere] = useIsEverywhere()
  return (
    <Menu
      label={`In ${label(isEverywhere)}`}
      items={[false, true].map((choice) => ({
        label: label(choice),
        isChecked: choice === isEverywhere,
        onSelect: () => setEverywhere(choice),
      }))}
    >
      {label(isEverywhere)}
      <Icon name="chevronDown" />
    </Menu>
  )
}
