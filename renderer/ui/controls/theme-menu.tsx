import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import { chooseTheme, THEME_CHOICES, useTheme, useThemeChoice } from './theme.ts'

const ICONS = { dark: 'moon', light: 'sun', contrast: 'contrast' } as const

/** Chooses a theme, or that of the desktop. */
export function ThemeMenu() {
  const theme = useTheme()
  const choice = useThemeChoice()
  return (
    <Menu
      label="Theme"
      items={THEME_CHOICES.map(({ value, label }) => ({
        label,
        isChecked: value === choice,
        onSelect: () => chooseTheme(value),
      }))}
    >
      <Icon name={ICONS[theme]} />
    </Menu>
  )
}
