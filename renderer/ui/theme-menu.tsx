import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import { chooseTheme, type ThemeChoice, useTheme, useThemeChoice } from './theme.ts'

const CHOICES: readonly (readonly [ThemeChoice, string])[] = [
  ['system', 'As the system'],
  ['dark', 'Dark'],
  ['light', 'Light'],
]

/** Chooses dark, light, or the setting of the desktop. */
export function ThemeMenu() {
  const theme = useTheme()
  const choice = useThemeChoice()
  return (
    <Menu
      label="Theme"
      items={CHOICES.map(([value, label]) => ({
        label,
        isChecked: value === choice,
        onSelect: () => chooseTheme(value),
      }))}
    >
      <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
    </Menu>
  )
}
